// Blocks one after the other; in a block each warp until it waits.
#include "Launch.h"
#include "Instructions.h"

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tw::emulator;
using namespace tw::emulator::ptx;

void tw::emulator::ptx::fault(Warp &warp, const Op &op, const char *format, ...) {
  Block &block = *warp.block;
  if (block.fault.empty()) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char place[160];
    snprintf(place, sizeof(place), " (block %u,%u,%u, warp %u, lanes %#x)", block.id[0],
             block.id[1], block.id[2], warp.id, warp.mask);
    block.fault = "kernel '" + block.kernel->name + "', line " + std::to_string(op.line) + ": " +
                  text + place + " in '" + std::string(block.program->line(op.line)) + "'";
  }
  warp.mask = 0;
  warp.state = Warp::State::Done;
}

void Warp::pop() {
  while (!stack.empty()) {
    Path path = stack.back();
    stack.pop_back();
    path.mask &= alive;
    // At its end already: its lanes go on with those that wait for it.
    if (path.mask && path.pc != path.join) {
      pc = path.pc;
      join = path.join;
      mask = path.mask;
      return;
    }
  }
  mask = 0;
  state = State::Done;
}

void tw::emulator::ptx::join(uint32_t (&clocks)[maxWriters], const uint32_t (&from)[maxWriters]) {
  for (uint32_t i = 0; i < maxWriters; ++i)
    clocks[i] = std::max(clocks[i], from[i]);
}

void tw::emulator::ptx::watch(Warp &warp, const Op &op) {
  const std::vector<uint8_t> &watched = warp.block->kernel->watched;
  for (uint32_t i = 0; i < uint32_t(op.results) + op.sources; ++i) {
    if (op.rows[i] == none || !watched[op.rows[i] / 64])
      continue;
    if (warp.flying[op.rows[i] / 64])
      return fault(warp, op, "touches a register of a wgmma that was not waited for");
    warp.isFenced &= i >= op.results;
  }
}

void tw::emulator::ptx::arrive(Warp &warp, const Op &op, uint32_t number, uint32_t threads,
                               bool wait) {
  Block &block = *warp.block;
  if (warp.mask != warp.alive)
    return fault(warp, op, "a barrier in divergent code: lanes %#x of %#x are here", warp.mask,
                 warp.alive);
  if (number >= 16)
    return fault(warp, op, "barrier %u, there are 16", number);
  uint32_t all = uint32_t(block.warps.size()) * 32;
  uint32_t expected = threads ? threads : all;
  if (expected % 32 || expected > all)
    return fault(warp, op, "a barrier of %u threads in a block of %u", expected, all);
  Barrier &barrier = block.barriers[number];
  if (barrier.arrived && barrier.expected != expected)
    return fault(warp, op, "barrier %u of %u threads, others expect %u there", number, expected,
                 barrier.expected);
  if (!threads)
    for (const Warp &other : block.warps)
      if (!other.alive)
        return fault(warp, op, "a barrier of the whole block after warp %u has ended", other.id);
  barrier.expected = expected;
  barrier.arrived += 32;
  join(barrier.clocks, warp.clocks);
  if (wait) {
    barrier.waiting |= 1u << warp.id;
    warp.state = Warp::State::AtBarrier;
    warp.waitLine = op.line;
  } else {
    ++warp.clocks[warp.id];
  }
  if (barrier.arrived < expected)
    return;
  for (Warp &other : block.warps) {
    if (!(barrier.waiting >> other.id & 1))
      continue;
    join(other.clocks, barrier.clocks);
    ++other.clocks[other.id];
    other.state = Warp::State::Running;
  }
  ++block.events;
  barrier = {};
}

