// The checks of accesses. What is common is decided for all lanes at once.
#include "Checks.h"

#include <algorithm>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

bool hasBits(const uint64_t *words, uint64_t at, uint32_t bytes) {
  uint64_t wanted = ((uint64_t(1) << bytes) - 1) << at % 64;
  return (words[at / 64] & wanted) == wanted;
}

bool checkWritten(Warp &warp, const Op &op, const Addresses &at, uint32_t bytes,
                  const Range &range) {
  TW_LANES if (warp.mask >> lane & 1) {
    if (!hasBits(range.written, at.of[lane] - range.begin, bytes)) {
      fault(warp, op, "lane %u reads %u bytes of global memory that nobody has written, at %#llx",
            lane, bytes, (unsigned long long)at.of[lane]);
      return false;
    }
  }
  return true;
}

void markWritten(Warp &warp, const Addresses &at, uint32_t bytes, const Range &range) {
  if (at.sequential && bytes >= 2) {
    // 32 lanes of 2 bytes or more fill whole words of 64 bits where the first is aligned.
    uint64_t begin = at.least - range.begin, end = begin + 32 * bytes;
    if (begin % 64 == 0) {
      for (uint64_t word = begin / 64; word < end / 64; ++word)
        range.written[word] = ~uint64_t(0);
      return;
    }
  }
  TW_LANES if (warp.mask >> lane & 1) {
    uint64_t offset = at.of[lane] - range.begin;
    range.written[offset / 64] |= ((uint64_t(1) << bytes) - 1) << offset % 64;
  }
}

/// Lanes that lie in several allocations, or outside of all.
bool checkEachLane(Warp &warp, const Op &op, const Addresses &at, uint32_t bytes, bool writes) {
  TW_LANES if (warp.mask >> lane & 1) {
    const Range *range = warp.block->memory->find(at.of[lane]);
    if (!range || !range->holds(at.of[lane], at.of[lane] + bytes)) {
      if (range)
        fault(warp, op,
              "lane %u %s %u bytes at %#llx, beyond the end of an allocation of %llu bytes", lane,
              writes ? "writes" : "reads", bytes, (unsigned long long)at.of[lane],
              (unsigned long long)(range->end - range->begin));
      else
        fault(warp, op, "lane %u %s %u bytes at %#llx, which is in no allocation", lane,
              writes ? "writes" : "reads", bytes, (unsigned long long)at.of[lane]);
      return false;
    }
    uint64_t offset = at.of[lane] - range->begin;
    if (writes) {
      range->written[offset / 64] |= ((uint64_t(1) << bytes) - 1) << offset % 64;
    } else if (!hasBits(range->written, offset, bytes)) {
      fault(warp, op, "lane %u reads %u bytes of global memory that nobody has written, at %#llx",
            lane, bytes, (unsigned long long)at.of[lane]);
      return false;
    }
  }
  return true;
}

} // namespace

bool checkGlobal(Warp &warp, const Op &op, const Addresses &at, uint32_t bytes, bool writes) {
  if (!checkAlignment(warp, op, at, bytes))
    return false;
  Range &range = warp.block->ranges[op.index];
  if (!range.holds(at.least, at.largest + bytes)) {
    const Range *found = warp.block->memory->find(at.least);
    if (!found || !found->holds(at.least, at.largest + bytes))
      return checkEachLane(warp, op, at, bytes, writes);
    range = *found;
  }
  if (warp.block->counters)
    countGlobal((*warp.block->counters)[op.index], at.of, warp.mask, 32, bytes);
  if (!writes)
    return checkWritten(warp, op, at, bytes, range);
  markWritten(warp, at, bytes, range);
  return true;
}

bool checkLocalBounds(Warp &warp, const Op &op, Addresses &at, uint32_t bytes) {
  if (!checkAlignment(warp, op, at, bytes))
    return false;
  uint64_t end = localBase + warp.block->local.size();
  if (at.least < localBase || at.largest + bytes > end) {
    TW_LANES if ((warp.mask >> lane & 1) &&
                 (at.of[lane] < localBase || at.of[lane] + bytes > end)) {
      fault(warp, op, "lane %u accesses %u bytes at offset %lld of local memory, which has %zu",
            lane, bytes, (long long)(at.of[lane] - localBase), warp.block->local.size());
      break;
    }
    return false;
  }
  TW_LANES at.of[lane] -= localBase;
  at.least -= localBase;
  at.largest -= localBase;
  return true;
}

