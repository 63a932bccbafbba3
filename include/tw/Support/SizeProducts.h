// Sizes that are products or quotients of symbols, or the least of two sizes.
//
// What is not affine in symbols is a symbol that is named by what it is: `B * S`, `((S + 1)
// floordiv 2)`, and `S / 4`, of which S is a multiple in every call. Whoever looks a name up and
// does not know it knows what its value follows from; for all others it is a symbol like any other.
#pragma once

#include "tw/Support/Dim.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tw {

/// What a symbol is that is named by a quotient.
struct SizeQuotient {
  Dim numerator;
  int64_t divisor;
  /// Nothing is left: calls have multiples of the divisor. Else the quotient is rounded down.
  bool isExact;
};

/// Nothing if the symbol is no quotient; products may have factors that are.
std::optional<SizeQuotient> getQuotient(mlir::StringAttr symbol);

/// What a symbol is that is named `(S min 5)`: the smaller of two sizes.
struct SizeLeast {
  Dim first, second;
};

/// Nothing if the symbol is none.
std::optional<SizeLeast> getLeast(mlir::StringAttr symbol);

/// The smaller of two sizes, and the greater one. What both have in common stands outside, so that
/// names are made of what is not negative.
Dim takeLeast(const Dim &a, const Dim &b);
Dim takeMost(const Dim &a, const Dim &b);

using SizeBounds = std::optional<std::pair<int64_t, int64_t>>;

/// The least and the most that the size comes to where symbols have these, or what it is not below
/// and not above.
SizeBounds getBounds(const Dim &dim, llvm::function_ref<SizeBounds(mlir::StringAttr)> rangeOf);

/// The symbols whose product the symbol is, sorted by name; itself alone if it is none.
llvm::SmallVector<mlir::StringAttr, 2> getFactors(mlir::StringAttr symbol);

/// The symbols from which the value of the symbol follows that are themselves neither products nor
/// quotients, nor the least of two, each once; itself alone if it is such a one.
llvm::SmallVector<mlir::StringAttr, 2> getBases(mlir::StringAttr symbol);

Dim multiply(const Dim &a, const Dim &b);

/// The size over a number above zero, rounded down; exact where that follows from steps of the
/// symbols that it is made of.
Dim divideDown(const Dim &dim, int64_t divisor,
               llvm::function_ref<int64_t(mlir::StringAttr)> stepOf = nullptr);

/// The size over a number above zero of which it is a multiple: what calls are to check of symbols.
/// Nothing if its constant is none.
std::optional<Dim> divideExactly(const Dim &dim, int64_t divisor);

/// The size with numbers in place of symbols that have one; nothing where a quotient of them is to
/// be exact and is not, or what comes to more than 64 bits.
std::optional<Dim> substitute(const Dim &dim,
                              llvm::function_ref<std::optional<int64_t>(mlir::StringAttr)> valueOf);

/// The greatest number that is known to divide the symbol's value where its bases are multiples of
/// these.
int64_t getStep(mlir::StringAttr symbol, llvm::function_ref<int64_t(mlir::StringAttr)> stepOf);

/// A quotient in the symbol's name that is to be exact, and is not known to be by these steps of
/// its bases; nothing if there is none.
std::optional<SizeQuotient> findInexact(mlir::StringAttr symbol,
                                        llvm::function_ref<int64_t(mlir::StringAttr)> stepOf);

/// A size from which a symbol follows, by subtraction and division, once the values of all others
/// that it is made of are known.
struct SizeSolution {
  Dim size;
  mlir::StringAttr symbol;
};

/// What symbols follow from where these sizes are given, in an order in which each is the only one
/// unknown; those that are such a size themselves need none. All of both are `known` then.
llvm::SmallVector<SizeSolution> findSolutions(llvm::ArrayRef<Dim> given,
                                              llvm::SmallPtrSetImpl<mlir::StringAttr> &known);

/// Whether tensors of these sizes have equally many elements.
bool haveEqualProducts(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

} // namespace tw
