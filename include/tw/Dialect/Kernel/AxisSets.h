// Which axes of a kernel each value of its body depends on, and what fusion recomputes.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tw::kernel {

/// The axis set of a value is what is left of the axes in its backward slice after `reduce` and
/// `contract` took away theirs. Bit i stands for axis i of the kernel.
class AxisSets {
public:
  explicit AxisSets(KernelOp kernel);

  /// The axis set of a value of the kernel's body; empty for constants.
  const llvm::SmallBitVector &of(mlir::Value value) const;

  /// The axes that any of these values depends on.
  llvm::SmallBitVector unionOf(mlir::ValueRange values) const;

  /// The axes that an op reduces over (empty for other ops).
  llvm::SmallBitVector reducedBy(mlir::Operation *op) const;

  /// The axes along which the points of an op come in their order: that of a scan, and those along
  /// which a store comes to an element again (empty for other ops).
  llvm::SmallBitVector orderedBy(mlir::Operation *op) const;

  /// The product of the extents of a set.
  int64_t points(const llvm::SmallBitVector &axes) const;

  /// How often `value` is computed per point of its own axis set when it is computed once for each
  /// point of `enclosing`: the product of the extents of the enclosing axes not in its axis set.
  int64_t recomputeFactor(mlir::Value value, const llvm::SmallBitVector &enclosing) const;

private:
  llvm::SmallVector<int64_t> extents;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> sets;
  llvm::SmallBitVector none;
};

/// The largest recompute factor in the kernel: each value but loads and indices, taken at the
/// points of the ops that use it. 1 means that nothing is computed twice.
int64_t largestRecomputeFactor(KernelOp kernel);

} // namespace tw::kernel
