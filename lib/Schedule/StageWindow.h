// The part of a tensor that is in local memory.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Fills in the window, and the groups, of a staged load whose leaves are known: the part of its
/// tensor that is read while they run. Fails, with the reason in `why`, where it has none.
mlir::LogicalResult findWindow(const Plan &plan, StagedValue &staged, std::string &why);

} // namespace tw::schedule
