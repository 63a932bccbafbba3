// Orders of the dimensions that tensors between kernels have in memory.
//
// Kernels name elements by maps, so the order of a tensor's dimensions is that of its type and of
// the results of its maps. A tensor in another order is another type, and another order of the
// results of each map that stores or loads it.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Which dimension of a tensor lies at each place, the innermost last.
using DimensionOrder = llvm::SmallVector<unsigned>;

/// The order that puts back what the other one has moved.
DimensionOrder invertOrder(llvm::ArrayRef<unsigned> order);

mlir::RankedTensorType permute(mlir::RankedTensorType type, llvm::ArrayRef<unsigned> order);
mlir::AffineMap permute(mlir::AffineMap map, llvm::ArrayRef<unsigned> order);

/// The type of a tensor whose sizes are known, else null.
mlir::RankedTensorType getPlainType(mlir::Value value);

/// Whether kernels alone make and read the tensor, by stores and loads of elements, none of them
/// has a schedule, and nothing asks for its memory: it is no update of another tensor, none is an
/// update of it, and no `tview.materialize` made it. Its sizes may be settled by calls, unless it
/// has room to grow.
bool mayReorder(mlir::Value value);

/// Reads operand `number` of the kernel, which has `type` now, in its new order.
void reorderReads(KernelOp kernel, unsigned number, mlir::RankedTensorType type,
                  llvm::ArrayRef<unsigned> order);

/// Gives a tensor that may be reordered its dimensions in that order.
void reorder(mlir::Value value, llvm::ArrayRef<unsigned> order);

} // namespace tw::kernel
