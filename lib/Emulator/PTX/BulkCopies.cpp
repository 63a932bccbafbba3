// cp.async.bulk: copies of bytes and of boxes of tensors, which report to an mbarrier.
//
// Until somebody has waited for the mbarrier, the destination holds a pattern and is marked.
#include "BulkCopies.h"
#include "TensorMap.h"

#include <bit>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

/// Marks where a copy goes to, which nobody may use any more who is not known to have done so.
bool claim(Warp &warp, const Op &op, uint32_t begin, uint32_t bytes) {
  Block &block = *warp.block;
  if (uint64_t(begin) + bytes > block.local.size()) {
    fault(warp, op, "copies %u bytes to offset %u of local memory, which has %zu", bytes, begin,
          block.local.size());
    return false;
  }
  for (uint32_t i = begin >> block.cellShift; i < (begin + bytes) >> block.cellShift; ++i) {
    Cell &cell = block.cells[i];
    uint32_t offset = i << block.cellShift;
    if (cell.clock >= block.began && cell.pending) {
      fault(warp, op, "copies to offset %u of local memory, where a copy is under way", offset);
      return false;
    }
    if (cell.clock > warp.clocks[cell.writer] ||
        (cell.writer < maxWarps && cell.clock >= block.began &&
         cell.clock > block.warps[cell.writer].fenced)) {
      fault(warp, op,
            "race: copies to offset %u of local memory, which warp %u wrote and no barrier with a "
            "fence.proxy.async came between",
            offset, cell.writer);
      return false;
    }
    for (const Warp &other : block.warps)
      if (other.reads[i] > warp.clocks[other.id]) {
        fault(warp, op,
              "race: copies to offset %u of local memory, which warp %u read and no barrier came "
              "between",
              offset, other.id);
        return false;
      }
    cell = {warp.clocks[warp.id], uint16_t(warp.id), 1};
  }
  memset(&block.local[begin], 0xff, bytes);
  return true;
}

/// What both kinds begin with.
Mbarrier *beginCopy(Warp &warp, const Op &op, uint32_t lane, uint64_t to, uint32_t alignment) {
  uint32_t row = op.rows[op.sources - 1];
  uint64_t at = op.wide ? warp.row<uint64_t>(row)[lane] : warp.row<uint32_t>(row)[lane];
  Mbarrier *mbarrier = findMbarrier(warp, op, at + uint64_t(op.offset3));
  if (!mbarrier)
    return nullptr;
  if (mbarrier->made > warp.block->warps[mbarrier->maker].fenced) {
    fault(warp, op, "uses an mbarrier that warp %u made without a fence behind it",
          mbarrier->maker);
    return nullptr;
  }
  if (to < localBase || to % alignment) {
    fault(warp, op, "copies to %#llx, which is no multiple of %u in local memory",
          (unsigned long long)to, alignment);
    return nullptr;
  }
  return mbarrier;
}

void copyBytes(Warp &warp, const Op &op) {
  Addresses to, from;
  addressesOf(warp, op.rows[0], op.wide, op.offset, 16, to);
  addressesOf(warp, op.rows[1], true, op.offset2, 16, from);
  const uint32_t *sizes = warp.row<const uint32_t>(op.rows[2]);
  TW_LANES if (warp.mask >> lane & 1) {
    uint32_t bytes = sizes[lane];
    Mbarrier *mbarrier = beginCopy(warp, op, lane, to.of[lane], 16);
    if (!mbarrier)
      return;
    if (bytes % 16 || from.of[lane] % 16)
      return fault(warp, op, "copies %u bytes from %#llx, which are no multiples of 16", bytes,
                   (unsigned long long)from.of[lane]);
    uint32_t begin = uint32_t(to.of[lane] - localBase);
    if (!claim(warp, op, begin, bytes))
      return;
    mbarrier->copies.push_back({{{from.of[lane], begin, bytes}}, bytes, 0});
  }
}

const TensorMap *findMap(Warp &warp, const Op &op, uint64_t address, TensorMap &storage) {
  const std::vector<uint8_t> &parameters = *warp.block->parameters;
  uint64_t offset = address - parameterWindow;
  if (address >= parameterWindow && offset + 128 <= parameters.size() && offset % 64 == 0)
    memcpy(&storage, parameters.data() + offset, sizeof(storage));
  else if (const Range *range = warp.block->memory->find(address);
           range && range->holds(address, address + 128) && address % 64 == 0)
    memcpy(&storage, reinterpret_cast<const void *>(address), sizeof(storage));
  if (storage.magic == TensorMap::magicNumber && storage.rank == op.count)
    return &storage;
  fault(warp, op, "no map of a tensor of rank %u at %#llx", op.count, (unsigned long long)address);
  return nullptr;
}

