// Axes on which a value depends through sums of them alone: windows of what is computed.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"

#include <memory>

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

/// The sums of a kernel's values.
class AxisSums {
public:
  AxisSums(kernel::KernelOp kernel, const kernel::AxisSets &sets) : kernel(kernel), sets(sets) {}

  /// The sums of two axes and more that the op's value is a function of, beside axes by themselves:
  /// a convolution that a pooling reads at `2 * h + r` is one of that sum. None has an axis that is
  /// reduced on the way to the value.
  llvm::SmallVector<AxisSum> find(mlir::Operation *op);

private:
  /// What the index expressions of an op say of each axis.
  struct Factors {
    llvm::SmallVector<llvm::SmallVector<int64_t>, 2> rows; ///< of each expression, by axis
    llvm::SmallBitVector opaque; ///< axes that stand in another way in one
  };
  const Factors &getFactors(mlir::Operation *op);

  kernel::KernelOp kernel;
  const kernel::AxisSets &sets;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Factors>> factors;
};

/// The sums of one value.
inline llvm::SmallVector<AxisSum> findAxisSums(kernel::KernelOp kernel,
                                               const kernel::AxisSets &sets, mlir::Operation *op) {
  return AxisSums(kernel, sets).find(op);
}

/// Points of the axes, those of a sum of findAxisSums counted once for each value that the sum has.
double countPoints(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                   const llvm::SmallBitVector &axes, llvm::ArrayRef<AxisSum> sums);

} // namespace tw::schedule
