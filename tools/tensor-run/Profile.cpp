// The time of each kernel over many runs, and what it would be at the machine's limits.
#include "Profile.h"

#include <algorithm>
#include <chrono>
#include <tuple>

using namespace tw::run;
using Clock = std::chrono::steady_clock;

uint64_t tw::run::medianOf(const std::vector<uint64_t> &sorted) {
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// Cycles a nanosecond of this core as it runs now: of a chain of operations of one cycle each.
static double measureClock() {
  constexpr unsigned trials = 5, rounds = 100000, chain = 8;
  double best = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    uint64_t value = trial, other = trial + 1;
    Clock::time_point start = Clock::now();
    for (unsigned i = 0; i < rounds; ++i)
      for (unsigned j = 0; j < chain; ++j) {
        value ^= other;
        // The compiler knows neither, so that each step waits for the one before.
        asm volatile("" : "+r"(value), "+r"(other));
      }
    double time = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    best = std::max(best, double(rounds * chain) / time);
  }
  return best;
}

Profile::Profile(Session &session) : session(session) {
  size_t count = 0;
  (void)twrtCallSetTimed(session.call(), 1, nullptr);
  if (twrtCallProfile(session.call(), nullptr, &count, nullptr) == TWRT_OK) {
    samples.resize(count);
    times.resize(count);
  }
}

void Profile::add() {
  size_t count = samples.size();
  if (twrtCallProfile(session.call(), samples.data(), &count, nullptr) != TWRT_OK)
    return;
  for (size_t i = 0; i < samples.size(); ++i)
    times[i].push_back(samples[i].endNs - samples[i].beginNs);
}

std::vector<KernelTime> Profile::finish() {
  std::map<uint32_t, KernelTime> kernels;
  for (size_t i = 0; i < samples.size() && !times[i].empty(); ++i) {
    KernelTime &kernel = kernels[samples[i].kernel];
    // Those of loops run as often as the last run had iterations.
    uint64_t runs = twrtCallLaunchRuns(session.call(), i);
    kernel.launches += runs;
    std::sort(times[i].begin(), times[i].end());
    kernel.nanoseconds += medianOf(times[i]);
    kernel.flops += samples[i].flops * runs;
    kernel.bytes += samples[i].bytes * runs;
    TwrtString text = twrtCallLaunchNode(session.call(), i);
    std::string node(text.data, text.size);
    if (!node.empty() &&
        std::find(kernel.nodes.begin(), kernel.nodes.end(), node) == kernel.nodes.end())
      kernel.nodes.push_back(std::move(node));
  }
  // Rates are known of the cores of the host alone.
  double cyclesPerNs = session.isHost() ? measureClock() * double(session.threadCount()) : 0;
  std::vector<KernelTime> sorted;
  for (auto &[index, kernel] : kernels) {
    TwrtString name = twrtModuleKernelName(session.module(), index);
    kernel.name.assign(name.data, name.size);
    double least = double(kernel.launches * twrtModuleKernelLeastCycles(session.module(), index));
    if (cyclesPerNs > 0 && kernel.nanoseconds && kernel.isCounted())
      kernel.limitShare = least / cyclesPerNs / double(kernel.nanoseconds);
    sorted.push_back(std::move(kernel));
  }
  std::sort(sorted.begin(), sorted.end(), [](const KernelTime &a, const KernelTime &b) {
    return std::tie(b.nanoseconds, a.name) < std::tie(a.nanoseconds, b.name);
  });
  return sorted;
}
