// Schedules under test: compiling and running them in batches, and comparing what they give.
#pragma once

#include "Program.h"

namespace tw::fuzz {

/// A schedule and what became of it.
struct Trial {
  kernel::ScheduleAttr schedule;
  /// As `schedule::Drawn` says.
  llvm::SmallVector<std::pair<llvm::StringRef, bool>> admits;
  bool exact = false;
  /// It would take long to compile, and is left out.
  bool tooLarge = false;
  /// What is wrong; empty: nothing. What the checks let through must lower, compile and run.
  std::string wrong;
};

/// Compiles all trials of a program as one module, runs each, and compares.
void runTrials(Program &program, std::vector<Trial> &trials, const Settings &settings,
               Random &random);

/// The fewest primitives of the trial that are legal and, by `isWrong`, still wrong.
kernel::ScheduleAttr reduceTrial(Program &program, const Trial &trial,
                                 llvm::function_ref<bool(Trial)> isWrong);

/// A schedule as text.
std::string toText(kernel::ScheduleAttr schedule);

} // namespace tw::fuzz