void tw::emulator::ptx::finish(Warp &warp, const Op &op, const std::vector<Copy> &copies) {
  Block &block = *warp.block;
  for (const Copy &copy : copies) {
    if (copy.sourceBytes) {
      const Range *range = block.memory->find(copy.from);
      if (!range || !range->holds(copy.from, copy.from + copy.sourceBytes))
        return fault(warp, op,
                     "an asynchronous copy reads %u bytes at %#llx, which is in no allocation",
                     copy.sourceBytes, (unsigned long long)copy.from);
      memcpy(&block.local[copy.to], reinterpret_cast<const void *>(copy.from), copy.sourceBytes);
    }
    memset(&block.local[copy.to + copy.sourceBytes], 0, copy.bytes - copy.sourceBytes);
    for (uint32_t i = copy.to >> block.cellShift; i < (copy.to + copy.bytes) >> block.cellShift;
         ++i)
      block.cells[i] = {warp.clocks[warp.id], uint16_t(warp.id), 0};
  }
}

namespace {

class Grid {
public:
  explicit Grid(const Launch &launch) : launch(launch), kernel(*launch.kernel) {}
  ~Grid() { free(arena); }
  Outcome run();

private:
  void makeBlock();
  void fillRows(Warp &warp);
  void beginBlock(uint32_t x, uint32_t y, uint32_t z);
  void runBlock();
  void runWarp(Warp &warp);
  void reportDeadlock();
  void checkEnd();
  uint32_t special(const Warp &warp, Special which, uint32_t lane) const;

  const Launch &launch;
  const Kernel &kernel;
  Block block;
  uint8_t *arena = nullptr;
  uint32_t threads = 0, localBytes = 0;
  Outcome outcome;
};

} // namespace

uint32_t Grid::special(const Warp &warp, Special which, uint32_t lane) const {
  uint32_t thread = 32 * warp.id + lane;
  const uint32_t *size = launch.block;
  switch (which) {
  case Special::TidX:
    return thread % size[0];
  case Special::TidY:
    return thread / size[0] % size[1];
  case Special::TidZ:
    return thread / size[0] / size[1];
  case Special::NtidX:
    return size[0];
  case Special::NtidY:
    return size[1];
  case Special::NtidZ:
    return size[2];
  case Special::CtaidX:
    return block.id[0];
  case Special::CtaidY:
    return block.id[1];
  case Special::CtaidZ:
    return block.id[2];
  case Special::NctaidX:
    return launch.grid[0];
  case Special::NctaidY:
    return launch.grid[1];
  case Special::NctaidZ:
    return launch.grid[2];
  case Special::LaneId:
    return lane;
  case Special::WarpId:
    return warp.id;
  case Special::NwarpId:
    return uint32_t(block.warps.size());
  case Special::LanemaskEq:
    return 1u << lane;
  case Special::LanemaskLe:
    return (2u << lane) - 1;
  case Special::LanemaskLt:
    return (1u << lane) - 1;
  case Special::LanemaskGe:
    return ~((1u << lane) - 1);
  case Special::LanemaskGt:
    return ~((2u << lane) - 1);
  case Special::ClusterCtaRank:
    return 0;
  case Special::ClusterNctaRank:
    return 1;
  case Special::ClusterCtaidX:
    return 0;
  case Special::ClusterNctaidX:
    return 1;
  case Special::ClusteridX:
    return block.id[0];
  case Special::NclusteridX:
    return launch.grid[0];
  case Special::DynamicBytes:
    return launch.dynamicBytes;
  case Special::TotalBytes:
    return localBytes;
  }
  return 0;
}

/// What stays the same from block to block.
void Grid::fillRows(Warp &warp) {
  uint32_t align = kernel.dynamicAlignment;
  uint64_t dynamicBase = localBase + (kernel.localBytes + align - 1) / align * align;
  for (const Constant &constant : kernel.constants) {
    uint64_t value = constant.value + (constant.dynamic ? dynamicBase : 0);
    if (constant.bits == 1)
      *warp.row<uint32_t>(constant.row) = uint32_t(value);
    else if (constant.bits == 64)
      std::fill_n(warp.row<uint64_t>(constant.row), 32, value);
    else
      std::fill_n(warp.row<uint32_t>(constant.row), 32, uint32_t(value));
  }
  for (const Kernel::ParameterRow &row : kernel.parameterRows) {
    uint64_t value = 0;
    memcpy(&value, launch.parameters.data() + row.offset, row.bytes);
    if (row.bytes == 8)
      std::fill_n(warp.row<uint64_t>(row.row), 32, value);
    else
      std::fill_n(warp.row<uint32_t>(row.row), 32, uint32_t(value));
  }
}

