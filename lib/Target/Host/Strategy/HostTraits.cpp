// The traits of a CPU by name: as text for pass options, and as values of a file.
#include "tw/Target/Host/HostTraits.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tw;
using namespace tw::schedule;

#define FIELD(name, unit)                                                                          \
  { {#name, unit}, &HostTraits::name }
static constexpr TraitTable<HostTraits>::Field fields[] = {
    {{"lanes", "lanes of 32 bits"},
     &HostTraits::lanes,
     [](int64_t lanes) { return isPowerOf2_64(uint64_t(lanes)) && lanes >= 4 && lanes <= 64; },
     "a power of two from 4 to 64"},
    FIELD(registers, "registers"),
    FIELD(dataPathBytes, "bytes"),
    FIELD(masks, "whether there are any"),
    FIELD(fmaPerCycle, "registers a cycle"),
    FIELD(fmaLatency, "cycles"),
    FIELD(loadsPerCycle, "registers a cycle"),
    FIELD(storesPerCycle, "registers a cycle"),
    FIELD(maskedStoreCycles, "cycles"),
    FIELD(reloadCycles, "cycles"),
    FIELD(l1Bytes, "bytes"),
    FIELD(l2Bytes, "bytes"),
    FIELD(l3Bytes, "bytes"),
    FIELD(l1Ways, "lines of a set"),
    FIELD(l2Ways, "lines of a set"),
    FIELD(l3Ways, "lines of a set"),
    FIELD(lineBytes, "bytes"),
    FIELD(l2BytesPerCycle, "bytes a cycle"),
    FIELD(l3BytesPerCycle, "bytes a cycle"),
    FIELD(memoryBytesPerCycle, "bytes a cycle"),
    FIELD(streamBytesPerCycle, "bytes a cycle"),
    FIELD(l3BusyBytesPerCycle, "bytes a cycle"),
    FIELD(bf16Dot, "whether there are any"),
    FIELD(int8Dot, "whether there are any"),
    FIELD(int16Dot, "whether there are any"),
    FIELD(bf16DotPerCycle, "registers a cycle"),
    FIELD(int8DotPerCycle, "registers a cycle"),
    FIELD(bf16Blocks, "whether there are any"),
    FIELD(int8Blocks, "whether there are any"),
    FIELD(blockRows, "rows"),
    FIELD(blockRegisters, "registers"),
    FIELD(blockCycles, "cycles"),
    FIELD(blockLatency, "cycles"),
    FIELD(l2Latency, "cycles"),
    FIELD(l3Latency, "cycles"),
    FIELD(memoryLatency, "cycles"),
    FIELD(missesAtOnce, "lines"),
    FIELD(streams, "places"),
    FIELD(joinedLines, "lines"),
    FIELD(issuePerCycle, "instructions a cycle"),
    FIELD(instructionsAhead, "instructions"),
    FIELD(branchMissCycles, "cycles"),
    FIELD(foretoldTrips, "iterations"),
    FIELD(shufflesPerCycle, "registers a cycle"),
    FIELD(vectorsPerCycle, "registers a cycle"),
    FIELD(divideCycles, "cycles"),
    FIELD(pageBytes, "bytes"),
    FIELD(nearPages, "pages"),
    FIELD(farPages, "pages"),
    FIELD(farPageCycles, "cycles"),
    FIELD(pageWalkCycles, "cycles"),
    FIELD(pagesAtOnce, "pages"),
    FIELD(threads, "threads"),
    FIELD(allMemoryBytesPerCycle, "bytes a cycle"),
    FIELD(linkBytesPerCycle, "bytes a cycle"),
    FIELD(linkThreads, "threads"),
    FIELD(launchCycles, "cycles"),
    FIELD(commandCycles, "cycles"),
    FIELD(bufferBytes, "bytes"),
};
#undef FIELD

static constexpr TraitTable<HostTraits> table{"a CPU", fields};

double HostTraits::getSharedMemoryBytesPerCycle() const {
  double links = double(llvm::divideCeil(threads, linkThreads));
  return std::min(allMemoryBytesPerCycle, links * linkBytesPerCycle);
}

void tw::schedule::forEachTrait(const HostTraits &traits,
                                function_ref<void(const Trait &, StringRef)> take) {
  table.forEach(traits, take);
}

bool tw::schedule::setTrait(HostTraits &traits, StringRef name, StringRef value,
                            std::string &error) {
  return table.set(traits, name, value, error);
}

bool tw::schedule::setTrait(HostTraits &traits, StringRef name, double value, std::string &error) {
  const auto *field = table.find(name);
  bool isWhole = field && std::holds_alternative<int64_t HostTraits::*>(field->member);
  std::string text;
  raw_string_ostream(text) << format(isWhole ? "%.0f" : "%.4g", value);
  return setTrait(traits, name, text, error);
}

std::string tw::schedule::toText(const HostTraits &traits) { return table.print(traits); }

bool tw::schedule::parseTraits(StringRef text, HostTraits &traits, std::string &error) {
  return table.parse(text, traits, error);
}
