// Random schedules for a kernel.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include <random>

namespace tw::fuzz {

using Random = std::mt19937_64;

/// What was drawn, and what was refused on the way.
struct Drawn {
  kernel::ScheduleAttr schedule;
  /// Lists of primitives that were refused with a reason.
  unsigned refused = 0;
  /// Refused without a reason: a defect.
  unsigned silent = 0;
  /// Keywords of primitives that few kernels admit, and whether this one does in some schedule.
  llvm::SmallVector<std::pair<llvm::StringRef, bool>> admits = {};
};

/// A legal schedule of up to `depth` primitives. Every op of the kernel must have a name. Draws
/// that are refused are dropped; some are drawn to be.
Drawn drawSchedule(kernel::KernelOp kernel, Random &random, unsigned depth);

/// Whether the schedule leaves every sum in the order of the unscheduled kernel.
bool isExact(kernel::KernelOp kernel, kernel::ScheduleAttr schedule);

} // namespace tw::fuzz
