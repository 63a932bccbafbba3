// What can be said of a plan once all primitives are applied.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Checks the roles of the plan's leaves against what the kernel computes, and completes the plan:
/// peeled axes, the reductions of an online loop, staged values and distances of prefetches. The
/// reason in `why` if it is illegal.
mlir::LogicalResult finishPlan(kernel::KernelOp kernel, Plan &plan, std::string &why);

} // namespace tw::schedule
