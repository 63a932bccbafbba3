// What a block of threads is while it runs: warps of 32 lanes in lockstep, local memory, barriers.
//
// Checks of local memory. Time is counted per warp: a warp's own clock grows when it passes a
// barrier, and a barrier tells each of its warps how far the others were. A cell of local memory
// knows which warp wrote it last and at what clock, and when each warp last read it. An access is
// ordered after another if the warp knows the other's clock; else it is a race. Clocks never go
// back, so a cell that was last written before the block began holds nothing.
#pragma once

#include "../Common/Counters.h"
#include "../Common/Memory.h"
#include "Program.h"

#include <deque>
#include <map>

namespace tw::emulator::ptx {

using emulator::Counters;

inline constexpr uint32_t allLanes = ~0u;
inline constexpr uint32_t maxWarps = 32;
/// What writes local memory: warps, and bulk copies, which an mbarrier each stands for.
inline constexpr uint32_t maxWriters = 64;

struct Block;

/// Lanes that wait for others: where they go on, and where that path ends.
struct Path {
  uint32_t pc, join, mask;
};

/// Bytes that an asynchronous copy has yet to move.
struct Copy {
  uint64_t from;
  uint32_t to;
  uint32_t bytes, sourceBytes;
};

/// A product that is under way (wgmma): where its operands are, and whether it adds to its sums.
struct Product {
  const Op *op;
  uint64_t left, right;
  bool adds;
};

struct Warp {
  /// Waiting: looks again when the others have run.
  enum class State : uint8_t { Running, AtBarrier, Waiting, Done };

  uint8_t *registers = nullptr;
  uint32_t mask = 0, alive = 0;
  uint32_t pc = 0, join = none;
  uint32_t id = 0;
  State state = State::Running;
  uint32_t waitLine = 0;
  Block *block = nullptr;
  std::vector<Path> stack;
  /// What this warp knows of the clocks of the block's warps; its own clock is clocks[id].
  uint32_t clocks[maxWriters] = {};
  /// Of its own clock when it last made its writes known to bulk copies and asynchronous products.
  uint32_t fenced = 0;
  /// When it last read each cell of local memory.
  std::vector<uint32_t> reads;
  /// Copies not yet committed, and groups not yet awaited.
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
  /// The same of products. By row / 64 whether one that is under way has the row; and whether
  /// nothing but products has touched their rows since wgmma.fence.
  std::vector<Product> openProducts;
  std::deque<std::vector<Product>> productGroups;
  std::vector<uint8_t> flying;
  bool isFenced = false;

  template <typename T> T *row(uint32_t offset) {
    return reinterpret_cast<T *>(registers + offset);
  }
  /// Goes on with lanes that wait, or ends.
  void pop();
};

struct Cell {
  uint32_t clock = 0;
  uint16_t writer = 0;
  /// An asynchronous copy that nobody has waited for writes here.
  uint16_t pending = 0;
};

struct Barrier {
  uint32_t expected = 0, arrived = 0;
  uint32_t waiting = 0;
  /// What those who arrived knew.
  uint32_t clocks[maxWriters] = {};
};

/// A copy of a box of a tensor, or of bytes, that is under way: rows of 16 bytes or more.
struct BulkCopy {
  /// NULL: zeros.
  struct Row {
    uint64_t from;
    uint32_t to, bytes;
  };
  std::vector<Row> rows;
  uint32_t bytes = 0, swizzle = 0;
};

/// An mbarrier: a phase ends when as many have arrived as are expected, and as many bytes.
struct Mbarrier {
  uint32_t expected = 0, pending = 0, phase = 0;
  int64_t bytes = 0;
  /// Who made it, and when.
  uint32_t maker = 0, made = 0;
  /// The writer that bulk copies with it are, and its clock.
  uint32_t writer = 0, clock = 0;
  std::vector<BulkCopy> copies;
  /// By bits, warps that have asked for the phase since there are copies.
  uint32_t asked = 0;
  /// What those knew who arrived in this phase, and in those before.
  uint32_t gathered[maxWriters] = {}, known[maxWriters] = {};
};

struct Block {
  const Program *program = nullptr;
  const Kernel *kernel = nullptr;
  Memory *memory = nullptr;
  /// The allocation that each operation used last.
  std::vector<Range> ranges;
  std::vector<uint8_t> local;
  std::vector<Cell> cells;
  uint32_t cellShift = 2;
  std::vector<Warp> warps;
  Barrier barriers[16];
  /// By their offset in local memory.
  std::map<uint32_t, Mbarrier> mbarriers;
  /// How often something happened that a warp may wait for.
  uint64_t events = 0;
  const std::vector<uint8_t> *parameters = nullptr;
  /// Clocks below this are of earlier blocks.
  uint32_t began = 1;
  uint32_t id[3] = {};
  /// Lanes of the store that was checked last share an address.
  bool sameTwice = false;
  std::vector<Counters> *counters = nullptr;
  /// Operations times lanes that may still run in this launch.
  int64_t budget = 0;
  /// The first fault; empty: none.
  std::string fault;
};

/// Stops the launch: says what is wrong, where, and for whom.
void fault(Warp &warp, const Op &op, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// The lanes of `op` that are on: those of the warp, less those that its guard leaves out.
inline uint32_t guardLanes(Warp &warp, const Op &op) {
  uint32_t asked = *warp.row<uint32_t>(op.guard);
  return warp.mask & (op.negated ? ~asked : asked);
}

/// Makes the warp wait at barrier `number` until `threads` threads are there.
void arrive(Warp &warp, const Op &op, uint32_t number, uint32_t threads, bool wait);

/// Takes over what `from` says of clocks.
void join(uint32_t (&clocks)[maxWriters], const uint32_t (&from)[maxWriters]);

/// Faults if the operation touches what a product under way has.
void watch(Warp &warp, const Op &op);

/// Copies the bytes of a group, which count as written by the warp now.
void finish(Warp &warp, const Op &op, const std::vector<Copy> &copies);

} // namespace tw::emulator::ptx
