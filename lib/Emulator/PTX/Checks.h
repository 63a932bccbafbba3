// Is an access legal? Bounds, alignment, values that nobody wrote, races in local memory.
#pragma once

#include "Lanes.h"

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

/// Addresses of all lanes; those of lanes that are off mean nothing.
struct Addresses {
  alignas(64) uint64_t of[32];
  /// Of the lanes that are on: the least and the largest, and whether each lane's bytes follow on
  /// the one's before, all lanes being on.
  uint64_t least, largest;
  bool sequential;
};

/// Base row plus offset, for accesses of `bytes` bytes.
inline void addressesOf(Warp &warp, uint32_t row, bool wide, int64_t offset, uint32_t bytes,
                        Addresses &result) {
  uint64_t *of = result.of;
  if (wide) {
    const uint64_t *base = warp.row<const uint64_t>(row);
    TW_LANES of[lane] = base[lane] + uint64_t(offset);
  } else {
    const uint32_t *base = warp.row<const uint32_t>(row);
    TW_LANES of[lane] = base[lane] + uint64_t(offset);
  }
  uint32_t mask = warp.mask;
  uint64_t first = of[__builtin_ctz(mask)], least = first, largest = first;
  TW_LANES {
    uint64_t at = mask >> lane & 1 ? of[lane] : first;
    least = std::min(least, at);
    largest = std::max(largest, at);
  }
  bool follows = mask == allLanes;
  uint64_t wrong = 0;
  TW_LANES wrong |= of[lane] ^ (of[0] + lane * uint64_t(bytes));
  result.least = least;
  result.largest = largest;
  result.sequential = follows && wrong == 0;
}

/// Faults if a lane's address is no multiple of `bytes`.
inline bool checkAlignment(Warp &warp, const Op &op, const Addresses &at, uint32_t bytes) {
  uint64_t low = 0;
  TW_LANES low |= warp.mask >> lane & 1 ? at.of[lane] : 0;
  if ((low & (bytes - 1)) == 0)
    return true;
  TW_LANES if ((warp.mask >> lane & 1) && (at.of[lane] & (bytes - 1))) {
    fault(warp, op, "lane %u accesses %u bytes at %#llx, which is not a multiple of them", lane,
          bytes, (unsigned long long)at.of[lane]);
    break;
  }
  return false;
}

/// Global memory; marks what a write writes. False: there was a fault.
bool checkGlobal(Warp &warp, const Op &op, const Addresses &at, uint32_t bytes, bool writes);

/// Local memory. On success the addresses are offsets in Block::local.
bool checkLocalRead(Warp &warp, const Op &op, Addresses &at, uint32_t bytes);
bool checkLocalWrite(Warp &warp, const Op &op, Addresses &at, uint32_t bytes);
/// Bounds alone, for atomic operations and mbarriers.
bool checkLocalBounds(Warp &warp, const Op &op, Addresses &at, uint32_t bytes);

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
