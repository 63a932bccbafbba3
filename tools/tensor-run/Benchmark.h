// Repeated runs and the time of each kernel.
#pragma once

#include "Session.h"

namespace tw::run {

/// Times in nanoseconds; the spread is the distance between the quartiles.
struct Benchmark {
  uint64_t runs = 0, min = 0, median = 0, spread = 0;
};

/// One run to warm up, then `runs` runs, or as many as take a second (at least 5).
bool runBenchmark(Session &session, uint64_t runs, Progress &progress, Benchmark &benchmark);

struct KernelTime {
  std::string name;
  uint64_t launches = 0, nanoseconds = 0, flops = 0, bytes = 0;
};

/// Of the last run, slowest first.
std::vector<KernelTime> profileKernels(Session &session);

} // namespace tw::run
