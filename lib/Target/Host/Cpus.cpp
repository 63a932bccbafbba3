// Numbers of a CPU out of the table of its instruction set.
#include "InstructionSet.h"

#include <algorithm>

using namespace llvm;
using namespace tw::host;
using tw::schedule::HostTraits;

static SmallVector<StringRef> getNames(const Cpu &cpu) {
  SmallVector<StringRef> names;
  cpu.names.split(names, ' ');
  return names;
}

static const Cpu *findCpu(const InstructionSet &set, StringRef name) {
  auto found = find_if(set.cpus, [&](const Cpu &cpu) { return is_contained(getNames(cpu), name); });
  return found == set.cpus.end() ? nullptr : found;
}

SmallVector<StringRef> tw::host::getKnownCpus() {
  SmallVector<StringRef> names = {"native"};
  for (const InstructionSet *set : allInstructionSets()) {
    for (const Cpu &cpu : set->cpus)
      append_range(names, getNames(cpu));
    if (!set->anyCpu.empty()) {
      erase(names, set->someCpu);
      names.push_back(set->anyCpu);
    }
  }
  return names;
}

void tw::host::takeTableTraits(Description &description, const VectorRegisters &vectors) {
  const Cpu *cpu = findCpu(*description.set, description.llvmCpu);
  if (!cpu)
    cpu = findCpu(*description.set, vectors.careful);
  HostTraits &traits = description.traits;
  traits.lanes = vectors.bytes / 4;
  traits.registers = vectors.count;
  traits.masks = vectors.hasMaskRegisters;
  traits.dataPathBytes = int64_t(cpu->fma.bytes / cpu->fma.units);
  traits.fmaPerCycle = cpu->fma.perCycle(vectors.bytes);
  traits.fmaLatency = cpu->fmaLatency;
  traits.loadsPerCycle = cpu->loads.perCycle(vectors.bytes);
  traits.storesPerCycle = cpu->stores.perCycle(vectors.bytes);
  traits.maskedStoreCycles = cpu->maskedStore;
  traits.nearPages = cpu->pages.near;
  traits.farPages = cpu->pages.far;
  traits.farPageCycles = cpu->pages.farCycles;
  traits.pageWalkCycles = cpu->pages.walkCycles;
  traits.pagesAtOnce = cpu->pages.atOnce;
  traits.pageBytes = cpu->pages.bytes;
  // A load that waits for a store takes two.
  traits.reloadCycles = 2 * double(cpu->loadLatency);
  traits.issuePerCycle = cpu->front.issue;
  traits.instructionsAhead = cpu->front.ahead;
  traits.branchMissCycles = cpu->front.branchMiss;
  traits.shufflesPerCycle = cpu->shuffles.perCycle(vectors.bytes);
  traits.vectorsPerCycle = cpu->vectors.perCycle(vectors.bytes);
  traits.divideCycles = cpu->divide.cycles * double(vectors.bytes) / cpu->divide.bytes;
  traits.l1Bytes = cpu->l1.kilobytes * 1024;
  traits.l2Bytes = cpu->l2.kilobytes * 1024;
  traits.l3Bytes = cpu->l3.kilobytes * 1024;
  traits.l1Ways = cpu->l1.ways;
  traits.l2Ways = cpu->l2.ways;
  traits.l3Ways = cpu->l3.ways;
  traits.lineBytes = cpu->lineBytes;
  traits.l2BytesPerCycle = cpu->l2.bytesPerCycle;
  traits.l3BytesPerCycle = traits.l3BusyBytesPerCycle = cpu->l3.bytesPerCycle;
  traits.memoryBytesPerCycle = cpu->memoryBytesPerCycle;
  traits.streamBytesPerCycle =
      cpu->streamBytesPerCycle > 0 ? cpu->streamBytesPerCycle : cpu->memoryBytesPerCycle;
  traits.l2Latency = cpu->l2.latency;
  traits.l3Latency = cpu->l3.latency;
  traits.memoryLatency = cpu->memoryLatency;
  traits.allMemoryBytesPerCycle = cpu->allMemoryBytesPerCycle;
  traits.linkBytesPerCycle = cpu->link.bytesPerCycle;
  traits.linkThreads = cpu->link.threads;
  traits.threads = cpu->threads;
  traits.launchCycles = cpu->launchCycles;
  traits.commandCycles = cpu->commandCycles;
  traits.missesAtOnce = cpu->misses;
  traits.streams = cpu->ahead.streams;
  traits.foretoldTrips = cpu->ahead.foretoldTrips;
  traits.joinedLines = cpu->ahead.joinedLines;
  auto dots = [&](const Ports &ports) {
    return ports.units > 0 ? ports.perCycle(vectors.bytes) : traits.fmaPerCycle;
  };
  traits.bf16DotPerCycle = dots(cpu->bf16);
  traits.int8DotPerCycle = dots(cpu->int8);
  traits.blockCycles = cpu->blockCycles;
  traits.blockLatency = cpu->blockLatency;

  std::string row = ("row of " + getNames(*cpu).front() + ": " + cpu->sources).str();
  schedule::forEachTrait(traits, [&](const schedule::Trait &trait, StringRef) {
    description.sources[trait.name.str()] = row;
  });
  for (StringRef name : {"lanes", "registers", "masks", "bf16Dot", "int8Dot", "int16Dot",
                         "bf16Blocks", "int8Blocks", "blockRows", "blockRegisters"})
    description.sources[name.str()] = "instruction set";
}
