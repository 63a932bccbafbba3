// Products of rows that lie along what is summed: its points are the lanes of the vectors.
//
//   for tiles of the one operand: for tiles of the other: for k: sums[rows, rows, lanes] += ...
//
// Both operands are read as they lie, one of them perhaps a few elements apart; or the inner one,
// of few rows, is copied so that its rows lie so. Each sum is a vector until its lanes are combined
// at the end: worth it where few sums, or long ones, would not repay panels of an operand.
#include "Operands.h"

#include "Balance.h"
#include "ListBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Tiles that are looked at for each order of the operands.
constexpr size_t kTiles = 4;

/// Rows of both operands in a tile, and vectors along each. Operand 0 is the outer loop's.
struct Tile {
  int64_t rows[2] = {1, 1};
  int64_t vectors = 1;
  /// Tiles of the outer operand in a program.
  int64_t block = 1;
  /// Cycles of the ports, and loads, of all tiles for a vector of what is summed.
  double work = 0, loads = 0;

  int64_t sums() const { return rows[0] * rows[1]; }
};

struct Inner {
  Operands &of;
  const Operand *operands[2];
  std::optional<unsigned> axes[2];
  unsigned inner;
  int64_t extents[2];
  /// Whether operand 1 is copied: once if it is a constant, else by each program.
  bool packs;
  int64_t k = of.extent(inner), width = of.registersPerVector();

  /// Elements from one point to the next of what is summed.
  int64_t strideOf(unsigned i) const {
    return packs && i == 1 ? 1 : *of.strideOf(*operands[i], inner);
  }

  /// Cycles of shuffles for a vector of lanes that lie apart: two for each register that is read.
  double shuffleCycles(unsigned i) const {
    return strideOf(i) == 1 ? 0 : 2 * double(strideOf(i) * width) / of.traits.shufflesPerCycle;
  }

  int64_t tilesOf(const Tile &tile, unsigned i) const {
    return llvm::divideCeil(extents[i], tile.rows[i]);
  }

  int64_t countRegisters(const Tile &tile) const {
    return (tile.sums() + tile.rows[0] + tile.rows[1]) * tile.vectors * width;
  }

  void countWork(Tile &tile) const {
    const HostTraits &traits = of.traits;
    tile.work = tile.loads = 0;
    double waits = double(traits.fmaLatency) / double(tile.vectors);
    for (auto [a, countA] : wholeAndLast(extents[0], tile.rows[0]))
      for (auto [b, countB] : wholeAndLast(extents[1], tile.rows[1])) {
        auto count = double(countA * countB);
        auto loads = double((a * strideOf(0) + b * strideOf(1)) * width);
        double products = productCycles(a, b * width, /*groupSize=*/1, traits) +
                          double(a) * shuffleCycles(0) + double(b) * shuffleCycles(1);
        tile.work += count * leastOfStep(products, loads, waits, traits);
        tile.loads += count * loads;
      }
  }

  ScheduleAttr emit(const Tile &tile) const {
    ListBuilder list(of.kernel);
    SmallVector<StringAttr> parts[2];
    for (unsigned i : {0, 1}) {
      if (!axes[i])
        continue;
      SmallVector<std::pair<StringRef, int64_t>> factors{{"_r", tile.rows[i]}};
      if (i == 0 && tile.block > 1)
        factors.insert(factors.begin(), {"_b", tile.block});
      parts[i] = list.divide(*axes[i], factors);
    }
    for (unsigned axis : of.stored.set_bits())
      if (axis != axes[0] && axis != axes[1])
        list.grid.push_back(list.name(axis));
    bool split = parts[0].size() > 1;
    if (split)
      list.grid.push_back(parts[0].front());
    for (unsigned i : {0, 1}) {
      if (parts[i].empty())
        continue;
      llvm::append_range(list.order, ArrayRef(parts[i]).drop_back().drop_front(i == 0 && split));
      list.tile.push_back(parts[i].back());
    }
    SmallVector<StringAttr> steps = list.divide(inner, {{"_l", tile.vectors * of.traits.lanes}});
    llvm::append_range(list.order, ArrayRef(steps).drop_back());
    list.tile.push_back(steps.back());
    if (packs) {
      bool global = operands[1]->isConstant;
      SmallVector<StringAttr> dims;
      for (unsigned axis : of.sets.of(operands[1]->op->getResult(0)).set_bits())
        if (global && of.stored[axis] && axis != axes[1])
          dims.push_back(list.name(axis));
      llvm::append_range(dims, parts[1]);
      llvm::append_range(dims, steps);
      list.stage(operands[1]->op, "inner", dims, global);
    }
    return list.finish();
  }
};

} // namespace

