// Lists for attention by matrix units.
#pragma once

#include "GpuSchedule.h"

namespace tw::schedule {

/// Two contractions of 16-bit operands in one sweep over what the second one sums, with the first
/// one's results in registers. Null for all other kernels.
kernel::ScheduleAttr writeGpuAttention(kernel::KernelOp kernel, const GpuSizes &sizes);

} // namespace tw::schedule