void Grid::makeBlock() {
  threads = launch.block[0] * launch.block[1] * launch.block[2];
  uint32_t warps = (threads + 31) / 32, align = kernel.dynamicAlignment;
  localBytes = (kernel.localBytes + align - 1) / align * align + launch.dynamicBytes;
  block.program = launch.program;
  block.kernel = &kernel;
  block.memory = launch.memory;
  block.counters = launch.counters;
  block.budget = launch.budget;
  block.parameters = &launch.parameters;
  block.ranges.resize(kernel.ops.size());
  block.local.resize((localBytes + 15) / 16 * 16);
  block.cellShift = uint32_t(std::countr_zero(std::min(kernel.cellBytes, 16u)));
  block.cells.resize((block.local.size() >> block.cellShift) + 1);
  size_t stride = (kernel.registerBytes + 63) / 64 * 64;
  arena = static_cast<uint8_t *>(aligned_alloc(64, std::max<size_t>(stride * warps, 64)));
  memset(arena, 0xee, stride * warps);
  block.warps.resize(warps);
  for (uint32_t i = 0; i < warps; ++i) {
    Warp &warp = block.warps[i];
    warp.id = i;
    warp.block = &block;
    warp.registers = arena + stride * i;
    warp.reads.resize(block.cells.size());
    warp.flying.resize(kernel.watched.size());
    fillRows(warp);
  }
}

void Grid::beginBlock(uint32_t x, uint32_t y, uint32_t z) {
  block.id[0] = x;
  block.id[1] = y;
  block.id[2] = z;
  uint32_t last = block.began;
  for (const Warp &warp : block.warps)
    last = std::max(last, warp.clocks[warp.id]);
  for (const auto &[offset, mbarrier] : block.mbarriers)
    last = std::max(last, mbarrier.clock);
  block.mbarriers.clear();
  block.began = last + 1;
  for (Warp &warp : block.warps) {
    std::fill_n(warp.clocks, maxWriters, block.began - 1);
    warp.fenced = block.began - 1;
    warp.isFenced = false;
    warp.openProducts.clear();
    warp.productGroups.clear();
    std::fill(warp.flying.begin(), warp.flying.end(), uint8_t(0));
    warp.clocks[warp.id] = block.began;
    uint32_t lanes = std::min(32u, threads - 32 * warp.id);
    warp.alive = warp.mask = lanes == 32 ? allLanes : (1u << lanes) - 1;
    warp.pc = 0;
    warp.join = none;
    warp.state = Warp::State::Running;
    warp.stack.clear();
    warp.open.clear();
    warp.groups.clear();
    for (auto [which, row] : kernel.specials)
      for (uint32_t lane = 0; lane < 32; ++lane)
        warp.row<uint32_t>(row)[lane] = special(warp, which, lane);
  }
  std::fill(std::begin(block.barriers), std::end(block.barriers), Barrier());
}

