// What the categories of kernel formation share: a kernel under construction.
#pragma once

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace tw::formation {

/// Builds one kernel at the builder's insertion point. Coordinates are affine expressions whose
/// dims are the kernel's axes in order (and, for loads, further index values after them).
class Formation {
public:
  /// `hint` names the kernel; the results have `types`.
  Formation(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef hint,
            mlir::TypeRange types, llvm::ArrayRef<kernel::Extent> extents,
            llvm::ArrayRef<std::string> names);

  mlir::Value axis(unsigned i) { return kernel.getAxis(i); }
  mlir::ValueRange axes() { return kernel.getAxes(); }
  mlir::AffineExpr dim(unsigned i) { return body.getAffineDimExpr(i); }
  /// The dims of axes `first` to `first + count - 1`.
  llvm::SmallVector<mlir::AffineExpr> dims(unsigned first, unsigned count);

  /// The scalar of `tensor` at the coordinates; outside the tensor `outside`, zero by default. A
  /// constant of one value becomes that scalar when nothing is read outside.
  mlir::Value load(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> coordinates,
                   mlir::TypedAttr outside = {}, mlir::ValueRange moreIndices = {});
  /// The scalar of `tensor` through a map whose dims are the axes.
  mlir::Value load(mlir::Value tensor, view::MapAttr map, mlir::ValueRange moreIndices = {});

  /// An index as a scalar of `elementType`: integers wrap, floats round once.
  mlir::Value convertIndex(mlir::Value index, mlir::Type elementType);
  /// A scalar of bf16 or f16 in f32, others as they are.
  mlir::Value widen(mlir::Value scalar);
  /// A scalar in `elementType`: rounded if that is bf16 or f16, else as it is.
  mlir::Value round(mlir::Value scalar, mlir::Type elementType);

  /// Stores the scalar at the axes, moved by the offsets, into `updated`, and returns the kernel's
  /// result.
  mlir::Value update(mlir::Value scalar, mlir::Value updated, mlir::ValueRange offsets);
  /// The same at coordinates that the offsets move; a `kind` combines with what is there.
  mlir::Value update(mlir::Value scalar, mlir::Value updated,
                     llvm::ArrayRef<mlir::AffineExpr> coordinates, mlir::ValueRange offsets,
                     std::optional<mlir::arith::AtomicRMWKind> kind);
  /// Stores the scalar at the coordinates and returns the kernel's result.
  mlir::Value store(mlir::Value scalar, llvm::ArrayRef<mlir::AffineExpr> coordinates,
                    unsigned result = 0);

  /// The builder inside the kernel's body.
  mlir::OpBuilder body;
  mlir::Location loc;

private:
  kernel::KernelOp kernel;
};

/// Axis names of the dimensions of a tensor: i, j, k, ...
llvm::SmallVector<std::string> getPointNames(unsigned rank);

/// Axis names of images: n, then `channel`, then p, q (u, v ...).
llvm::SmallVector<std::string> getSpatialNames(unsigned rank);
/// Axis names of the positions in a window: r, s, t ...
llvm::SmallVector<std::string> getWindowNames(unsigned rank);

/// The dimensions of a value of ranked tensor type.
llvm::SmallVector<kernel::Extent> shapeOf(mlir::Value tensor);
mlir::Type elementTypeOf(mlir::Value tensor);

/// The kind of reduction that combines elements of `elementType`.
mlir::arith::AtomicRMWKind getReductionKind(graph::CombineKind kind, mlir::Type elementType);

/// The tensor that the value is but for a part that is stored: what an op updates, or what a
/// concatenation appends to. Null for all other values.
mlir::Value getUpdated(mlir::Value value);

/// The scalar that an elementwise op makes of its operands' scalars.
mlir::Value buildPoint(Formation &form, graph::ElementwiseOpInterface op, mlir::ValueRange scalars);

void populateElementwise(mlir::RewritePatternSet &patterns);
void populateMovement(mlir::RewritePatternSet &patterns);
void populateContractions(mlir::RewritePatternSet &patterns);
void populateReductions(mlir::RewritePatternSet &patterns);
void populateGathers(mlir::RewritePatternSet &patterns);

} // namespace tw::formation
