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

/// Steps of a sum that combining its lanes takes beside others, instead of one for each halving of
/// a register; too many, and short sums run along other axes. And cycles of each instruction on it:
/// sums are scalars then, two a cycle.
constexpr double kCombineSteps = 2, kScalarCycles = 0.5;

/// Rows of both operands in a tile, and vectors along each. Operand 0 is the outer loop's.
struct Tile {
  int64_t rows[2] = {1, 1};
  int64_t vectors = 1;

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

  /// Cycles of shuffles for a vector of lanes that lie apart.
  double shuffleCycles(unsigned i) const {
    constexpr double kEach = 2;
    return strideOf(i) == 1 ? 0 : kEach * double(strideOf(i) * width);
  }

  int64_t tilesOf(const Tile &tile, unsigned i) const {
    return llvm::divideCeil(extents[i], tile.rows[i]);
  }

  /// Cycles of a program to copy operand 1.
  double packCycles() const {
    bool repeats = packs && !operands[1]->isConstant;
    return repeats ? double(extents[1] * k) * of.packCycles(/*transposes=*/true) : 0;
  }

  /// Tiles of the outer operand in a program: fewer programs where each copies the other one, as
  /// long as that is more than a share of their work, but one for each of two threads.
  int64_t blockOf(const Tile &tile) const {
    constexpr double kPackShare = 0.1, kTwo = 2;
    double each = packCycles();
    if (each == 0)
      return std::max<int64_t>(1, tilesOf(tile, 0) / programsFor(of.traits));
    double most = std::clamp<double>(kPackShare * multiplyCycles() / each, kTwo,
                                     double(programsFor(of.traits)));
    return llvm::divideCeil(tilesOf(tile, 0), int64_t(most));
  }

  /// Cycles of the multiply-adds of one product, of those beside each other in the grid.
  double multiplyCycles() const {
    double vectors = double(llvm::divideCeil(k, of.traits.lanes) * width);
    return double(extents[0] * extents[1]) * vectors / of.traits.fmaPerCycle;
  }

  int64_t countRegisters(const Tile &tile) const {
    return (tile.sums() + tile.rows[0] + tile.rows[1]) * tile.vectors * width;
  }

  HostEstimate estimate(const Tile &tile) const {
    const HostTraits &traits = of.traits;
    double others = double(of.sets.points(of.stored)) / double(extents[0] * extents[1]);
    double steps = double(llvm::divideCeil(k, traits.lanes)) * others;
    HostEstimate found;
    int64_t last[2], full[2];
    for (unsigned i : {0, 1}) {
      full[i] = tilesOf(tile, i) - 1;
      last[i] = extents[i] - full[i] * tile.rows[i];
    }
    for (auto [a, countA] : {std::pair(tile.rows[0], full[0]), std::pair(last[0], int64_t(1))})
      for (auto [b, countB] : {std::pair(tile.rows[1], full[1]), std::pair(last[1], int64_t(1))}) {
        double count = double(countA * countB) * steps;
        double waits = double(traits.fmaLatency) / double(tile.vectors);
        found.compute += count * (std::max(double(a * b * width) / traits.fmaPerCycle, waits) +
                                  double(a) * shuffleCycles(0) + double(b) * shuffleCycles(1));
        found.l1 +=
            count * double((a * strideOf(0) + b * strideOf(1)) * width) / traits.loadsPerCycle;
      }
    // Of equal tiles the one that loads least.
    constexpr double kLoadShare = 0.05;
    double bytes[2];
    for (unsigned i : {0, 1})
      bytes[i] =
          double(extents[i] * k * (packs && i == 1 ? of.elementBytes() : operands[i]->bytes));
    bool fits = of.isNear((bytes[0] + bytes[1]) * others);
    double far = fits ? traits.l3BytesPerCycle : traits.memoryBytesPerCycle;
    double passes = double(tilesOf(tile, 0));
    found.l2 = others * (bytes[0] + passes * bytes[1]) / traits.l2BytesPerCycle;
    found.memory = others *
                   (bytes[0] + (bytes[1] <= double(traits.l2Bytes) / 2 ? 1 : passes) * bytes[1]) /
                   far;
    found.overhead =
        double(extents[0] * extents[1]) * others *
            (kCombineSteps * double(traits.fmaLatency * width) +
             kScalarCycles * double(of.countEpilogue())) +
        kLoadShare * found.l1 +
        double(llvm::divideCeil(tilesOf(tile, 0), blockOf(tile))) * others * packCycles();
    // Of equal tiles those with which two threads wait least for each other.
    constexpr double kWaitShare = 0.05, kLost = 1.02;
    double stretch = stretchOf(
        {GridLevel{int64_t(others)}, cutInBlocks(extents[0], blockOf(tile) * tile.rows[0])},
        traits.threads);
    found.overhead += kWaitShare * found.compute * std::max(0.0, stretch - kLost);
    found.registers = countRegisters(tile);
    return found;
  }

  ScheduleAttr emit(const Tile &tile) const {
    ListBuilder list(of.kernel);
    SmallVector<StringAttr> parts[2];
    for (unsigned i : {0, 1}) {
      if (!axes[i])
        continue;
      SmallVector<std::pair<StringRef, int64_t>> factors{{"_r", tile.rows[i]}};
      if (i == 0 && blockOf(tile) > 1)
        factors.insert(factors.begin(), {"_b", blockOf(tile)});
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
    list.order.push_back(steps.front());
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

/// The best tile, or none that fits or is worth it.
static std::optional<std::pair<Tile, HostEstimate>> findTile(const Inner &inner) {
  const HostTraits &traits = inner.of.traits;
  std::optional<std::pair<Tile, HostEstimate>> best;
  Tile tile;
  for (tile.rows[0] = 1; tile.rows[0] <= inner.extents[0]; ++tile.rows[0])
    for (tile.rows[1] = 1; tile.rows[1] <= inner.extents[1]; ++tile.rows[1]) {
      // More vectors of each sum where few sums would wait for each other.
      auto chains = int64_t(double(traits.fmaLatency) * traits.fmaPerCycle);
      tile.vectors = llvm::divideCeil(chains, tile.sums() * inner.width);
      if (inner.countRegisters(tile) > traits.registers)
        break;
      // Lanes that lie apart pay where sums are long.
      constexpr int64_t kLeastSteps = 4, kLeastApart = 64;
      bool apart = inner.strideOf(0) != 1 || inner.strideOf(1) != 1;
      if (inner.k < (apart ? kLeastApart : kLeastSteps) * tile.vectors * traits.lanes)
        continue;
      HostEstimate estimate = inner.estimate(tile);
      if (!best || estimate.cycles() < best->second.cycles())
        best = {tile, estimate};
    }
  return best;
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
      if (std::optional<std::pair<Tile, HostEstimate>> best = findTile(found))
        candidates.push_back({"contraction", found.emit(best->first)});
    }
}
