// Shorthand for emitting the parts of composites that change shapes and types on the way.
#pragma once

#include "tw/Dialect/Graph/Create.h"

namespace tw::graph {

/// Emits ops at the builder's insertion point. Element types are as in the IR; shapes may be
/// symbolic.
struct PartsBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  static Shape shapeOf(mlir::Value x) { return *getShape(x.getType()); }
  static mlir::Type elementOf(mlir::Value x) { return mlir::getElementTypeOrSelf(x); }

  /// An op whose result is of the type of its first operand.
  template <typename Op> mlir::Value same(mlir::ValueRange operands) {
    return Op::create(builder, loc, operands[0].getType(), operands,
                      llvm::ArrayRef<mlir::NamedAttribute>{})
        ->getResult(0);
  }
  /// An integer or float everywhere; integers wrap to the type.
  mlir::Value splat(llvm::ArrayRef<Dim> shape, mlir::Type element, uint64_t bits);
  mlir::Value real(llvm::ArrayRef<Dim> shape, mlir::Type element, double value);
  /// The same beside `x`, of its shape and element type.
  mlir::Value like(mlir::Value x, uint64_t bits) { return splat(shapeOf(x), elementOf(x), bits); }

  mlir::Value cast(mlir::Value x, mlir::Type element) {
    return elementOf(x) == element ? x : CastOp::create(builder, loc, x, element).getResult();
  }
  mlir::Value bitcast(mlir::Value x, mlir::Type element) {
    return elementOf(x) == element ? x : BitcastOp::create(builder, loc, x, element).getResult();
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<Dim> shape) {
    return ReshapeOp::create(builder, loc, getTensorType(shape, elementOf(x)), x);
  }
  mlir::Value expand(mlir::Value x, llvm::ArrayRef<Dim> shape) {
    return ExpandOp::create(builder, loc, getTensorType(shape, elementOf(x)), x);
  }
  /// A new dimension `dim` of `size`, along which `x` is repeated.
  mlir::Value repeat(mlir::Value x, int64_t dim, const Dim &size);
  mlir::Value iota(llvm::ArrayRef<Dim> shape, int64_t dim, mlir::Type element) {
    return IotaOp::create(builder, loc, getTensorType(shape, element), dim);
  }
  mlir::Value compare(ComparePredicate predicate, mlir::Value a, mlir::Value b) {
    return CompareOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return SelectOp::create(builder, loc, condition, a, b);
  }
  mlir::Value reduce(CombineKind kind, mlir::Value x, int64_t dim) {
    return ReduceOp::create(builder, loc, kind, x, dim);
  }
  /// The sums before each element along `dim`.
  mlir::Value sumsBefore(mlir::Value x, int64_t dim) {
    return ScanOp::create(builder, loc, x.getType(), CombineKind::Add, x, dim,
                          /*exclusive=*/true, /*reverse=*/false);
  }
  mlir::Value permute(mlir::Value x, llvm::ArrayRef<int64_t> order) {
    return PermuteOp::create(builder, loc, x, order);
  }
  /// Elements first, first + 1 ... of a dimension, `size` of them.
  mlir::Value slice(mlir::Value x, int64_t dim, int64_t first, int64_t size) {
    return sliceBy(x, dim, first, size, 1);
  }
  /// Every `stride`-th element from `first` on, `size` of them.
  mlir::Value sliceBy(mlir::Value x, int64_t dim, int64_t first, int64_t size, int64_t stride);
  /// Elements added (or, below 0, taken away) at the ends of a dimension of known size; `fill` is
  /// what is added.
  mlir::Value padOrCrop(mlir::Value x, int64_t dim, int64_t low, int64_t high, double fill = 0);
  mlir::Value concat(mlir::ValueRange parts, int64_t dim) {
    return ConcatOp::create(builder, loc, parts, dim);
  }
  /// Along the last dimension: source [.., n] at positions [.., k].
  mlir::Value take(mlir::Value source, mlir::Value positions) {
    int64_t last = int64_t(shapeOf(source).size()) - 1;
    return GatherOp::create(builder, loc, source, positions, last, last);
  }
  /// Elements [.., n] at distinct positions [.., n] along the last dimension.
  mlir::Value put(mlir::Value elements, mlir::Value positions) {
    int64_t last = int64_t(shapeOf(elements).size()) - 1;
    return ScatterOp::create(builder, loc, elements.getType(), CombineKindAttr(), like(elements, 0),
                             elements, positions, last, last);
  }
};

} // namespace tw::graph