/// Whether the lanes of the operand, points of what is summed, lie beside each other or no further
/// apart than half of a vector: those that do are loaded one by one.
static bool canReadAlong(const Inner &inner, unsigned i) {
  return inner.strideOf(i) >= 1 && inner.strideOf(i) <= inner.of.traits.lanes / 2;
}

/// Tiles that read the outer operand from its beginning to its end, one row or whole rows at a
/// time, which the hardware has ahead: where the other one is a vector or a few, and nothing is
/// read twice.
static void addInOrder(const Inner &inner, std::vector<Tile> &tiles) {
  const HostTraits &traits = inner.of.traits;
  if (inner.strideOf(0) != 1)
    return;
  auto chains = int64_t(double(traits.fmaLatency) * traits.fmaPerCycle);
  int64_t most = inner.k / traits.lanes;
  auto add = [&](int64_t rows, int64_t vectors) {
    Tile tile;
    tile.rows[0] = rows;
    tile.rows[1] = inner.extents[1];
    tile.vectors = vectors;
    // Sums and the outer operand; the other one is read from the first cache.
    if (vectors >= 1 && (tile.sums() + rows) * vectors * inner.width < traits.registers &&
        llvm::none_of(tiles, [&](const Tile &other) {
          return ArrayRef(other.rows) == ArrayRef(tile.rows) && other.vectors == vectors;
        }))
      tiles.push_back(tile);
  };
  add(1, std::min(most, std::max<int64_t>(1, chains / inner.extents[1])));
  if (inner.k % traits.lanes == 0)
    for (int64_t rows : {1, 2, 4})
      add(std::min(rows, inner.extents[0]), most);
}

/// The tiles that the ports take least for, and those that read in order.
static std::vector<Tile> findTiles(const Inner &inner) {
  const HostTraits &traits = inner.of.traits;
  std::vector<Tile> tiles;
  Tile tile;
  for (tile.rows[0] = 1; tile.rows[0] <= inner.extents[0]; ++tile.rows[0])
    for (tile.rows[1] = 1; tile.rows[1] <= inner.extents[1]; ++tile.rows[1]) {
      // More vectors of each sum where few sums would wait for each other, and registers are left.
      auto chains = int64_t(double(traits.fmaLatency) * traits.fmaPerCycle);
      tile.vectors = 1;
      int64_t each = inner.countRegisters(tile);
      if (each > traits.registers)
        break;
      tile.vectors = std::min<int64_t>(llvm::divideCeil(chains, tile.sums() * inner.width),
                                       traits.registers / each);
      if (inner.k < tile.vectors * traits.lanes)
        continue;
      inner.countWork(tile);
      tiles.push_back(tile);
    }
  keepBest(
      tiles, [](const Tile &tile) { return std::pair(tile.work, tile.loads); }, kTiles);
  addInOrder(inner, tiles);
  return tiles;
}

/// Proposes the tiles with programs for all threads, and with one for each: those that copy the
/// inner operand each do it as seldom as that.
static void proposeTiles(const Inner &inner, SmallVectorImpl<HostCandidate> &candidates) {
  const HostTraits &traits = inner.of.traits;
  for (Tile tile : findTiles(inner)) {
    int64_t tiles = inner.tilesOf(tile, 0);
    int64_t blocks[] = {std::max<int64_t>(1, tiles / programsFor(traits)),
                        int64_t(llvm::divideCeil(tiles, traits.threads))};
    for (int64_t block : ArrayRef(blocks).take_front(blocks[0] == blocks[1] ? 1 : 2)) {
      tile.block = block;
      candidates.push_back({"contraction", inner.emit(tile)});
    }
  }
}

void tw::schedule::host::proposeInner(Operands &of, SmallVectorImpl<HostCandidate> &candidates) {
  unsigned inner = of.reduced.find_first();
  if (of.reduced.count() != 1 || !of.strideOf(of.operands[0], inner) ||
      !of.strideOf(of.operands[1], inner))
    return;
  for (bool packs : {false, true})
    for (bool swapped : {false, true}) {
      Inner found{of, {&of.operands[swapped], &of.operands[!swapped]}, {}, inner, {1, 1}, packs};
      if (packs && *of.strideOf(*found.operands[1], inner) == 1)
        continue;
      if (!canReadAlong(found, 0) || !canReadAlong(found, 1) ||
          (found.strideOf(0) != 1 && found.strideOf(1) != 1))
        continue;
      for (unsigned i : {0, 1}) {
        found.axes[i] = of.findAxis(*found.operands[i], *found.operands[!i]);
        found.extents[i] = found.axes[i] ? of.extent(*found.axes[i]) : 1;
      }
      // Rows that fill a vector are its lanes.
      if (packs && found.extents[1] >= of.traits.lanes)
        continue;
      proposeTiles(found, candidates);
    }
}
