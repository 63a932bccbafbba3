// How measured numbers are met on a machine that does other work too.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace tw::host::measure {

/// One run of a loop, and of a chain of known length right before and after it.
struct Sample {
  double seconds;
  double secondsOfCycleBefore, secondsOfCycleAfter;
};

/// The cycles of the run that took the fewest. Runs around which a cycle's length changed by more
/// than 2 % do not count; none if no run is left.
std::optional<double> getLeastCycles(llvm::ArrayRef<Sample> samples);

/// What rounds measured of one number: the mean of the two that lie closest, which must agree
/// within 5 %.
std::optional<double> settle(llvm::ArrayRef<double> rounds);

/// Whether a number is within a factor of two of what the table of CPUs has.
bool isPlausible(double measured, double expected);

/// Rates of ports are so many units times a quarter, half or whole register: the nearest quarter
/// of one, where that is at most a twentieth away.
double toQuarters(double rate);

/// The place of the step in cycles that grow with what is listed beside them: the last entry before
/// the first one that reaches `limit`. None if the first or no entry reaches it.
struct Growth {
  double size, cycles;
};
std::optional<double> findStep(llvm::ArrayRef<Growth> growth, double limit);

} // namespace tw::host::measure
