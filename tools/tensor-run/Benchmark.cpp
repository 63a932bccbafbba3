// Repeated runs and the time of each kernel.
#include "Benchmark.h"

#include <algorithm>

using namespace tw::run;

bool tw::run::runBenchmark(Session &session, uint64_t runs, Progress &progress,
                           Benchmark &benchmark) {
  constexpr uint64_t budget = 1000000000, leastRuns = 5, mostRuns = 100000;
  std::vector<uint64_t> times;
  uint64_t time = 0, sum = 0;
  progress.set("warming up");
  if (!session.run(time))
    return false;
  while (runs ? times.size() < runs
              : times.size() < leastRuns || (sum < budget && times.size() < mostRuns)) {
    progress.set("measuring", uint32_t(times.size()), uint32_t(runs));
    if (!session.run(time))
      return false;
    times.push_back(time);
    sum += time;
  }
  progress.clear();
  std::sort(times.begin(), times.end());
  size_t count = times.size();
  benchmark.runs = count;
  benchmark.min = times[0];
  benchmark.median = count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
  benchmark.spread = times[count * 3 / 4] - times[count / 4];
  return true;
}

std::vector<KernelTime> tw::run::profileKernels(Session &session) {
  size_t count = 0;
  if (twrtCallProfile(session.call(), nullptr, &count, nullptr) != TWRT_OK)
    return {};
  std::vector<TwrtSample> samples(count);
  twrtCallProfile(session.call(), samples.data(), &count, nullptr);
  std::map<uint32_t, KernelTime> kernels;
  for (const TwrtSample &sample : samples) {
    KernelTime &kernel = kernels[sample.kernel];
    TwrtString name = twrtModuleKernelName(session.module(), sample.kernel);
    kernel.name.assign(name.data, name.size);
    ++kernel.launches;
    kernel.nanoseconds += sample.endNs - sample.beginNs;
    kernel.flops += sample.flops;
    kernel.bytes += sample.bytes;
  }
  std::vector<KernelTime> sorted;
  for (auto &[index, kernel] : kernels)
    sorted.push_back(kernel);
  std::sort(sorted.begin(), sorted.end(),
            [](const KernelTime &a, const KernelTime &b) { return a.nanoseconds > b.nanoseconds; });
  return sorted;
}
