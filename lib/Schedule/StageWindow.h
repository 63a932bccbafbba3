// The part of a tensor that is in local memory.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Fills in the window, and the groups, of a staged load whose leaves are known: the part of its
/// tensor that is read while they run. Fails, with the reason in `why`, where it has none.
mlir::LogicalResult findWindow(const Plan &plan, StagedValue &staged, std::string &why);

/// The same of a value that is computed: the dimensions of its box, and how it is filled.
mlir::LogicalResult findBox(kernel::KernelOp kernel, const kernel::AxisSets &sets, Plan &plan,
                            StagedValue &staged, std::string &why);

} // namespace tw::schedule
