// Whether a program has room on a device, as its code will say.
#pragma once

#include "tw/Schedule/Strategy.h"
#include "tw/Target/Common/GpuMachine.h"

namespace tw::schedule {

/// What a program of the kernel, whose sizes are fixed, needs under the list that a group of the
/// device does not have: threads, or local memory for staged values and what threads exchange,
/// counted by the passes that place them for the chip ("cuda:sm_80"; empty: any). Fails where the
/// list does not become a program. Of a list that makes kernels nothing: those get lists of their
/// own.
mlir::FailureOr<std::optional<Shortage>> findShortage(kernel::KernelOp kernel,
                                                      kernel::ScheduleAttr list,
                                                      const GpuMachine &machine,
                                                      llvm::StringRef chip);

} // namespace tw::schedule
