// Moves of rows, exchanges between lanes, branches and barriers.
#include "Checks.h"

#include <bit>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

template <typename T> void move(Warp &warp, const Op &op) {
  uint32_t mask = warp.mask;
  T *to = warp.row<T>(op.rows[0]);
  const T *from = warp.row<const T>(op.rows[1]);
#pragma clang loop vectorize(assume_safety)
  TW_LANES to[lane] = mask >> lane & 1 ? from[lane] : to[lane];
}

uint64_t read(Warp &warp, uint32_t row, uint32_t lane, bool wide) {
  return wide ? warp.row<uint64_t>(row)[lane] : warp.row<uint32_t>(row)[lane];
}

void write(Warp &warp, uint32_t row, uint32_t lane, bool wide, uint64_t value) {
  if (wide)
    warp.row<uint64_t>(row)[lane] = value;
  else
    warp.row<uint32_t>(row)[lane] = uint32_t(value);
}

/// One register into parts of `bytes` bytes; op.wide: it has 64 bits.
void unpack(Warp &warp, const Op &op) {
  uint32_t bits = 8 * op.bytes;
  uint64_t kept = (uint64_t(1) << bits) - 1;
  for (uint32_t k = 0; k < op.results; ++k)
    TW_LANES if ((warp.mask >> lane & 1) && op.rows[k] != none)
        write(warp, op.rows[k], lane, false,
              read(warp, op.rows[op.results], lane, op.wide) >> k * bits & kept);
}

/// Parts into one register.
void pack(Warp &warp, const Op &op) {
  uint32_t bits = 8 * op.bytes;
  uint64_t kept = (uint64_t(1) << bits) - 1;
  uint64_t values[32] = {};
  for (uint32_t k = 0; k < op.sources; ++k)
    TW_LANES values[lane] |= (read(warp, op.rows[1 + k], lane, false) & kept) << k * bits;
  TW_LANES if (warp.mask >> lane & 1) write(warp, op.rows[0], lane, op.wide, values[lane]);
}

void branch(Warp &warp, const Op &op) {
  uint32_t taken = op.guard == none ? warp.mask : guardLanes(warp, op);
  if (!taken)
    return;
  if (taken == warp.mask) {
    warp.pc = op.target;
    return;
  }
  if (op.join != warp.join && op.join != none)
    warp.stack.push_back({op.join, warp.join, warp.mask});
  warp.stack.push_back({op.target, op.join, taken});
  warp.mask &= ~taken;
  warp.join = op.join;
}

/// The lanes of `mask` leave the kernel.
void leave(Warp &warp, const Op &op) {
  uint32_t leaving = op.guard == none ? warp.mask : guardLanes(warp, op);
  warp.alive &= ~leaving;
  warp.mask &= ~leaving;
  if (!warp.mask)
    warp.pop();
}

/// With a guard: only the lanes it names do it.
void guarded(Warp &warp, const Op &op) {
  uint32_t before = warp.mask, lanes = guardLanes(warp, op);
  if (!lanes)
    return;
  warp.mask = lanes;
  op.guarded(warp, op);
  // A fault or an end leaves no lanes; otherwise all go on.
  if (warp.mask)
    warp.mask = before;
}

/// bar.sync, with the number and the count of threads as rows: uniform, whole warps.
template <bool wait> void barrier(Warp &warp, const Op &op) {
  uint32_t threads = op.sources > 1 ? warp.row<uint32_t>(op.rows[1])[0] : 0;
  arrive(warp, op, warp.row<uint32_t>(op.rows[0])[0], threads, wait);
}

/// `.sync`: the lanes that the mask names must be those that are here.
bool checkMembers(Warp &warp, const Op &op, uint32_t row) {
  uint32_t members = warp.row<uint32_t>(row)[std::countr_zero(warp.mask)];
  if ((members & warp.alive) == warp.mask)
    return true;
  fault(warp, op, "the member mask %#x names other lanes than those that are here", members);
  return false;
}

enum class Shuffle { Butterfly, Index, Up, Down };

/// shfl.sync d[|p], a, b, c, members: c holds a clamp (bits 0-4) and a segment mask (bits 8-12).
template <Shuffle mode> void shuffle(Warp &warp, const Op &op) {
  const uint32_t *rows = op.rows + op.results;
  if (!checkMembers(warp, op, rows[3]))
    return;
  const uint32_t *values = warp.row<uint32_t>(rows[0]), *amounts = warp.row<uint32_t>(rows[1]);
  const uint32_t *bounds = warp.row<uint32_t>(rows[2]);
  alignas(64) uint32_t result[32], source[32];
  uint32_t inRange = 0;
  TW_LANES {
    uint32_t amount = amounts[lane] & 31, segment = bounds[lane] >> 8 & 31,
             clamp = bounds[lane] & 31;
    uint32_t least = lane & segment, most = least | (clamp & ~segment);
    uint32_t from = mode == Shuffle::Butterfly ? lane ^ amount
                    : mode == Shuffle::Index   ? least | (amount & ~segment)
                    : mode == Shuffle::Up      ? lane - amount
                                               : lane + amount;
    bool fits = mode == Shuffle::Up ? int32_t(from) >= int32_t(most) : from <= most;
    source[lane] = fits ? from : lane;
    inRange |= uint32_t(fits) << lane;
  }
  uint32_t missing = 0;
  TW_LANES {
    result[lane] = values[source[lane] & 31];
    missing |= (warp.mask >> lane & 1) & ~(warp.mask >> (source[lane] & 31)) & 1;
  }
  if (missing) {
    fault(warp, op, "a lane reads from a lane that takes no part");
    return;
  }
  uint32_t mask = warp.mask;
  uint32_t *to = warp.row<uint32_t>(op.rows[0]);
  TW_LANES to[lane] = mask >> lane & 1 ? result[lane] : to[lane];
  if (op.results > 1 && op.rows[1] != none)
    putMask(warp, op.rows[1], inRange);
}

