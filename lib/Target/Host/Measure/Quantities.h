// What is timed on a machine, by name, and what its numbers say of the fields of HostTraits.
#pragma once

#include "Buffers.h"
#include "Loops.h"
#include "Samples.h"

#include <functional>
#include <map>
#include <random>
#include <vector>

namespace tw::host::measure {

/// Something that is timed: `run` does `units` of it and returns the seconds that it took.
struct Quantity {
  std::string name;
  double units;
  std::function<double()> run;
};

/// Cycles of one unit, by name.
using Cycles = std::map<std::string, double>;

/// Everything that is timed, and the memory for it.
class Quantities {
public:
  Quantities(const Description &machine, const Loops &loops);

  const std::vector<Quantity> &getAll() const { return all; }
  /// Seconds of a cycle now: of a chain of operations of one cycle each, some microseconds long.
  double getSecondsOfCycle() const;
  bool hasMemory() const;

private:
  void addCore();
  void addCaches();
  void addPages();
  void addAhead();
  void addThreads();
  void add(const std::string &name, llvm::StringRef loop, Buffer &buffer, int64_t steps,
           int64_t mask, double unitsOfStep);
  void addChase(const std::string &name, char *data, int64_t places);
  void addMemoryChase(const std::string &name, llvm::StringRef loop, int64_t steps);
  Buffer &allocate(int64_t bytes, Buffer::Pages pages);

  const schedule::HostTraits &traits;
  const Loops &loops;
  std::vector<std::unique_ptr<Buffer>> buffers;
  Buffer *small, *memory;
  std::minstd_rand random;
  std::vector<Quantity> all;
};

/// Pages that chains of places on as many pages are timed for.
inline constexpr int64_t pageCounts[] = {16,  32,   48,   64,   96,   128,  256,  512,
                                         768, 1024, 1536, 2048, 3072, 4096, 6144, 8192};

/// Fields of HostTraits by name, as far as the cycles say something of them. Rates are snapped to
/// what units can have, latencies of instructions to whole cycles.
std::map<std::string, double> toTraits(const Cycles &cycles, const schedule::HostTraits &expected);

} // namespace tw::host::measure
