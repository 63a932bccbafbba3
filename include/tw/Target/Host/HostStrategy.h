// The default schedule of any kernel on a host CPU.
#pragma once

#include "tw/Schedule/Strategy.h"
#include "tw/Target/Host/HostTraits.h"

#include <algorithm>
#include <array>

namespace tw::schedule {

/// Cycles of one core for a kernel under its schedule, from the loops that it becomes: in the core
/// with all data in the first cache, finding pages, and moving data from each level beyond it.
struct HostPrice {
  double core = 0, pages = 0, waits = 0, l2 = 0, l3 = 0, memory = 0;

  /// Each with its name.
  std::array<std::pair<llvm::StringLiteral, double>, 6> getTerms() const {
    return {{{"core", core},
             {"pages", pages},
             {"waits", waits},
             {"L2", l2},
             {"L3", l3},
             {"memory", memory}}};
  }

  /// The longest, and a tenth of the others: what they overlap lies between all (the roofline) and
  /// nothing (the ECM model; Treibig and Hager, PPAM 2009).
  double cycles() const;

  HostPrice &operator+=(const HostPrice &other);
};

/// A schedule that a strategy proposes.
struct HostCandidate {
  llvm::StringRef strategy;
  kernel::ScheduleAttr schedule;
  /// Of the kernel, and of those that the schedule makes of others than constants.
  HostPrice price = {};
  double cycles = 0;
  /// Kernels that run in each call: this one, and those that the schedule makes.
  unsigned launches = 0;
  /// Of the values that the list speaks of.
  llvm::SmallVector<ValueName> names = {};
  /// Whether the strategy proposes lists for any kernel, and knows little of this one.
  bool isForAny = false;
};

/// The legal schedules that strategies propose, cheapest first; with `exactOnly` those alone that
/// leave the order of every sum as the kernel has it. Where all of them are far from what the
/// machine could do, also what a search of so many states finds.
llvm::SmallVector<HostCandidate> proposeHostSchedules(kernel::KernelOp kernel,
                                                      const HostTraits &traits,
                                                      bool exactOnly = false,
                                                      unsigned searchStates = 0);

/// Whether the price of this kernel alone tells whether to take a list: it tells neither what
/// programs that all store the same make each other wait for, nor what the next kernel waits for
/// when results that caches hold are stored past them.
bool mayPropose(kernel::KernelOp kernel, kernel::ScheduleAttr list, const HostTraits &traits);

/// The best of them without a search: a readable schedule for any kernel, whose values get the
/// names that it speaks of. Every choice is in the list it returns.
/// With `alone` one that makes no kernels, if there is such.
kernel::ScheduleAttr makeHostSchedule(kernel::KernelOp kernel, const HostTraits &traits,
                                      bool alone = false);

/// Vector registers that the innermost loop of a reduction holds under the kernel's schedule, which
/// is legal: its partial results and one row of its operands. The most of all reductions; 0 if no
/// loop carries partial results or there is no schedule.
int64_t countRegisters(kernel::KernelOp kernel, const HostTraits &traits);

/// The prices of the kernel under its schedule, whoever wrote it, and before it of the kernels that
/// the schedule makes; nothing for those that are made of constants alone, once for all calls. None
/// if the schedule is illegal.
llvm::SmallVector<HostPrice> priceSchedule(kernel::KernelOp kernel, const HostTraits &traits);

/// What threads wait for each other between so many launches, which no price of a kernel tells: at
/// the end of each but the last for as long as they take to begin, and for one kernel more what
/// prices cannot tell apart.
double getWaits(unsigned launches, double cycles, const HostTraits &traits);

/// What no schedule of the kernel is faster than, in cycles of all threads together: each value
/// computed once at each of its own points with all lanes in use, each tensor moved once from where
/// it lies. Most kernels have schedules that come near.
double getLeastCycles(kernel::KernelOp kernel, const HostTraits &traits);

/// Makes the strategy known as "host".
void registerHostStrategy();

} // namespace tw::schedule
