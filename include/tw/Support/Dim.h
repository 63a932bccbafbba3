// The size of a dimension: a number, or affine in named symbols.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace tw {

/// The size of a dimension: constant + sum of factor * symbol, factors not zero, symbols sorted by
/// name. A value.
class Dim {
public:
  using Term = std::pair<mlir::StringAttr, int64_t>;

  Dim(int64_t constant = 0) : constant(constant) {}
  static Dim symbol(mlir::StringAttr name, int64_t factor = 1);

  bool isStatic() const { return terms.empty(); }
  int64_t getConstant() const { return constant; }
  llvm::ArrayRef<Term> getTerms() const { return terms; }

  Dim operator+(const Dim &other) const;
  Dim operator*(int64_t factor) const;
  Dim operator-(const Dim &other) const { return *this + other * -1; }
  bool operator==(const Dim &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator!=(const Dim &other) const { return !(*this == other); }

  /// The value for these values of the symbols; nothing if one has none, or beyond 64 bits.
  std::optional<int64_t>
  evaluate(llvm::function_ref<std::optional<int64_t>(mlir::StringAttr)> valueOf) const;

  /// As in #tgraph.dims: `S + 2 * T + 1`.
  void print(llvm::raw_ostream &os) const;

private:
  int64_t constant;
  llvm::SmallVector<Term, 1> terms;
};

/// `S + 2 * T + 1`, for messages.
std::string toString(const Dim &dim);

/// What `print` writes.
mlir::ParseResult parseDim(mlir::AsmParser &parser, Dim &dim);

/// `[S, 4096]`
mlir::ParseResult parseDims(mlir::AsmParser &parser, llvm::SmallVectorImpl<Dim> &dims);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<Dim> dims);

/// Sizes as an attribute holds them: the symbols, sorted by name, and for each size a factor for
/// each symbol, then the constant.
struct DimTable {
  llvm::SmallVector<mlir::StringAttr> symbols;
  llvm::SmallVector<int64_t> coefficients;

  explicit DimTable(llvm::ArrayRef<Dim> dims);
  static llvm::SmallVector<Dim, 4> getDims(llvm::ArrayRef<mlir::StringAttr> symbols,
                                           llvm::ArrayRef<int64_t> coefficients);
};

} // namespace tw