/// The box of the map at a lane's coordinates, row by row. What is outside is 0.
BulkCopy makeCopy(Warp &warp, const Op &op, uint32_t lane, const TensorMap &map, uint32_t to) {
  BulkCopy copy;
  copy.swizzle = map.swizzle;
  int64_t first[5];
  uint32_t rowBytes = map.box[0] * map.elementBytes, rows = 1;
  for (uint32_t d = 0; d < map.rank; ++d) {
    first[d] = int32_t(warp.row<uint32_t>(op.rows[2 + d])[lane]);
    rows *= d ? map.box[d] : 1;
  }
  copy.bytes = rows * rowBytes;
  for (uint32_t row = 0; row < rows; ++row, to += rowBytes) {
    uint64_t from = map.address;
    bool inside = true;
    for (uint32_t d = 1, rest = row; d < map.rank; rest /= map.box[d++]) {
      int64_t at = first[d] + rest % map.box[d];
      inside &= at >= 0 && at < map.extents[d];
      from += uint64_t(at) * map.strides[d - 1];
    }
    // Of the row, what is before, inside and behind the tensor.
    int64_t begin = std::min<int64_t>(std::max<int64_t>(-first[0], 0), map.box[0]);
    int64_t end =
        std::min<int64_t>(std::max<int64_t>(map.extents[0] - first[0], begin), map.box[0]);
    if (!inside)
      begin = end = 0;
    auto add = [&](uint64_t source, int64_t low, int64_t high) {
      if (high > low)
        copy.rows.push_back({source, to + uint32_t(low) * map.elementBytes,
                             uint32_t(high - low) * map.elementBytes});
    };
    add(0, 0, begin);
    add(from + uint64_t(first[0] + begin) * map.elementBytes, begin, end);
    add(0, end, map.box[0]);
  }
  return copy;
}

void copyTensor(Warp &warp, const Op &op) {
  Addresses to;
  addressesOf(warp, op.rows[0], op.wide, op.offset, 16, to);
  TW_LANES if (warp.mask >> lane & 1) {
    TensorMap storage;
    const TensorMap *map =
        findMap(warp, op, warp.row<uint64_t>(op.rows[1])[lane] + uint64_t(op.offset2), storage);
    // Rows of which chunks trade places begin where the pattern does.
    Mbarrier *mbarrier =
        map ? beginCopy(warp, op, lane, to.of[lane], std::max(128u, 8u * map->swizzle)) : nullptr;
    if (!mbarrier)
      return;
    if (map->swizzle && map->box[0] * map->elementBytes != map->swizzle)
      return fault(warp, op, "rows of %u bytes in a swizzle of %u are not modelled",
                   map->box[0] * map->elementBytes, map->swizzle);
    uint32_t begin = uint32_t(to.of[lane] - localBase);
    BulkCopy copy = makeCopy(warp, op, lane, *map, begin);
    if (!claim(warp, op, begin, copy.bytes))
      return;
    if (warp.block->counters) {
      Counters &counters = (*warp.block->counters)[op.index];
      for (const BulkCopy::Row &row : copy.rows) {
        uint64_t first = row.from / 32, last = (row.from + row.bytes + 31) / 32;
        counters.sectors += row.from ? last - first : 0;
        counters.least += row.from ? (row.bytes + 31) / 32 : 0;
      }
    }
    mbarrier->copies.push_back(std::move(copy));
  }
}

} // namespace

bool move(Warp &warp, const Op &op, const BulkCopy &copy, const Mbarrier &mbarrier) {
  Block &block = *warp.block;
  for (const BulkCopy::Row &row : copy.rows) {
    if (row.from) {
      const Range *range = block.memory->find(row.from);
      if (!range || !range->holds(row.from, row.from + row.bytes)) {
        fault(warp, op, "a bulk copy reads %u bytes at %#llx, which is in no allocation", row.bytes,
              (unsigned long long)row.from);
        return false;
      }
      for (uint64_t at = row.from - range->begin, end = at + row.bytes; at < end; ++at)
        if (!(range->written[at / 64] >> at % 64 & 1)) {
          fault(warp, op, "a bulk copy reads global memory that nobody has written, at %#llx",
                (unsigned long long)(range->begin + at));
          return false;
        }
    }
    // Pieces of 16 bytes stay together; rows may begin in the middle of one.
    for (uint32_t done = 0; done < row.bytes;) {
      uint32_t at = row.to + done, bytes = std::min(row.bytes - done, 16 - at % 16);
      uint32_t there = uint32_t(swizzleAddress(at + localBase, copy.swizzle) - localBase);
      if (row.from)
        memcpy(&block.local[there], reinterpret_cast<const void *>(row.from + done), bytes);
      else
        memset(&block.local[there], 0, bytes);
      uint32_t first = there >> block.cellShift;
      for (uint32_t i = first; i <= (there + bytes - 1) >> block.cellShift; ++i)
        block.cells[i] = {mbarrier.clock, uint16_t(mbarrier.writer), 0};
      done += bytes;
    }
  }
  return true;
}

void addBulkCopies(InstructionSet &set) {
  set.special["bulk"] = copyBytes;
  set.special["bulk.tensor"] = copyTensor;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
