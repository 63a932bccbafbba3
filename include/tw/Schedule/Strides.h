// How accesses of a kernel move through memory along its axes.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include <optional>

namespace tw::schedule {

struct Plan;

/// How memory moves along an axis: the stride in elements, or nothing when it is not constant. The
/// map is from `indices`, among which the axis may be, to coordinates in `type`.
std::optional<int64_t> getStride(mlir::RankedTensorType type, mlir::AffineMap map,
                                 mlir::ValueRange indices, mlir::Value axis);

/// The same of coordinates in a shape, for one axis after another.
class CoordinateStrides {
public:
  CoordinateStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::AffineExpr> coordinates,
                    mlir::ValueRange indices)
      : shape(shape), coordinates(coordinates), indices(indices) {}

  std::optional<int64_t> get(mlir::Value axis);

private:
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<mlir::AffineExpr> coordinates;
  mlir::ValueRange indices;
  /// Where an axis has needed it.
  mlir::AffineMap address;
};

/// The same, in elements, from most points of the axis to the next, where quotients and remainders
/// of the axis give no constant; nothing when an index is computed from the axis by other means.
std::optional<int64_t> getUsualStride(kernel::LoadOp load, mlir::BlockArgument axis);
std::optional<int64_t> getUsualStride(kernel::StoreOp store, mlir::BlockArgument axis);

/// The same from each point to the next of tiles of `points` points, `step` apart along the axis,
/// that begin at multiples of their length; nothing where it differs within a tile.
std::optional<int64_t> getStrideInTiles(kernel::LoadOp load, mlir::BlockArgument axis, int64_t step,
                                        int64_t points);
std::optional<int64_t> getStrideInTiles(kernel::StoreOp store, mlir::BlockArgument axis,
                                        int64_t step, int64_t points);

/// How memory moves along a leaf of the plan, in elements; nothing when it is not constant.
std::optional<int64_t> getStride(kernel::LoadOp load, const Plan &plan, unsigned leaf);

/// Whether the dim stands in the expression, as AffineExpr::isFunctionOfDim, which looks for the
/// dim in the context each time.
bool isFunctionOfDim(mlir::AffineExpr expr, unsigned dim);

/// Whether a value of a kernel is the source or computed from it.
bool isComputedFrom(mlir::Value value, mlir::Value source);

/// An index as a function of axes, of which `axisExpr` gives each an expression; null where it is
/// computed by other means than affine ones.
mlir::AffineExpr getIndexExpr(mlir::Value index,
                              llvm::function_ref<mlir::AffineExpr(mlir::BlockArgument)> axisExpr);

} // namespace tw::schedule