namespace {

/// Calls `body(first, last, lane)` for the cells of each lane, once for neighbours that are the
/// same.
template <typename F>
[[gnu::always_inline]] inline void eachCells(Warp &warp, const Addresses &at, uint32_t bytes,
                                             F body) {
  uint32_t shift = warp.block->cellShift, count = std::max(1u, bytes >> shift);
  if (at.sequential && bytes >> shift) {
    uint32_t first = uint32_t(at.least >> shift);
    body(first, first + 32 * count, 0u);
    return;
  }
  uint64_t before = UINT64_MAX;
  TW_LANES if ((warp.mask >> lane & 1) && at.of[lane] != before) {
    before = at.of[lane];
    uint32_t first = uint32_t(before >> shift);
    body(first, first + count, lane);
  }
}

/// Which rule the read of a cell breaks.
void explainRead(Warp &warp, const Op &op, uint32_t first, uint32_t last) {
  Block &block = *warp.block;
  for (uint32_t i = first; i < last; ++i) {
    const Cell &cell = block.cells[i];
    uint32_t offset = i << block.cellShift;
    if (cell.clock < block.began)
      fault(warp, op, "reads local memory at offset %u, which nobody has written", offset);
    else if (cell.pending)
      fault(warp, op,
            "reads local memory at offset %u, where an asynchronous copy was not waited for",
            offset);
    else if (cell.clock > warp.clocks[cell.writer] && cell.writer >= maxWarps)
      fault(warp, op,
            "race: reads local memory at offset %u, which a bulk copy wrote whose mbarrier was not "
            "waited for",
            offset);
    else if (cell.clock > warp.clocks[cell.writer])
      fault(
          warp, op,
          "race: reads local memory at offset %u, which warp %u wrote and no barrier came between",
          offset, cell.writer);
    else
      continue;
    return;
  }
}

void explainWrite(Warp &warp, const Op &op, uint32_t first, uint32_t last) {
  Block &block = *warp.block;
  for (uint32_t i = first; i < last; ++i) {
    const Cell &cell = block.cells[i];
    uint32_t offset = i << block.cellShift;
    if (cell.clock >= block.began && cell.pending) {
      fault(warp, op, "writes local memory at offset %u, where an asynchronous copy is under way",
            offset);
      return;
    }
    if (cell.clock > warp.clocks[cell.writer] && cell.writer != warp.id) {
      fault(
          warp, op,
          "race: writes local memory at offset %u, which warp %u wrote and no barrier came between",
          offset, cell.writer);
      return;
    }
    for (const Warp &other : block.warps)
      if (other.id != warp.id && other.reads[i] > warp.clocks[other.id]) {
        fault(warp, op,
              "race: writes local memory at offset %u, which warp %u read and no barrier came "
              "between",
              offset, other.id);
        return;
      }
  }
}

/// Two lanes of one store at the same bytes.
bool hasSameTwice(const Warp &warp, const Addresses &at) {
  uint64_t before = 0;
  bool grows = true, any = false;
  TW_LANES if (warp.mask >> lane & 1) {
    grows &= !any || at.of[lane] > before;
    any = true;
    before = at.of[lane];
  }
  if (grows)
    return false;
  for (uint32_t a = 1; a < 32; ++a) {
    uint32_t same = 0;
    for (uint32_t b = 0; b < a; ++b)
      same |= uint32_t(at.of[a] == at.of[b]) << b;
    if ((warp.mask >> a & 1) && (same & warp.mask))
      return true;
  }
  return false;
}

} // namespace

bool checkLocalRead(Warp &warp, const Op &op, Addresses &at, uint32_t bytes) {
  if (!checkLocalBounds(warp, op, at, bytes))
    return false;
  Block &block = *warp.block;
  if (block.counters)
    countLocal((*block.counters)[op.index], at.of, warp.mask, 32, bytes);
  uint32_t began = block.began, now = warp.clocks[warp.id];
  const Cell *cells = block.cells.data();
  const uint32_t *known = warp.clocks;
  uint32_t *reads = warp.reads.data();
  uint32_t badFirst = 0, badLast = 0;
  eachCells(
      warp, at, bytes, [&](uint32_t first, uint32_t last, uint32_t) __attribute__((always_inline)) {
        uint32_t bad = 0;
#pragma clang loop vectorize(assume_safety)
        for (uint32_t i = first; i < last; ++i) {
          Cell cell = cells[i];
          bad |= uint32_t(cell.clock < began) | cell.pending |
                 uint32_t(cell.clock > known[cell.writer]);
          reads[i] = now;
        }
        if (bad) {
          badFirst = first;
          badLast = last;
        }
      });
  if (badLast)
    explainRead(warp, op, badFirst, badLast);
  return badLast == 0;
}

bool checkLocalWrite(Warp &warp, const Op &op, Addresses &at, uint32_t bytes) {
  if (!checkLocalBounds(warp, op, at, bytes))
    return false;
  Block &block = *warp.block;
  if (block.counters)
    countLocal((*block.counters)[op.index], at.of, warp.mask, 32, bytes);
  uint32_t began = block.began;
  Cell mine = {warp.clocks[warp.id], uint16_t(warp.id), 0};
  Cell *cells = block.cells.data();
  const uint32_t *known = warp.clocks;
  uint32_t badFirst = 0, badLast = 0;
  eachCells(
      warp, at, bytes, [&](uint32_t first, uint32_t last, uint32_t) __attribute__((always_inline)) {
        uint32_t bad = 0;
        for (const Warp &other : block.warps) {
          if (other.id == mine.writer)
            continue;
          const uint32_t *reads = other.reads.data();
          uint32_t knows = known[other.id];
          for (uint32_t i = first; i < last; ++i)
            bad |= uint32_t(reads[i] > knows);
        }
        for (uint32_t i = first; i < last; ++i) {
          Cell cell = cells[i];
          bad |= uint32_t(cell.clock >= began) & cell.pending;
          bad |= uint32_t(cell.clock > known[cell.writer]);
        }
        if (bad && !badLast) {
          badFirst = first;
          badLast = last;
        } else {
          for (uint32_t i = first; i < last; ++i)
            cells[i] = mine;
        }
      });
  if (badLast) {
    explainWrite(warp, op, badFirst, badLast);
    if (!warp.block->fault.empty())
      return false;
  }
  if (!at.sequential && bytes < 16 && hasSameTwice(warp, at)) {
    // Legal where the values are equal; which one stays is open otherwise.
    warp.block->sameTwice = true;
  }
  return true;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
