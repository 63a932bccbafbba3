// The table of counters. Its figures are the emulator's; they say nothing of a GPU's time.
#include "Report.h"

#include <cstdio>
#include <cstdlib>

using namespace tw::emulator;

Report::Report() : path(getenv("TW_EMULATOR_REPORT")) {}

Report &Report::instance() {
  static Report made;
  return made;
}

void Report::add(const std::string &kernel, uint64_t operations, uint64_t laneOperations,
                 double seconds) {
  Kernel &to = kernels[kernel];
  ++to.launches;
  to.operations += operations;
  to.laneOperations += laneOperations;
  to.seconds += seconds;
}

void Report::addLine(const std::string &kernel, uint32_t number, std::string_view text, bool again,
                     const Counters &counters) {
  auto [found, isNew] = kernels[kernel].lines.try_emplace(number);
  if (isNew)
    found->second.text = text;
  found->second.again |= again;
  found->second.counters.add(counters);
}

Report::~Report() {
  FILE *file = path && !kernels.empty() ? fopen(path, "w") : nullptr;
  if (!file)
    return;
  fprintf(file, "emulated: counts of the emulator, no times of a GPU\n");
  for (const auto &[name, kernel] : kernels) {
    Counters sum, loops;
    for (const auto &[number, line] : kernel.lines) {
      sum.add(line.counters);
      if (line.again)
        loops.add(line.counters);
    }
    fprintf(file,
            "%s: launches %llu, operations %llu of warps, %llu of lanes, emulated at %.0f M/s\n",
            name.c_str(), (unsigned long long)kernel.launches,
            (unsigned long long)kernel.operations, (unsigned long long)kernel.laneOperations,
            double(kernel.laneOperations) / 1e6 / (kernel.seconds > 0 ? kernel.seconds : 1));
    fprintf(file, "  local memory: phases %llu, bank conflicts %llu; in loops %llu, %llu\n",
            (unsigned long long)sum.phases, (unsigned long long)sum.conflicts,
            (unsigned long long)loops.phases, (unsigned long long)loops.conflicts);
    fprintf(file, "  global memory: sectors %llu, least %llu; in loops %llu, %llu\n",
            (unsigned long long)sum.sectors, (unsigned long long)sum.least,
            (unsigned long long)loops.sectors, (unsigned long long)loops.least);
    for (const auto &[number, line] : kernel.lines)
      if (line.counters.conflicts || line.counters.sectors > line.counters.least)
        fprintf(file,
                "  line %u: %sexecuted %llu times, conflicts %llu in %llu phases, sectors %llu for "
                "%llu: %s\n",
                number, line.again ? "in a loop, " : "",
                (unsigned long long)line.counters.executions,
                (unsigned long long)line.counters.conflicts,
                (unsigned long long)line.counters.phases, (unsigned long long)line.counters.sectors,
                (unsigned long long)line.counters.least, line.text.c_str());
  }
  fclose(file);
}
