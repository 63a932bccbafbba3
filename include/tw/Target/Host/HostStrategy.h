// The default schedule of any kernel on a host CPU.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Target/Host/HostTraits.h"

#include <algorithm>

namespace tw::schedule {

/// What a kernel is expected to take on one core, in cycles: its arithmetic, and moving its data
/// through each level of memory. They overlap, so the largest is the limit.
struct HostEstimate {
  double compute = 0, l1 = 0, l2 = 0, memory = 0;
  /// What overlaps with nothing: packing, starts of loops, launches.
  double overhead = 0;
  /// Vector registers that the innermost loop holds.
  int64_t registers = 0;

  double cycles() const { return std::max({compute, l1, l2, memory}) + overhead; }
};

/// A schedule that a strategy proposes.
struct HostCandidate {
  llvm::StringRef strategy;
  kernel::ScheduleAttr schedule;
  HostEstimate estimate;
};

/// The legal schedules that the first strategy of the kernel's class proposes, best first; with
/// `exactOnly` those alone that leave the order of every sum as the kernel has it.
llvm::SmallVector<HostCandidate>
proposeHostSchedules(kernel::KernelOp kernel, const HostTraits &traits, bool exactOnly = false);

/// The best of them: a readable schedule for any kernel. Every choice is in the list it returns.
kernel::ScheduleAttr makeHostSchedule(kernel::KernelOp kernel, const HostTraits &traits,
                                      bool exactOnly = false);

/// Vector registers that the innermost loop of a reduction holds under the kernel's schedule, which
/// is legal: its partial results and one row of its operands. The most of all reductions; 0 if no
/// loop carries partial results or there is no schedule.
int64_t countRegisters(kernel::KernelOp kernel, const HostTraits &traits);

/// Cycles of the kernel under its schedule, whoever wrote it, by counting the loops of its plan and
/// what they leave in the caches. Strategies know more of what they choose from: the two are not to
/// be compared by a few per cent. Registers over the budget cost a store and a load in each step;
/// `skip` leaves nothing out here. All zero if the schedule is illegal.
HostEstimate estimateSchedule(kernel::KernelOp kernel, const HostTraits &traits);

/// Makes the strategy known as "host".
void registerHostStrategy();

} // namespace tw::schedule
