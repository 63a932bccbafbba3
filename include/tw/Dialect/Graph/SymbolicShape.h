// Dimensions that are affine in named symbols, and the tensor types that carry them.
//
// A tensor type with static dimensions only has no encoding; with a dynamic dimension it has a
// #tgraph.dims encoding with one entry per dimension. Shape rules compute with Dim for both.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tw::graph {

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

  /// As in #tgraph.dims: `S + 2 * T + 1`.
  void print(llvm::raw_ostream &os) const;

private:
  int64_t constant;
  llvm::SmallVector<Term, 1> terms;
};

using Shape = llvm::SmallVector<Dim, 4>;

/// The dimensions of `type`; empty optional if one is dynamic without a symbol.
std::optional<Shape> getShape(mlir::Type type);

/// The tensor type of `shape`, with a #tgraph.dims encoding if a dimension is not static.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<Dim> shape, mlir::Type elementType);

/// `type` with another element type; shape and encoding stay. `type` itself if it is no tensor.
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);

/// Whether tensors of the two shapes have the same number of elements for every value of their
/// symbols.
bool haveEqualElementCounts(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

/// "4x(S + 1)xT", "scalar" for rank 0; for messages.
std::string toString(llvm::ArrayRef<Dim> shape);
std::string toString(const Dim &dim);

/// Bytes of the elements of a static tensor type in a file or in memory: a bool takes one byte,
/// four-bit types half of one. Empty if the number exceeds 64 bits.
std::optional<uint64_t> getByteLength(mlir::RankedTensorType type);

} // namespace tw::graph
