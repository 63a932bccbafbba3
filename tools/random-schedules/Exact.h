// Which schedules give the results of the kernel without one, bit for bit.
#pragma once

#include "tw/Schedule/Drawing.h"

namespace tw::fuzz {

using schedule::Random;

/// Whether the schedule leaves every sum in the order of the unscheduled kernel.
bool isExact(kernel::KernelOp kernel, kernel::ScheduleAttr schedule);

} // namespace tw::fuzz
