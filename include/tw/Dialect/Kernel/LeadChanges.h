// Sums that are corrected where the maximum or the mean that they depend on changes.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"

namespace tw::kernel {

/// What becomes of a value when the lead grows by d.
enum class Change {
  None,      ///< it stays
  Decreases, ///< it is x - lead
  Scales,    ///< it is multiplied by exp(-d)
  Squares,   ///< it is (x - mean)^2
  Unknown
};

/// Whether the reduction is the largest of floats.
bool isMaximum(ReduceOp reduce);

/// How values of a kernel depend on a reduction over an axis, the lead: a maximum, or a sum of
/// which `mean` makes the mean.
class LeadChanges {
public:
  LeadChanges(const AxisSets &sets, ReduceOp lead, mlir::Operation *mean, unsigned axis)
      : sets(sets), lead(lead), mean(mean), axis(axis) {}

  Change get(mlir::Value value);
  /// Of what a sum or a contraction adds; unknown for other reductions.
  Change getOfSummands(mlir::Operation *root);

private:
  Change compute(mlir::Value value);
  Change getSummand(mlir::Value value);
  Change getProduct(mlir::Value a, mlir::Value b);

  const AxisSets &sets;
  ReduceOp lead;
  mlir::Operation *mean;
  unsigned axis;
  llvm::DenseMap<mlir::Value, Change> known;
};

} // namespace tw::kernel
