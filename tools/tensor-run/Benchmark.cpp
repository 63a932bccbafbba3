// Repeated runs.
#include "Benchmark.h"
#include "Profile.h"

#include <algorithm>
#include <optional>

using namespace tw::run;

bool tw::run::runBenchmark(Session &session, uint64_t runs, Progress &progress,
                           Benchmark &benchmark, std::vector<KernelTime> *profile) {
  constexpr uint64_t budget = 1000000000, leastRuns = 5;
  // Times of kernels are kept for each run.
  const uint64_t mostRuns = profile ? 1000 : 100000;
  std::vector<uint64_t> times;
  uint64_t time = 0, sum = 0;
  progress.set("warming up");
  if (!session.run(time))
    return false;
  std::optional<Profile> kernels;
  if (profile)
    kernels.emplace(session);
  while (runs ? times.size() < runs
              : times.size() < leastRuns || (sum < budget && times.size() < mostRuns)) {
    progress.set("measuring", uint32_t(times.size()), uint32_t(runs));
    if (!session.run(time))
      return false;
    times.push_back(time);
    sum += time;
    if (kernels)
      kernels->add();
  }
  progress.clear();
  std::sort(times.begin(), times.end());
  size_t count = times.size();
  benchmark.runs = count;
  benchmark.min = times[0];
  benchmark.median = medianOf(times);
  benchmark.spread = times[count * 3 / 4] - times[count / 4];
  if (kernels)
    *profile = kernels->finish();
  return true;
}