enum class Vote { All, Any, Uniform, Ballot };

template <Vote mode> void vote(Warp &warp, const Op &op) {
  if (!checkMembers(warp, op, op.rows[2]))
    return;
  uint32_t asked = *warp.row<uint32_t>(op.rows[1]), mask = warp.mask;
  if (op.inverted)
    asked = ~asked;
  uint32_t yes = asked & mask;
  if (mode == Vote::Ballot) {
    uint32_t *to = warp.row<uint32_t>(op.rows[0]);
    TW_LANES to[lane] = mask >> lane & 1 ? yes : to[lane];
    return;
  }
  bool answer = mode == Vote::All   ? yes == mask
                : mode == Vote::Any ? yes != 0
                                    : yes == mask || yes == 0;
  putMask(warp, op.rows[0], answer ? allLanes : 0);
}

template <auto F> void redux(Warp &warp, const Op &op) {
  if (!checkMembers(warp, op, op.rows[2]))
    return;
  const uint32_t *values = warp.row<uint32_t>(op.rows[1]);
  uint32_t mask = warp.mask, result = values[std::countr_zero(mask)];
  for (uint32_t lane = uint32_t(std::countr_zero(mask)) + 1; lane < 32; ++lane)
    if (mask >> lane & 1)
      result = F(result, values[lane]);
  uint32_t *to = warp.row<uint32_t>(op.rows[0]);
  TW_LANES to[lane] = mask >> lane & 1 ? result : to[lane];
}

void activeMask(Warp &warp, const Op &op) {
  uint32_t mask = warp.mask, *to = warp.row<uint32_t>(op.rows[0]);
  TW_LANES to[lane] = mask >> lane & 1 ? mask : to[lane];
}

/// elect.sync d|p, members: the lowest lane.
void elect(Warp &warp, const Op &op) {
  if (!checkMembers(warp, op, op.rows[2]))
    return;
  uint32_t mask = warp.mask, leader = uint32_t(std::countr_zero(mask));
  if (op.rows[0] != none) {
    uint32_t *to = warp.row<uint32_t>(op.rows[0]);
    TW_LANES to[lane] = mask >> lane & 1 ? leader : to[lane];
  }
  putMask(warp, op.rows[1], 1u << leader);
}

void synchronizeLanes(Warp &warp, const Op &op) { checkMembers(warp, op, op.rows[0]); }

void nothing(Warp &, const Op &) {}

void trap(Warp &warp, const Op &op) { fault(warp, op, "the kernel gave up (trap)"); }

} // namespace

void addExchanges(InstructionSet &set) {
  set.special["mov.32"] = move<uint32_t>;
  set.special["mov.64"] = move<uint64_t>;
  set.special["unpack"] = unpack;
  set.special["pack"] = pack;
  set.special["bra"] = branch;
  set.special["ret"] = leave;
  set.special["guarded"] = guarded;
  set.special["nothing"] = nothing;
  set.special["trap"] = trap;
  set.special["bar.sync"] = barrier<true>;
  set.special["bar.arrive"] = barrier<false>;
  set.special["bar.warp.sync"] = synchronizeLanes;
  set.special["shfl.sync.bfly.b32"] = shuffle<Shuffle::Butterfly>;
  set.special["shfl.sync.idx.b32"] = shuffle<Shuffle::Index>;
  set.special["shfl.sync.up.b32"] = shuffle<Shuffle::Up>;
  set.special["shfl.sync.down.b32"] = shuffle<Shuffle::Down>;
  set.special["vote.sync.all.pred"] = vote<Vote::All>;
  set.special["vote.sync.any.pred"] = vote<Vote::Any>;
  set.special["vote.sync.uni.pred"] = vote<Vote::Uniform>;
  set.special["vote.sync.ballot.b32"] = vote<Vote::Ballot>;
  set.special["activemask.b32"] = activeMask;
  set.special["elect.sync"] = elect;
  set.special["redux.sync.add.s32"] = redux<[](uint32_t a, uint32_t b) { return a + b; }>;
  set.special["redux.sync.add.u32"] = redux<[](uint32_t a, uint32_t b) { return a + b; }>;
  set.special["redux.sync.min.s32"] =
      redux<[](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }>;
  set.special["redux.sync.max.s32"] =
      redux<[](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; }>;
  set.special["redux.sync.min.u32"] = redux<[](uint32_t a, uint32_t b) { return a < b ? a : b; }>;
  set.special["redux.sync.max.u32"] = redux<[](uint32_t a, uint32_t b) { return a > b ? a : b; }>;
  set.special["redux.sync.and.b32"] = redux<[](uint32_t a, uint32_t b) { return a & b; }>;
  set.special["redux.sync.or.b32"] = redux<[](uint32_t a, uint32_t b) { return a | b; }>;
  set.special["redux.sync.xor.b32"] = redux<[](uint32_t a, uint32_t b) { return a ^ b; }>;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
