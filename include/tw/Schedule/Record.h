// What scheduling did to a kernel, as kernel-schedule leaves it on the kernel where it is asked to.
#pragma once

#include "tw/Schedule/Strategy.h"

#include <optional>

namespace tw::schedule {

/// The discardable attribute of a kernel that holds it.
inline constexpr llvm::StringLiteral recordAttrName = "record";

struct Record {
  /// What a file of schedules calls the kernel of the program: "gemm (m 64, n 128, k 32)".
  std::string kernel;
  /// Schedules made this one for that one.
  bool made = false;
  /// The program or a file gave the schedule.
  bool byHand = false;
  /// The whole list, as it was before it rewrote the kernel and made others.
  kernel::ScheduleAttr schedule;
  /// What the strategy proposed, best first. Names of values are on the values.
  llvm::SmallVector<Candidate> candidates;
};

/// "gemm (m 64, n 128, k 32)": the hint and the axes.
std::string getFullName(kernel::KernelOp kernel);

void setRecord(kernel::KernelOp kernel, const Record &record);

/// Nothing where there is no record, or where text has another one.
std::optional<Record> getRecord(kernel::KernelOp kernel);

} // namespace tw::schedule
