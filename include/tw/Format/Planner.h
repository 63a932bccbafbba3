// Places the intervals of a program in slabs of memory so that those alive at once do not overlap.
#pragma once

#include <cstdint>
#include <span>

namespace tw::format {

/// Memory that is needed from command `first` to command `last`, both included.
struct PlanInterval {
  uint64_t bytes;
  uint64_t alignment; // a power of two
  uint32_t first, last;
};

struct Placement {
  uint32_t slab = 0;
  uint64_t offset = 0;
};

struct PlanLimits {
  uint64_t maxSlabBytes = UINT64_MAX;
  /// A permutation of the intervals that is tried first; empty: none is known.
  std::span<const uint32_t> order = {};
  /// A plan this many percent above the largest live set is good enough.
  unsigned slack = 0;
  /// After the first order, others are tried while this many pairs of intervals have not been
  /// compared.
  uint64_t maxPairs = UINT64_MAX;
};

struct PlanSummary {
  uint32_t slabCount = 0;
  /// Sum of the slabs' sizes.
  uint64_t totalBytes = 0;
  /// Largest sum, over all commands, of the aligned sizes alive at that command: no plan can be
  /// smaller.
  uint64_t peakLiveBytes = 0;
};

enum class PlanResult {
  Ok,
  OutOfMemory,
  /// An interval is larger than a slab may be, has first > last, or sizes overflow; its index is in
  /// `bad`.
  BadInterval,
};

/// Writes one placement for each interval (`placements` has the same length) and the size of each
/// slab to the front of `slabBytes` (which has room for at least as many slabs as intervals).
/// Deterministic: depends on the arguments alone. An interval of zero bytes gets offset 0
/// of a slab that exists.
///
/// Greedy by size with best fit, tried in several orders of the intervals; the best plan is kept,
/// and its order in `bestOrder`, which is empty or as long as `intervals`.
PlanResult planArena(std::span<const PlanInterval> intervals, const PlanLimits &limits,
                     std::span<Placement> placements, std::span<uint64_t> slabBytes,
                     PlanSummary &summary, uint32_t &bad, std::span<uint32_t> bestOrder = {});

} // namespace tw::format
