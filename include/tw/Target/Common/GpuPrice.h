// The price of a schedule on a device that runs groups of threads.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Target/Common/GpuMachine.h"

#include <array>
#include <optional>

namespace tw::schedule {

/// Cycles of a device for a kernel under a schedule, from the loops that it becomes: of the
/// processor that has most to do, its arithmetic, its matrix units, the banks of its local memory,
/// and its programs one after another that wait for what they need; of all of them together, the
/// cache that they share and memory; and the launch.
struct GpuPrice {
  double core = 0, matrix = 0, local = 0, waits = 0, cache = 0, memory = 0, launches = 0;
  /// The share of `cache` of bytes that come with others and that nobody uses.
  double unused = 0;
  /// Programs that a processor has room for at once, and registers of a thread, about.
  int64_t resident = 0, registers = 0;
  /// Of several kernels those of the one that has fewest.
  int64_t programs = 0;

  std::array<std::pair<llvm::StringLiteral, double>, 7> getTerms() const {
    return {{{"core", core},
             {"matrix", matrix},
             {"local", local},
             {"waits", waits},
             {"L2", cache},
             {"memory", memory},
             {"launches", launches}}};
  }

  /// The longest, and a tenth of the others.
  double cycles() const;

  GpuPrice &operator+=(const GpuPrice &other);
};

/// The price of the kernel under a list, and of those that the list makes, whose own lists `choose`
/// gives. None if the list is illegal, if a processor has no room for a program, or if nobody knows
/// the device's numbers.
std::optional<GpuPrice>
priceGroups(kernel::KernelOp kernel, kernel::ScheduleAttr list, const GpuMachine &machine,
            llvm::function_ref<kernel::ScheduleAttr(kernel::KernelOp)> choose);

/// Cycles that no schedule of the kernel goes below: each value computed once at each of its own
/// points by all threads, each tensor moved once.
double getLeastCycles(kernel::KernelOp kernel, const GpuMachine &machine);

} // namespace tw::schedule