void Grid::runWarp(Warp &warp) {
  const Op *ops = kernel.ops.data();
  const bool watches = !kernel.watched.empty();
  uint64_t operations = 0, lanes = 0;
  // Warps that wait again and again go a short way at a time.
  auto checkBudget = [&](const Op &op) {
    if (int64_t(lanes) > block.budget)
      fault(warp, op, "no end in sight after %lld operations of lanes", (long long)launch.budget);
    return int64_t(lanes) <= block.budget;
  };
  const Op *last = ops + warp.pc;
  while (warp.state == Warp::State::Running) {
    const Op &op = *(last = &ops[warp.pc++]);
    ++operations;
    lanes += uint32_t(std::popcount(warp.mask));
    if (block.counters) {
      (*block.counters)[op.index].executions++;
      (*block.counters)[op.index].lanes += uint32_t(std::popcount(warp.mask));
    }
    if (watches && !op.isProduct) {
      watch(warp, op);
      if (warp.state == Warp::State::Done)
        break;
    }
    op.run(warp, op);
    if (warp.pc == warp.join && warp.mask)
      warp.pop();
    if ((operations & 0xffff) == 0 && !checkBudget(op))
      break;
  }
  if (block.fault.empty())
    checkBudget(*last);
  block.budget -= int64_t(lanes);
  outcome.operations += operations;
  outcome.laneOperations += lanes;
}

void Grid::reportDeadlock() {
  std::string text = "kernel '" + kernel.name + "': deadlock, ";
  for (const Warp &warp : block.warps)
    if (warp.state != Warp::State::Done)
      text += "warp " + std::to_string(warp.id) + " waits at line " +
              std::to_string(warp.waitLine) + ", ";
  for (uint32_t i = 0; i < 16; ++i)
    if (const Barrier &barrier = block.barriers[i]; barrier.arrived)
      text += "barrier " + std::to_string(i) + " has " + std::to_string(barrier.arrived) + " of " +
              std::to_string(barrier.expected) + " threads, ";
  for (const auto &[offset, mbarrier] : block.mbarriers)
    if (mbarrier.pending != mbarrier.expected || mbarrier.bytes)
      text += "mbarrier at offset " + std::to_string(offset) + " lacks " +
              std::to_string(mbarrier.pending) + " of " + std::to_string(mbarrier.expected) +
              " arrivals and " + std::to_string(mbarrier.bytes) + " bytes in phase " +
              std::to_string(mbarrier.phase) + ", ";
  block.fault = text + "block " + std::to_string(block.id[0]) + "," + std::to_string(block.id[1]);
}

/// What may not be under way when the block ends.
void Grid::checkEnd() {
  for (Warp &warp : block.warps)
    if (!warp.openProducts.empty() || !warp.productGroups.empty())
      block.fault = "kernel '" + kernel.name + "': warp " + std::to_string(warp.id) +
                    " ends while a wgmma is under way";
  for (const auto &[offset, mbarrier] : block.mbarriers)
    if (!mbarrier.copies.empty())
      block.fault = "kernel '" + kernel.name +
                    "': the block ends while a bulk copy of the mbarrier at offset " +
                    std::to_string(offset) + " is under way";
}

void Grid::runBlock() {
  // A warp that waits for an mbarrier asks once more for each round of the others. As long as
  // nothing happens that a warp may wait for, asking again changes nothing.
  constexpr uint32_t mostIdleRounds = 2;
  uint32_t idle = 0;
  while (idle <= mostIdleRounds) {
    uint64_t events = block.events;
    bool waits = false, ran = false;
    for (Warp &warp : block.warps) {
      if (warp.state == Warp::State::Waiting)
        warp.state = Warp::State::Running;
      if (warp.state == Warp::State::Running) {
        runWarp(warp);
        ran |= warp.state != Warp::State::Waiting;
      }
      if (!block.fault.empty())
        return;
      waits |= warp.state != Warp::State::Done;
    }
    if (!waits)
      return checkEnd();
    idle = ran || block.events != events ? 0 : idle + 1;
  }
  reportDeadlock();
}

Outcome Grid::run() {
  makeBlock();
  for (uint32_t z = 0; z < launch.grid[2]; ++z)
    for (uint32_t y = 0; y < launch.grid[1]; ++y)
      for (uint32_t x = 0; x < launch.grid[0]; ++x) {
        beginBlock(x, y, z);
        runBlock();
        if (!block.fault.empty()) {
          outcome.fault = block.fault;
          return outcome;
        }
      }
  return outcome;
}

Outcome tw::emulator::ptx::run(const Launch &launch) { return Grid(launch).run(); }
