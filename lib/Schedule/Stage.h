// The buffers of values in local memory.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// More elements than any memory holds: where counts stop.
inline constexpr int64_t kMostElements = int64_t(1) << 40;

/// Fills in the dimensions and strides of `plan.staged`, whose ops and loops are known. Fails, with
/// the reason in `why`, where a value cannot be staged or the buffers are too large.
mlir::LogicalResult placeStagedValues(kernel::KernelOp kernel, Plan &plan, std::string &why);

} // namespace tw::schedule
