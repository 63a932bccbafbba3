// Whether a program has room on a device, as its code will say.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Target/Common/GpuMachine.h"

namespace tw::schedule {

/// Whether the kernel, whose sizes are fixed, becomes under the list a program with no more local
/// memory than a group of the device has: staged values and what threads exchange, counted by the
/// passes that place them. Of a list that makes kernels, true: those get lists of their own.
bool fitsLocalMemory(kernel::KernelOp kernel, kernel::ScheduleAttr list, const GpuMachine &machine);

} // namespace tw::schedule
