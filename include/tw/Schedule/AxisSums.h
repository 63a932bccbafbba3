// Axes on which a value depends through sums of them alone: windows of what is computed.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"

namespace tw::schedule {

/// Axes that stand, in all that a value is computed from, in multiples of one sum of theirs:
/// factors of the axes, without a common divisor.
struct AxisSum {
  struct Term {
    unsigned axis;
    int64_t factor;
  };
  llvm::SmallVector<Term, 2> terms;

  bool contains(unsigned axis) const;
};

/// The sums of two axes and more that the op's value is a function of, beside axes by themselves: a
/// convolution that a pooling reads at `2 * h + r` is one of that sum. None has an axis that is
/// reduced on the way to the value.
llvm::SmallVector<AxisSum> findAxisSums(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                                        mlir::Operation *op);

/// Points of the axes, those of a sum of findAxisSums counted once for each value that the sum has.
double countPoints(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                   const llvm::SmallBitVector &axes, llvm::ArrayRef<AxisSum> sums);

} // namespace tw::schedule
