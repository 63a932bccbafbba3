// The time of each kernel over many runs.
#pragma once

#include "Benchmark.h"

namespace tw::run {

/// The middle of the sorted times, or between the two in the middle.
uint64_t medianOf(const std::vector<uint64_t> &sorted);

class Profile {
public:
  /// From here on the session's runs are timed.
  explicit Profile(Session &session);

  /// Takes the times of the last run.
  void add();
  /// Slowest first.
  std::vector<KernelTime> finish();

private:
  Session &session;
  std::vector<TwrtSample> samples;
  /// By launch, those of each run.
  std::vector<std::vector<uint64_t>> times;
};

} // namespace tw::run
