// Repeated runs and the time of each kernel.
#pragma once

#include "Session.h"

namespace tw::run {

/// Times in nanoseconds; the spread is the distance between the quartiles.
struct Benchmark {
  uint64_t runs = 0, min = 0, median = 0, spread = 0;
};

struct KernelTime {
  std::string name;
  /// Of the model that its launches come from, each once, in their order.
  std::vector<std::string> nodes;
  /// The sum over its launches of the median of each.
  uint64_t launches = 0, nanoseconds = 0, flops = 0, bytes = 0;
  /// The time that the machine's cores would take at their peak rates, as a part of this; 0: nobody
  /// knows.
  double limitShare = 0;

  /// Whether the compiler knew the sizes, and so what a launch computes and moves.
  bool isCounted() const { return flops + bytes > 0; }
};

/// One run to warm up, then `runs` runs, or as many as take a second (at least 5). The kernels'
/// times are those of the same runs, slowest first: noting them takes time on a device, so that who
/// asks for both has it run twice.
bool runBenchmark(Session &session, uint64_t runs, Progress &progress, Benchmark &benchmark,
                  std::vector<KernelTime> *profile);

} // namespace tw::run
