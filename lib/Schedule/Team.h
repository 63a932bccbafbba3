// Loops that the threads of a launch share.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Puts the axes of `team` in the order of their loops, if threads may share these; else `why` says
/// what is in the way.
mlir::LogicalResult placeTeam(kernel::KernelOp kernel, Plan &plan, std::string &why);

} // namespace tw::schedule
