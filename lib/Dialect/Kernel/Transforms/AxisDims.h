// Where a kernel's tensors have some of its axes, and how these become others in all of them.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include <optional>

namespace tw::kernel {

/// The dimension along which a tensor has what is asked for; none where it has nothing of it.
using AxisDim = std::optional<unsigned>;

/// That of each of the kernel's operands and results.
struct AxisDims {
  llvm::SmallVector<AxisDim> operands, results;
};

/// Says of one access how its tensor has the axes; fails where that is in another way.
using FindAxisDim = llvm::function_ref<mlir::FailureOr<AxisDim>(
    mlir::AffineMap map, mlir::ValueRange indices, mlir::RankedTensorType type)>;

/// Nothing where accesses of a tensor differ, or do more with the axes: guards, updates.
std::optional<AxisDims> findAxisDims(KernelOp kernel, llvm::ArrayRef<mlir::BlockArgument> axes,
                                     FindAxisDim find);

/// The tensor in another shape, as the same memory.
mlir::Value getReshaped(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                        mlir::RankedTensorType type);

/// Gives tensors that have such a dimension another shape in the kernel, by reshapes beside it.
void reshapeTensors(
    KernelOp kernel, const AxisDims &dims,
    llvm::function_ref<mlir::RankedTensorType(mlir::RankedTensorType type, unsigned dim)> change);

/// Indices of accesses as they become: a map over the new ones, and each old one by these.
struct ChangedIndices {
  mlir::AffineMap map;
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<mlir::AffineExpr> old;
};

/// The access' indices once axes have become others.
using ChangeIndices =
    llvm::function_ref<ChangedIndices(mlir::AffineMap map, mlir::ValueRange indices, AxisDim dim)>;

/// Has all that the kernel does along `axes` done along others: `change` says how accesses are, and
/// `replace` what an axis becomes among those that are reduced. Types of tensors are the new ones.
void replaceAxes(KernelOp kernel, llvm::ArrayRef<mlir::BlockArgument> axes, const AxisDims &dims,
                 ChangeIndices change,
                 llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value axis)> replace);

} // namespace tw::kernel
