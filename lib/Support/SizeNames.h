// How symbols are named that are products and quotients, and how sizes are read.
#pragma once

#include "tw/Support/SizeProducts.h"

namespace tw {

/// A symbol's name, taken apart: the product of its factors over a number.
struct SizeName {
  llvm::SmallVector<llvm::StringRef, 2> factors;
  int64_t divisor = 1;
};

/// Between the factors of a product, and before what divides it.
inline constexpr llvm::StringLiteral timesSign = " * ", overSign = " / ", downSign = " floordiv ";
/// Between two sizes in parentheses, of which the symbol is the smaller one.
inline constexpr llvm::StringLiteral leastSign = " min ";

SizeName takeApart(llvm::StringRef name);
std::string putTogether(const SizeName &name);

/// What divides numbers and names in text.
inline constexpr int64_t mostDivisor = INT32_MAX;

/// Reads what `Dim::print` writes; nothing if it is none.
std::optional<Dim> readDim(llvm::StringRef text, mlir::MLIRContext *context);

/// An identifier as it stands, any other name in quotes.
void printName(llvm::raw_ostream &os, llvm::StringRef name);

// Symbolic sizes come from text, so sums and products wrap instead of overflowing.
inline int64_t wrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
inline int64_t wrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

} // namespace tw
