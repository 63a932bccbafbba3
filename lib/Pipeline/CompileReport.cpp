// Prints what a compilation came to.
#include "tw/Pipeline/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tw;

const CandidateReport *KernelReport::getChosen() const {
  for (const CandidateReport &candidate : candidates)
    if (candidate.chosen)
      return &candidate;
  return nullptr;
}

double KernelReport::getCycles() const {
  // What its candidate was priced at holds the kernels that it makes, which have rows of their own.
  return double(launches) * counted.cycles;
}

double TargetReport::getCycles() const {
  double sum = 0;
  for (const KernelReport &row : kernels)
    sum += row.getCycles();
  return sum;
}

std::vector<const KernelReport *> TargetReport::getSortedKernels() const {
  std::vector<const KernelReport *> sorted;
  for (const KernelReport &row : kernels)
    sorted.push_back(&row);
  // What takes as long stays in the order of the program.
  llvm::sort(sorted, [](const KernelReport *a, const KernelReport *b) {
    return std::pair(-a->getCycles(), a) < std::pair(-b->getCycles(), b);
  });
  return sorted;
}

static void printMemory(const schedule::MemoryRecord &record, llvm::raw_ostream &os) {
  double again = 0;
  for (const schedule::MemoryRecord::Entry &each : record.again)
    again += each.cycles;
  if (record.cycles > 0)
    os << llvm::formatv(
        "recompute    {0}: {1} kernels run again, {2:P} of the cycles; largest live set "
        "{3} bytes, {4} without\n",
        record.function, record.again.size(), again / record.cycles, record.after, record.before);
  for (const schedule::MemoryRecord::Entry &each : record.again)
    os << llvm::formatv("  again  {0}: {1} bytes, {2:F0} cycles\n", each.kernel, each.bytes,
                        each.cycles);
  if (record.keptValues == 0)
    return;
  os << llvm::formatv("kept         {0}: {1} values, {2} bytes of the {3} of the largest live set, "
                      "are read behind it{4}\n",
                      record.function, record.keptValues, record.keptBytes, record.after,
                      record.cycles > 0 ? "" : "; --option=memory=BYTES has some computed again");
  for (const schedule::MemoryRecord::Entry &each : record.kept)
    os << llvm::formatv("  kept   {0}: {1} bytes\n", each.kernel, each.bytes);
}

static void printTarget(const TargetReport &target, llvm::raw_ostream &os) {
  os << "target       " << target.target << "\n";
  os << "kernels      " << target.kernels.size() << " distinct, " << target.launches
     << " launches\n";
  double factor = target.liveBytes ? double(target.arenaBytes) / target.liveBytes : 1.0;
  os << llvm::formatv("arena        {0} bytes, largest live set {1} bytes ({2:F3} times)\n",
                      target.arenaBytes, target.liveBytes, factor);
  for (const schedule::MemoryRecord &record : target.memory)
    printMemory(record, os);
  if (target.leastBytes > 0)
    os << llvm::formatv("memory       {0} bytes moved in a call, at least {1} ({2:F2} times)\n",
                        target.movedBytes, target.leastBytes,
                        double(target.movedBytes) / double(target.leastBytes));
  if (target.initializerLaunches > 0)
    os << llvm::formatv("initializer  {0} launches, arena {1} bytes, {2} bytes derived\n",
                        target.initializerLaunches, target.initializerArenaBytes,
                        target.derivedBytes);
  for (const ArtefactReport &artefact : target.artefacts) {
    os << llvm::formatv("code         {0} bytes of {1}{2}{3}", artefact.bytes, artefact.format,
                        artefact.chip.empty() ? "" : " for ", artefact.chip);
    if (artefact.cachedKernels > 0)
      os << llvm::formatv(", {0} of {1} kernels kept from before", artefact.cachedKernels,
                          artefact.kernels);
    os << "\n";
  }
}

static void printKernels(const TargetReport &target, llvm::raw_ostream &os) {
  for (const KernelReport &row : target.kernels) {
    os << llvm::formatv("  {0}: {1}, {2}, {3}, {4}, {5}, [{6}], {7}{8}{9}\n", row.name,
                        row.launches, row.programs, row.flops, row.bytes, row.recompute, row.axes,
                        row.schedule, row.resources.empty() ? "" : ", ", row.resources);
    if (row.counts)
      os << llvm::formatv(
          "    spills {0}, {1} in innermost loops; guards {2} of {3} accesses, {4} in "
          "loops\n",
          row.counts->spills, row.counts->loopSpills, row.counts->guards, row.counts->accesses,
          row.counts->loopGuards);
  }
}

void CompileReport::print(llvm::raw_ostream &os) const {
  for (const TargetReport &target : targets)
    printTarget(target, os);
  os << llvm::formatv("constants    {0} bytes in the module, {1} bytes in files\n", embeddedBytes,
                      externalBytes);
  os << llvm::formatv("module       {0} bytes\n", moduleBytes);
  std::vector<std::pair<std::string, double>> times = milliseconds;
  for (const TargetReport &target : targets)
    for (auto &[stage, time] : target.milliseconds)
      times.push_back({targets.size() > 1 ? target.target + " " + stage : stage, time});
  times.push_back({"module", moduleMilliseconds});
  double sum = 0;
  for (auto &[stage, time] : times)
    sum += time;
  os << llvm::formatv("compile time {0:F1} ms\n", sum);
  for (auto &[stage, time] : times)
    os << llvm::formatv("  {0,-10} {1,8:F1} ms\n", stage, time);
  for (const TargetReport &target : targets)
    for (auto &[step, time] : target.steps)
      os << llvm::formatv("    {0,-16} {1,8:F1} ms\n", step, time);
  for (const TargetReport &target : targets) {
    os << "kernel" << (targets.size() > 1 ? " of " + target.target : "")
       << ": launches, programs, flops, bytes, recompute factor, axes, schedule\n";
    printKernels(target, os);
  }
}
