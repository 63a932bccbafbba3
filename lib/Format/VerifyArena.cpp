// Verifies that no two intervals of a static arena plan share bytes while both are alive.
//
// A sweep over the commands keeps the living intervals as ranges of a segment tree over the ends of
// all intervals: n log n in time, linear in memory, whatever the module says.
#include "Verify.h"

#include <algorithm>
#include <cinttypes>
#include <memory>
#include <new>
#include <tuple>

using namespace tw::format;

namespace {

struct Range {
  uint32_t interval, slot, slab;
  uint32_t first, last;
  uint64_t begin, end;
  /// Places of the ends among all ends.
  uint32_t from, to;

  bool operator<(const Range &other) const {
    return std::tie(slot, slab) < std::tie(other.slot, other.slab);
  }
};

/// Which elementary cells are taken.
class CellTree {
public:
  bool allocate(uint32_t cells) {
    while (leaves < cells)
      leaves *= 2;
    taken.reset(new (std::nothrow) uint8_t[2 * uint64_t(leaves)]());
    below.reset(new (std::nothrow) uint8_t[2 * uint64_t(leaves)]());
    return taken && below;
  }

  void set(uint32_t from, uint32_t to, bool value) { set(1, 0, leaves, from, to, value); }
  bool isTaken(uint32_t from, uint32_t to) const { return isTaken(1, 0, leaves, from, to); }

private:
  /// `taken`: the whole node is; `below`: something beneath it is.
  std::unique_ptr<uint8_t[]> taken, below;
  uint32_t leaves = 1;

  void set(uint32_t node, uint32_t begin, uint32_t end, uint32_t from, uint32_t to, bool value) {
    if (to <= begin || end <= from)
      return;
    if (from <= begin && end <= to) {
      taken[node] = value;
      return;
    }
    uint32_t middle = begin + (end - begin) / 2;
    set(2 * node, begin, middle, from, to, value);
    set(2 * node + 1, middle, end, from, to, value);
    below[node] = taken[2 * node] | below[2 * node] | taken[2 * node + 1] | below[2 * node + 1];
  }

  bool isTaken(uint32_t node, uint32_t begin, uint32_t end, uint32_t from, uint32_t to) const {
    if (to <= begin || end <= from)
      return false;
    if (taken[node] || (from <= begin && end <= to))
      return taken[node] || below[node];
    uint32_t middle = begin + (end - begin) / 2;
    return isTaken(2 * node, begin, middle, from, to) ||
           isTaken(2 * node + 1, middle, end, from, to);
  }
};

} // namespace

/// Checks the intervals of one slab.
static bool verifySlab(VerifyContext &context, const fb::Program *program,
                       std::span<Range> ranges) {
  size_t count = ranges.size();
  std::unique_ptr<uint64_t[]> ends(new (std::nothrow) uint64_t[2 * count]);
  std::unique_ptr<uint32_t[]> leaving(new (std::nothrow) uint32_t[count]);
  CellTree tree;
  if (!ends || !leaving || !tree.allocate(uint32_t(2 * count)))
    return failMemory(context.error, "META");
  for (size_t i = 0; i < count; ++i) {
    ends[2 * i] = ranges[i].begin;
    ends[2 * i + 1] = ranges[i].end;
  }
  std::sort(ends.get(), ends.get() + 2 * count);
  uint64_t *stop = std::unique(ends.get(), ends.get() + 2 * count);
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.first < b.first; });
  for (size_t i = 0; i < count; ++i) {
    ranges[i].from = uint32_t(std::lower_bound(ends.get(), stop, ranges[i].begin) - ends.get());
    ranges[i].to = uint32_t(std::lower_bound(ends.get(), stop, ranges[i].end) - ends.get());
    leaving[i] = uint32_t(i);
  }
  std::sort(leaving.get(), leaving.get() + count,
            [&](uint32_t a, uint32_t b) { return ranges[a].last < ranges[b].last; });
  for (size_t i = 0, left = 0; i < count; ++i) {
    const Range &range = ranges[i];
    for (; ranges[leaving[left]].last < range.first; ++left)
      tree.set(ranges[leaving[left]].from, ranges[leaving[left]].to, false);
    if (!tree.isTaken(range.from, range.to)) {
      tree.set(range.from, range.to, true);
      continue;
    }
    size_t other = 0;
    while (ranges[other].last < range.first || ranges[other].end <= range.begin ||
           range.end <= ranges[other].begin)
      ++other;
    return TW_META_FAIL(
        context, program->intervals()->Get(range.interval),
        "intervals %u and %u share bytes %" PRIu64 " to %" PRIu64 " of slab %u at command %u",
        ranges[other].interval, range.interval, std::max(range.begin, ranges[other].begin),
        std::min(range.end, ranges[other].end), range.slab, range.first);
  }
  return true;
}

bool tw::format::verifyArena(VerifyContext &context, const fb::Program *program,
                             const uint32_t *constants) {
  uint32_t count = length(program->intervals()), placed = 0;
  std::unique_ptr<Range[]> ranges(new (std::nothrow) Range[count + 1]);
  if (!ranges)
    return failMemory(context.error, "META");
  for (uint32_t i = 0; i < count; ++i) {
    const fb::Interval *interval = program->intervals()->Get(i);
    if (interval->offset() < 0)
      continue;
    uint64_t bytes = uint64_t(program->literals()->Get(constants[interval->size()] - 1));
    uint64_t begin = uint64_t(interval->offset());
    if (bytes != 0)
      ranges[placed++] = {i,
                          interval->slot(),
                          interval->slab(),
                          interval->first(),
                          interval->last(),
                          begin,
                          begin + bytes,
                          0,
                          0};
  }
  std::sort(ranges.get(), ranges.get() + placed);
  for (uint32_t start = 0, end; start < placed; start = end) {
    for (end = start; end < placed && !(ranges[start] < ranges[end]);)
      ++end;
    if (!verifySlab(context, program, {ranges.get() + start, ranges.get() + end}))
      return false;
  }
  return true;
}
