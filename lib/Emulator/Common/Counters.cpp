// How accesses are counted.
#include "Counters.h"

#include <algorithm>

using namespace tw::emulator;

static constexpr uint32_t mostLanes = 64;

void Counters::add(const Counters &other) {
  executions += other.executions;
  lanes += other.lanes;
  phases += other.phases;
  conflicts += other.conflicts;
  sectors += other.sectors;
  least += other.least;
  waited += other.waited;
}

/// Bank conflicts: an access of w bytes a lane runs in phases of 128 / w lanes, and a phase takes
/// as many cycles as there are distinct words in one of the 32 banks.
void tw::emulator::countLocal(Counters &counters, const uint64_t *addresses, uint64_t mask,
                              uint32_t lanes, uint32_t bytes) {
  uint32_t perPhase = std::min(32u, std::max(128 / bytes, 1u));
  for (uint32_t first = 0; first < lanes; first += perPhase) {
    uint64_t seen[32][32];
    uint32_t counts[32] = {}, worst = 0;
    for (uint32_t lane = first; lane < std::min(first + perPhase, lanes); ++lane) {
      if (!(mask >> lane & 1))
        continue;
      for (uint32_t k = 0; k < std::max(bytes / 4, 1u); ++k) {
        uint64_t word = addresses[lane] / 4 + k;
        uint32_t bank = uint32_t(word % 32), &count = counts[bank];
        if (std::find(seen[bank], seen[bank] + count, word) == seen[bank] + count && count < 32)
          seen[bank][count++] = word;
        worst = std::max(worst, count);
      }
    }
    counters.phases += worst != 0;
    counters.conflicts += worst ? worst - 1 : 0;
  }
}

/// Sectors of 32 bytes that are asked for, each once, and the least that hold as many bytes.
void tw::emulator::countGlobal(Counters &counters, const uint64_t *addresses, uint64_t mask,
                               uint32_t lanes, uint32_t bytes) {
  uint64_t sectors[2 * mostLanes], words[mostLanes];
  uint32_t sectorCount = 0, distinct = 0;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    for (uint64_t sector = addresses[lane] / 32; sector <= (addresses[lane] + bytes - 1) / 32;
         ++sector)
      if (std::find(sectors, sectors + sectorCount, sector) == sectors + sectorCount)
        sectors[sectorCount++] = sector;
    if (std::find(words, words + distinct, addresses[lane]) == words + distinct)
      words[distinct++] = addresses[lane];
  }
  counters.sectors += sectorCount;
  counters.least += (uint64_t(distinct) * bytes + 31) / 32;
}
