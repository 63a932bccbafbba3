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

void Report::add(const ptx::Program &program, const ptx::Kernel &kernel,
                 const ptx::Outcome &outcome, const std::vector<ptx::Counters> &counters,
                 double seconds) {
  Kernel &to = kernels[kernel.name];
  ++to.launches;
  to.operations += outcome.operations;
  to.laneOperations += outcome.laneOperations;
  to.seconds += seconds;
  for (size_t i = 0; i < counters.size(); ++i) {
    const ptx::Counters &from = counters[i];
    if (!from.phases && !from.sectors)
      continue;
    uint32_t number = kernel.ops[i].line;
    auto [found, isNew] = to.lines.try_emplace(number);
    if (isNew)
      found->second = {number, std::string(program.line(number)), {}};
    ptx::Counters &sum = found->second.counters;
    sum.executions += from.executions;
    sum.lanes += from.lanes;
    sum.phases += from.phases;
    sum.conflicts += from.conflicts;
    sum.sectors += from.sectors;
    sum.least += from.least;
  }
}

Report::~Report() {
  FILE *file = path && !kernels.empty() ? fopen(path, "w") : nullptr;
  if (!file)
    return;
  fprintf(file, "emulated: counts of the emulator, no times of a GPU\n");
  for (const auto &[name, kernel] : kernels) {
    ptx::Counters sum;
    for (const auto &[number, line] : kernel.lines) {
      sum.phases += line.counters.phases;
      sum.conflicts += line.counters.conflicts;
      sum.sectors += line.counters.sectors;
      sum.least += line.counters.least;
    }
    fprintf(file,
            "%s: launches %llu, operations %llu of warps, %llu of lanes, emulated at %.0f M/s\n",
            name.c_str(), (unsigned long long)kernel.launches,
            (unsigned long long)kernel.operations, (unsigned long long)kernel.laneOperations,
            double(kernel.laneOperations) / 1e6 / (kernel.seconds > 0 ? kernel.seconds : 1));
    fprintf(file, "  local memory: phases %llu, bank conflicts %llu\n",
            (unsigned long long)sum.phases, (unsigned long long)sum.conflicts);
    fprintf(file, "  global memory: sectors %llu, least %llu\n", (unsigned long long)sum.sectors,
            (unsigned long long)sum.least);
    for (const auto &[number, line] : kernel.lines)
      if (line.counters.conflicts || line.counters.sectors > line.counters.least)
        fprintf(file, "  line %u: conflicts %llu of %llu phases, sectors %llu for %llu: %s\n",
                number, (unsigned long long)line.counters.conflicts,
                (unsigned long long)line.counters.phases, (unsigned long long)line.counters.sectors,
                (unsigned long long)line.counters.least, line.text.c_str());
  }
  fclose(file);
}
