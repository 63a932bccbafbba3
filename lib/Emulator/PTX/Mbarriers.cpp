// mbarriers: phases that end when enough lanes have arrived and enough bytes have been copied.
//
// A warp that asks in vain waits until the others have run. Copies are done when somebody asks for
// the phase that they belong to, for the second time: the latest moment that is legal. What lanes
// knew when they arrived, a warp knows that has seen the phase end.
#include "BulkCopies.h"

#include <bit>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

/// The mbarrier at a lane's address; NULL after a fault.
Mbarrier *findMbarrier(Warp &warp, const Op &op, uint64_t address) {
  Block &block = *warp.block;
  auto found = block.mbarriers.find(uint32_t(address - localBase));
  if (address < localBase || found == block.mbarriers.end()) {
    fault(warp, op, "no mbarrier at offset %lld of local memory", (long long)(address - localBase));
    return nullptr;
  }
  Mbarrier &mbarrier = found->second;
  if (mbarrier.maker != warp.id && mbarrier.made > warp.clocks[mbarrier.maker]) {
    fault(warp, op,
          "race: uses the mbarrier at offset %u, which warp %u made and no barrier came "
          "between",
          found->first, mbarrier.maker);
    return nullptr;
  }
  return &mbarrier;
}

namespace {

/// Ends the phase if all have arrived.
void endPhase(Block &block, Mbarrier &mbarrier) {
  ++block.events;
  if (mbarrier.pending || mbarrier.bytes)
    return;
  join(mbarrier.known, mbarrier.gathered);
  mbarrier.pending = mbarrier.expected;
  ++mbarrier.phase;
}

void init(Warp &warp, const Op &op) {
  Addresses at;
  addressesOf(warp, op.rows[0], op.wide, op.offset, 8, at);
  if (!checkLocalWrite(warp, op, at, 8))
    return;
  Block &block = *warp.block;
  const uint32_t *counts = warp.row<const uint32_t>(op.rows[1]);
  TW_LANES if (warp.mask >> lane & 1) {
    uint32_t number = uint32_t(block.mbarriers.size());
    if (maxWarps + number >= maxWriters)
      return fault(warp, op, "more than %u mbarriers are not modelled", maxWriters - maxWarps);
    auto [made, isNew] = block.mbarriers.try_emplace(uint32_t(at.of[lane]));
    if (!isNew)
      return fault(warp, op, "there is an mbarrier at offset %llu",
                   (unsigned long long)at.of[lane]);
    Mbarrier &mbarrier = made->second;
    mbarrier.expected = mbarrier.pending = counts[lane];
    mbarrier.maker = warp.id;
    mbarrier.made = warp.clocks[warp.id];
    mbarrier.writer = maxWarps + number;
    mbarrier.clock = block.began;
    if (counts[lane] == 0)
      return fault(warp, op, "an mbarrier for nobody");
  }
}

void invalidate(Warp &warp, const Op &op) {
  Addresses at;
  addressesOf(warp, op.rows[0], op.wide, op.offset, 8, at);
  TW_LANES if (warp.mask >> lane & 1) {
    Mbarrier *mbarrier = findMbarrier(warp, op, at.of[lane]);
    if (!mbarrier)
      return;
    if (!mbarrier->copies.empty())
      return fault(warp, op, "a bulk copy of the mbarrier is under way");
    // Its number as a writer stays taken.
    mbarrier->expected = 0;
  }
}

/// What arrives: lanes, bytes that are yet to come, or both.
template <bool arrives, bool expects> void arriveAt(Warp &warp, const Op &op) {
  Addresses at;
  const uint32_t *rows = op.rows + op.results;
  addressesOf(warp, rows[0], op.wide, op.offset, 8, at);
  const uint32_t *amounts = op.sources > 1 ? warp.row<const uint32_t>(rows[1]) : nullptr;
  Block &block = *warp.block;
  TW_LANES if (warp.mask >> lane & 1) {
    Mbarrier *mbarrier = findMbarrier(warp, op, at.of[lane]);
    if (!mbarrier)
      return;
    uint32_t count = arrives ? !expects && amounts ? amounts[lane] : 1 : 0;
    if (mbarrier->pending < count)
      return fault(warp, op, "%u arrive at an mbarrier that waits for %u of %u", count,
                   mbarrier->pending, mbarrier->expected);
    if (op.results && op.rows[0] != none)
      warp.row<uint64_t>(op.rows[0])[lane] = mbarrier->phase;
    if (expects)
      mbarrier->bytes += amounts[lane];
    if (!arrives)
      continue;
    mbarrier->pending -= count;
    join(mbarrier->gathered, warp.clocks);
    endPhase(block, *mbarrier);
  }
  // What follows is not known to those who wait.
  if (arrives)
    ++warp.clocks[warp.id];
}

/// Does the copies of the phase, which then count as written by the mbarrier.
void finishCopies(Warp &warp, const Op &op, Mbarrier &mbarrier) {
  if (mbarrier.copies.empty())
    return;
  ++mbarrier.clock;
  for (const BulkCopy &copy : mbarrier.copies) {
    if (!move(warp, op, copy, mbarrier))
      return;
    mbarrier.bytes -= copy.bytes;
  }
  mbarrier.copies.clear();
  mbarrier.asked = 0;
  mbarrier.gathered[mbarrier.writer] = mbarrier.clock;
  endPhase(*warp.block, mbarrier);
}

/// try_wait, test_wait: has the phase ended that a token names, or that of a parity?
template <bool byParity> void wait(Warp &warp, const Op &op) {
  Addresses at;
  addressesOf(warp, op.rows[1], op.wide, op.offset, 8, at);
  uint32_t ended = 0;
  const Mbarrier *inVain = nullptr;
  TW_LANES if (warp.mask >> lane & 1) {
    Mbarrier *mbarrier = findMbarrier(warp, op, at.of[lane]);
    if (!mbarrier)
      return;
    auto isOver = [&] {
      return byParity ? (mbarrier->phase & 1) != (warp.row<uint32_t>(op.rows[2])[lane] & 1)
                      : mbarrier->phase != uint32_t(warp.row<uint64_t>(op.rows[2])[lane]);
    };
    // Copies take their time: each warp asks in vain at first.
    if (!isOver() && !mbarrier->copies.empty() && !(mbarrier->asked >> warp.id & 1)) {
      mbarrier->asked |= 1u << warp.id;
      inVain = mbarrier;
      ++warp.block->events;
    }
    if (!isOver() && mbarrier != inVain)
      finishCopies(warp, op, *mbarrier);
    if (warp.state == Warp::State::Done)
      return;
    if (!isOver())
      continue;
    ended |= 1u << lane;
    join(warp.clocks, mbarrier->known);
  }
  putMask(warp, op.rows[0], ended);
  if (ended != warp.mask) {
    warp.state = Warp::State::Waiting;
    warp.waitLine = op.line;
  }
}

/// fence.proxy.async: what the warp wrote so far is there for bulk copies and asynchronous
/// products.
void fenceProxy(Warp &warp, const Op &) {
  warp.fenced = warp.clocks[warp.id];
  ++warp.clocks[warp.id];
}

} // namespace

void addMbarriers(InstructionSet &set) {
  set.special["mbarrier.init"] = init;
  set.special["mbarrier.inval"] = invalidate;
  set.special["mbarrier.arrive"] = arriveAt<true, false>;
  set.special["mbarrier.arrive.expect_tx"] = arriveAt<true, true>;
  set.special["mbarrier.expect_tx"] = arriveAt<false, true>;
  set.special["mbarrier.wait"] = wait<false>;
  set.special["mbarrier.wait.parity"] = wait<true>;
  set.special["fence.proxy"] = fenceProxy;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
