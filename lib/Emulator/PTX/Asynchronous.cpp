// cp.async: copies that are under way until somebody waits for them.
//
// Bytes move at the latest legal moment, when their group is awaited; until then the destination
// holds a pattern and is marked, so that an early read is found whether or not it happens to be
// harmless.
#include "Checks.h"

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

/// rows: local address, global address, perhaps the bytes that the source has. op.bytes: bytes
/// copied.
void copy(Warp &warp, const Op &op) {
  Addresses to, from;
  addressesOf(warp, op.rows[0], op.wide, op.offset, op.bytes, to);
  addressesOf(warp, op.rows[1], true, op.offset2, op.bytes, from);
  const uint32_t *sizes = op.sources > 2 ? warp.row<const uint32_t>(op.rows[2]) : nullptr;
  // What is read is checked now: the source must hold values already. No bytes: any address.
  uint32_t before = warp.mask;
  if (sizes) {
    uint32_t reads = 0;
    TW_LANES {
      reads |= uint32_t(sizes[lane] != 0) << lane;
      if ((before >> lane & 1) && sizes[lane] > op.bytes) {
        fault(warp, op, "lane %u copies %u bytes of %u", lane, sizes[lane], op.bytes);
        return;
      }
    }
    warp.mask &= reads;
  }
  if (warp.mask) {
    // With fewer lanes on, the extremes are others.
    addressesOf(warp, op.rows[1], true, op.offset2, op.bytes, from);
    if (!sizes && !checkGlobal(warp, op, from, op.bytes, false))
      return;
    if (sizes && !checkAlignment(warp, op, from, op.bytes))
      return;
    if (sizes && warp.block->counters)
      countGlobal((*warp.block->counters)[op.index], from.of, warp.mask, 32, op.bytes);
  }
  warp.mask = before;
  if (!checkLocalWrite(warp, op, to, op.bytes))
    return;
  Block &block = *warp.block;
  TW_LANES if (before >> lane & 1) {
    uint32_t at = uint32_t(to.of[lane]);
    memset(&block.local[at], 0xff, op.bytes);
    for (uint32_t i = at >> block.cellShift; i < (at + op.bytes) >> block.cellShift; ++i)
      block.cells[i].pending = 1;
    warp.open.push_back({from.of[lane], at, op.bytes, sizes ? sizes[lane] : op.bytes});
  }
}

void commit(Warp &warp, const Op &) {
  warp.groups.push_back(std::move(warp.open));
  warp.open.clear();
}

/// All groups but the op.offset youngest are done.
void waitGroups(Warp &warp, const Op &op) {
  while (warp.groups.size() > size_t(op.offset)) {
    finish(warp, op, warp.groups.front());
    warp.groups.pop_front();
  }
}

void waitAll(Warp &warp, const Op &op) {
  commit(warp, op);
  while (!warp.groups.empty()) {
    finish(warp, op, warp.groups.front());
    warp.groups.pop_front();
  }
}

} // namespace

void addAsynchronous(InstructionSet &set) {
  set.special["cp.async"] = copy;
  set.special["cp.async.commit_group"] = commit;
  set.special["cp.async.wait_group"] = waitGroups;
  set.special["cp.async.wait_all"] = waitAll;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
