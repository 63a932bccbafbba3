// edge .. pad: whole tiles to the end of an axis, over panels that are as long.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Makes the reduced axes that the kernel's schedule pads as long as their tiles reach, and lets
/// what is staged along them give the neutral elements of the reductions beyond; drops the
/// primitives. `why` receives the reason when that could change results.
mlir::LogicalResult padReducedAxes(kernel::KernelOp kernel, std::string &why);

/// Whether what reductions read along the other padded axes is in panels that are as long as the
/// tiles; else `why` says what is not.
mlir::LogicalResult checkPadded(kernel::KernelOp kernel, const Plan &plan, std::string &why);

} // namespace tw::schedule
