// Summing in parts what a maximum leads: what `rfactor` is of the sums of a softmax.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"

namespace tw::kernel {

/// A maximum over an axis and all that is summed over it: what a part gives under its own maximum
/// is that under the largest one but for a factor.
struct LedSums {
  struct Sum {
    mlir::Operation *op;
    bool isScaled; ///< by exp(-d), where the maximum grows by d
  };
  ReduceOp lead;
  llvm::SmallVector<Sum> sums;
  /// The exponential of the maximum's summands less the maximum.
  mlir::Operation *exponential = nullptr;
};

/// The sums, where `op` is one that depends on a maximum over the axis as a part of the axis can be
/// summed by itself, and nothing else is reduced over the axis.
std::optional<LedSums> findLedSums(KernelOp kernel, mlir::Operation *op, unsigned axis);

/// Creates, before `kernel`, one with the maxima and the sums of every part of the axis, each under
/// the part's maximum. `kernel` takes the largest one and combines. Parts divide the axis. Returns
/// the kernel of the parts.
KernelOp factorLed(KernelOp kernel, const LedSums &led, unsigned axis, RfactorAttr primitive);

} // namespace tw::kernel
