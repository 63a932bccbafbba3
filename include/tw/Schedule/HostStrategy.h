// The default schedule of any kernel on a host CPU.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// What the strategy needs to know of a CPU.
struct HostTraits {
  /// Vector lanes of 32 bits in a register: 16 with AVX-512, 8 with AVX2, 4 with NEON.
  int64_t lanes = 16;
  /// Vector registers: 32 with AVX-512 and NEON, 16 with AVX2.
  int64_t registers = 32;
};

/// A readable schedule for any kernel: the axis that stores (or, for reductions to few elements,
/// loads) run along contiguously becomes vector lanes, a second parallel axis becomes rows of the
/// register tile where operands are reused along it, the other parallel axes become the grid, what
/// is left becomes loops in the kernel's order. Every choice is in the list it returns.
kernel::ScheduleAttr makeHostSchedule(kernel::KernelOp kernel, const HostTraits &traits);

} // namespace tw::schedule
