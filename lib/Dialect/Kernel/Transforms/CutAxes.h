// Pieces of results: axes are cut where something else is stored from a point on.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace tw::kernel {

/// Cuts the axes of stores where comparisons of one of them with constants, and guards and bounds of
/// loads, change what is stored: `select(%j < 64, a, b)` becomes two stores of 64 and the other
/// points. Stores of what is reduced or scanned stay. Returns whether there was a cut.
bool cutAxes(KernelOp kernel, const mlir::FrozenRewritePatternSet &patterns);

} // namespace tw::kernel
