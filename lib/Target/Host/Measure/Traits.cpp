// What measured cycles say of the fields of HostTraits.
#include "Quantities.h"

#include <cmath>

using namespace tw::host;
using namespace tw::host::measure;
using tw::schedule::HostTraits;

namespace {

class Reader {
public:
  explicit Reader(const Cycles &cycles) : cycles(cycles) {}

  std::map<std::string, double> traits;

  double of(const std::string &name) const {
    auto found = cycles.find(name);
    return found == cycles.end() ? 0 : found->second;
  }
  void set(const char *trait, double value) {
    if (std::isfinite(value) && value > 0)
      traits[trait] = value;
  }
  void setRate(const char *trait, const char *name) {
    if (double each = of(name); each > 0)
      set(trait, toQuarters(1 / each));
  }
  void setBytes(const char *trait, const char *name) {
    if (double each = of(name); each > 0)
      set(trait, 1 / each);
  }

  void readCore();
  void readPages();
  void readMemory();
  void readAhead();

private:
  const Cycles &cycles;
};

} // namespace

void Reader::readCore() {
  setRate("fmaPerCycle", "fma");
  setRate("loadsPerCycle", "load");
  setRate("storesPerCycle", "store");
  setRate("shufflesPerCycle", "shuffle");
  setRate("bf16DotPerCycle", "bf16Dot");
  setRate("int8DotPerCycle", "int8Dot");
  set("divideCycles", of("divide"));
  set("maskedStoreCycles", of("masked"));
  double chain = std::round(of("fmaChain"));
  set("fmaLatency", chain);
  if (of("reload") > chain)
    set("reloadCycles", of("reload") - chain);
  setBytes("issuePerCycle", "issue");
  // Half of the branches are foretold by chance.
  set("branchMissCycles", 2 * (of("branchAtRandom") - of("branchForetold")));
}

void Reader::readMemory() {
  setBytes("l2BytesPerCycle", "l2Read");
  setBytes("l3BytesPerCycle", "l3Read");
  setBytes("streamBytesPerCycle", "memoryRead");
  setBytes("memoryBytesPerCycle", "memoryReadApart");
  set("l2Latency", of("l2Chase"));
  set("l3Latency", of("l3Chase"));
  set("memoryLatency", of("memoryChase"));
  if (double line = of("memoryLines"); line > 0)
    set("missesAtOnce", of("memoryChase") / line);
  setBytes("allMemoryBytesPerCycle", "allMemoryRead");
  // All threads' bytes over as many cycles of one.
  setBytes("l3BusyBytesPerCycle", "l3AllRead");
  set("launchCycles", of("launch"));
}

void Reader::readAhead() {
  std::vector<Growth> growth;
  for (int64_t count : fillers)
    if (double cycles = of("ahead" + std::to_string(count)); cycles > 0)
      growth.push_back({double(count), cycles});
  auto least = std::min_element(growth.begin(), growth.end(), [](const Growth &a, const Growth &b) {
    return a.cycles < b.cycles;
  });
  if (least == growth.end())
    return;
  // From there on the second one begins later, until both wait one after the other.
  constexpr double later = 1.1;
  llvm::ArrayRef<Growth> from(growth);
  if (auto step = findStep(from.drop_front(size_t(least - growth.begin())), later * least->cycles))
    set("instructionsAhead", *step);
}

void Reader::readPages() {
  std::vector<Growth> growth;
  for (int64_t count : pageCounts) {
    std::string number = std::to_string(count);
    growth.push_back({double(count), of("pages" + number) - of("lines" + number)});
  }
  auto at = [&](double pages) {
    return std::find_if(growth.begin(), growth.end(),
                        [&](const Growth &entry) { return entry.size >= pages; });
  };
  // The first table's step is of some cycles; the second's is as large again.
  std::optional<double> near = findStep(growth, 3);
  if (!near)
    return;
  auto beyond = at(2 * *near);
  if (beyond == growth.end())
    return;
  double farCycles = beyond->cycles;
  set("nearPages", std::round(*near));
  set("farPageCycles", farCycles);
  std::optional<double> far = findStep(growth, 2 * farCycles + 3);
  if (!far || *far < 2 * *near)
    return;
  set("farPages", std::round(*far));
  double walk = growth.back().cycles - farCycles;
  set("pageWalkCycles", walk);
  double each = of("pagesAtRandom") - of("linesAtRandom");
  if (each > 0)
    set("pagesAtOnce", std::max(1.0, growth.back().cycles / each));
}

std::map<std::string, double> measure::toTraits(const Cycles &cycles, const HostTraits &expected) {
  Reader reader(cycles);
  reader.readCore();
  reader.readMemory();
  reader.readAhead();
  reader.readPages();
  auto busy = reader.traits.find("l3BusyBytesPerCycle");
  if (busy != reader.traits.end())
    busy->second /= double(expected.threads);
  return reader.traits;
}
