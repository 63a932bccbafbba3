// Axes that make loads equal become one.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace tw::kernel {

/// Makes axes one where that is legal, makes loads equal and leaves an order of loops that serves
/// all roots (AxisGraph.h): as registers are coalesced, with equal loads as affinities, the
/// heaviest first. With `sumsApart` axes that products sum over stay as they are. Returns whether
/// it did; the kernel is then clean.
bool coalesceAxes(KernelOp kernel, const mlir::FrozenRewritePatternSet &patterns,
                  bool sumsApart = false);

} // namespace tw::kernel
