// Allocations and the bytes of them that were written.
#include "Memory.h"

#include <algorithm>

using namespace tw::emulator;

void Memory::add(uint64_t begin, uint64_t bytes) {
  Allocation &made = ranges[begin];
  made.written.assign(bytes / 64 + 1, 0);
  made.range = {begin, begin + bytes, made.written.data()};
}

void Memory::remove(uint64_t begin) { ranges.erase(begin); }

const Range *Memory::find(uint64_t address) const {
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin())
    return nullptr;
  const Range &range = std::prev(after)->second.range;
  return address < range.end ? &range : nullptr;
}

void Memory::markWritten(uint64_t begin, uint64_t bytes) {
  const Range *range = find(begin);
  if (!range)
    return;
  uint64_t at = begin - range->begin, end = std::min(begin + bytes, range->end) - range->begin;
  while (at < end) {
    uint64_t first = at % 64, count = std::min(64 - first, end - at);
    range->written[at / 64] |= (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << first;
    at += count;
  }
}
