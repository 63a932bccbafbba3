// The primitive that computes a reduction in parts, at the head of a schedule.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// The primitive at the head of the schedule, which merges have left; null if there is another.
kernel::RfactorAttr getRfactor(kernel::ScheduleAttr schedule);

/// Applies it to the kernel, which has no schedule then, and returns the kernel of partial results
/// with the rest of the schedule; without one if nothing is left. `why` receives the reason when
/// it is illegal; the kernel is then as before.
mlir::FailureOr<kernel::KernelOp> applyRfactor(kernel::KernelOp kernel, std::string &why);

} // namespace tw::schedule
