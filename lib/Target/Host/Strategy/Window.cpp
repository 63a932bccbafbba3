// Windows that slide over contiguous memory by a few elements: depthwise convolutions and pooling.
//
// All taps of the window are unrolled around a block of results in registers. Where the block holds
// whole rows or columns of the image, which taps fall into the padding is known for each of them:
// those are left out, and masks are constants. What is reduced of the results (the mean of a
// channel) is summed beside them: its axes are loops of a program.
#include "Accesses.h"
#include "Cheapest.h"
#include "ListBuilder.h"
#include "Ports.h"
#include "Strategies.h"

#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Whether some coordinate is a sum of the axis and one that is kept.
static bool slides(const Accesses &accesses, unsigned axis, const llvm::SmallBitVector &reduced) {
  return llvm::any_of(accesses.all(), [&](const Access &access) {
    return llvm::any_of(access.map.getResults(), [&](AffineExpr coordinate) {
      bool own = false, kept = false;
      for (auto [position, index] : llvm::enumerate(access.indices)) {
        auto other = dyn_cast<BlockArgument>(index);
        if (!other || !coordinate.isFunctionOfDim(position))
          continue;
        own |= other.getArgNumber() == axis;
        kept |= !reduced[other.getArgNumber()];
      }
      return own && kept;
    });
  });
}

/// Whether the reduced axis is long and runs through a part of memory that no other window has: a
/// reduction in parts, of which a vector at a time is enough.
static bool isPart(const Accesses &accesses, unsigned axis, ArrayRef<int64_t> extents) {
  constexpr int64_t kLong = 16;
  return extents[axis] >= kLong && llvm::all_of(accesses.all(), [&](const Access &access) {
           std::optional<int64_t> step = accesses.getStride(access, axis);
           if (!step || *step == 0)
             return step.has_value();
           return llvm::none_of(access.axes.set_bits(), [&](unsigned other) {
             std::optional<int64_t> stride = accesses.getStride(access, other);
             int64_t distance = stride ? std::abs(*stride) : 0;
             return other != axis && distance >= std::abs(*step) &&
                    distance < std::abs(*step) * extents[axis];
           });
         });
}

/// Whether results are contiguous along the axis, and what is loaded so nearly that whole vectors
/// are worth it.
static bool isNearlyContiguous(const Accesses &accesses, unsigned axis, int64_t lanes) {
  return llvm::all_of(accesses.all(), [&](const Access &access) {
    std::optional<int64_t> stride = accesses.getStride(access, axis);
    // What is reduced of results is stored once for all of them.
    return stride &&
           (access.isStore && access.axes[axis] ? *stride == 1 : std::abs(*stride) <= lanes / 2);
  });
}

/// Whether windows slide along an axis that is kept.
static bool isSlidAlong(const Accesses &accesses, unsigned axis,
                        const llvm::SmallBitVector &reduced) {
  llvm::SmallBitVector others(reduced.size(), true);
  others.reset(axis);
  return llvm::any_of(reduced.set_bits(),
                      [&](unsigned tap) { return slides(accesses, tap, others); });
}

/// Steps of a block that are unrolled at most: they compile in a fifth of a second. The blocks of a
/// row are unrolled together where that is no more than `kRowSteps`; as a loop, 504 steps
/// took no longer and half the time to compile.
constexpr int64_t kSteps = 800, kRowSteps = 384;

namespace {

/// Results that are computed at once; blocks of rows are loops of a program, or programs.
struct BlockShape {
  int64_t vectors, height;
  bool inLoops = false;
};

struct Window {
  KernelOp kernel;
  const Accesses &accesses;
  const HostTraits &traits;
  Operation *root;
  unsigned columns;
  std::optional<unsigned> rows;
  int64_t taps; ///< steps of a result that are unrolled
};

} // namespace

/// Whether vectors along the columns are shuffled together.
static bool isShuffled(const Window &window) {
  return llvm::any_of(window.accesses.all(), [&](const Access &access) {
    return std::abs(window.accesses.getStride(access, window.columns).value_or(0)) > 1;
  });
}

/// Where vectors are shuffled together, rows of results keep those that they share: whole rows, or
/// columns in blocks of one width, two rows of each.
static BlockShape chooseShuffled(const Window &window, int64_t total, int64_t most) {
  // What is selected instead of what lies outside lives beside what is loaded.
  bool isGuarded = llvm::any_of(const_cast<KernelOp &>(window.kernel).getBody().getOps<LoadOp>(),
                                [](LoadOp load) { return !load.getMap().getGuards().empty(); });
  int64_t share = registersPerResult(window.root) == 1 ? 4 : isGuarded ? 16 : 8;
  int64_t budget = std::max<int64_t>(2, window.traits.registers / share);
  int64_t width = std::min(total, most == 1 ? budget : 1 + budget / 4);
  int64_t vectors = llvm::divideCeil(total, llvm::divideCeil(total, width));
  int64_t rows = vectors == total ? budget / vectors : 2;
  int64_t height = std::min({most, rows, kSteps / (window.taps * vectors)});
  return {vectors, std::max<int64_t>(1, height)};
}

/// Blocks of results that leave room in the registers, and are not too much code.
static SmallVector<BlockShape> findBlocks(const Window &window) {
  auto extents = const_cast<KernelOp &>(window.kernel).getExtents();
  int64_t total = llvm::divideCeil(extents[window.columns], window.traits.lanes);
  int64_t most = window.rows ? extents[*window.rows] : 1;
  if (isShuffled(window))
    return {chooseShuffled(window, total, most)};
  // Accumulators in three quarters of the registers; loads and weights take the rest.
  int64_t budget = window.traits.registers * 3 / 4 / registersPerResult(window.root);
  // The blocks of a row are unrolled together where that is no more.
  constexpr int64_t kFewRows = 4;
  SmallVector<BlockShape> blocks{{1, 1}};
  for (int64_t vectors = 1; vectors <= std::min(total, budget); ++vectors)
    for (int64_t height = 1; height <= std::min(most, budget / vectors); ++height) {
      int64_t together = window.taps * total <= kRowSteps ? total : vectors;
      // Much more than that only for a few rows, of windows of many taps.
      int64_t limit = height <= kFewRows ? kSteps : kRowSteps;
      if (window.taps * together * height > limit)
        break;
      // The last rows, if fewer, are code of their own. Of heights that divide the rows in as many
      // parts, the least.
      bool isLeast = int64_t(llvm::divideCeil(most, llvm::divideCeil(most, height))) == height;
      if (isLeast && window.taps * together * (height + most % height) <= kSteps)
        blocks.push_back({vectors, height});
    }
  return blocks;
}

namespace {

/// Windows that slide over their input along axes that are kept.
class WindowStrategy {
public:
  WindowStrategy(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), accesses(kernel, sets) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!findRoot() || !findAxes() || !chooseTaps())
      return;
    findRows();
    auto write = [&](BlockShape block) { return emit(block); };
    Cheapest<BlockShape> cheapest(kernel, traits, write);
    // A loop has the first and the last block apart, which alone see the borders of rows; where
    // nothing slides along the columns, there are no others.
    bool hasBorders = rows && !isSlidAlong(accesses, columns, reduced);
    for (BlockShape block : findBlocks({kernel, accesses, traits, root, columns, rows, taps})) {
      cheapest.add(block);
      block.inLoops = hasBorders;
      cheapest.add(block);
    }
    constexpr size_t kKept = 3;
    cheapest.keep(kKept);
    cheapest.propose("window", candidates);
    LoadOp load = findWindowLoad();
    if (!load || !rows)
      return;
    // From a copy, with zeros around it and columns of one remainder beside each other, whole
    // vectors are loaded without masks or shuffles: by all rows of results that registers hold.
    int64_t vectors = llvm::divideCeil(extent(columns), traits.lanes);
    for (int64_t parts = 1; parts <= extent(*rows); ++parts) {
      int64_t height = llvm::divideCeil(extent(*rows), parts);
      if (vectors * height > traits.registers * 3 / 4 || taps * vectors * height > kSteps)
        continue;
      for (bool whole : {true, false})
        candidates.push_back({"window", emit({vectors, height}, load, whole)});
      return;
    }
  }

private:
  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }

  /// What a window with weights slides over, if it is loaded as it stands. A sum of the window's
  /// elements takes no longer than their copy.
  LoadOp findWindowLoad() {
    if (!isa<ContractOp>(root))
      return {};
    for (auto load : kernel.getBody().getOps<LoadOp>()) {
      llvm::SmallBitVector axes = sets.of(load.getResult());
      if (axes[columns] && axes.anyCommon(reduced) && load.getMap().getGuards().empty())
        return load;
    }
    return {};
  }

  /// Where there is one, `staged` is copied once for a program: for all rows if it is for the
  /// `whole` of them, or else for those of a block.
  ScheduleAttr emit(BlockShape block, LoadOp staged = {}, bool whole = false) {
    ListBuilder list(kernel);
    divideRows(list, block, whole);
    divideColumns(list, block);
    for (unsigned axis : reduced.set_bits()) {
      list.order.push_back(list.name(axis));
      if (unrolled[axis] && extent(axis) > 1)
        list.unroll(list.name(axis));
    }
    if (staged)
      list.stage(staged, "input", {}, /*global=*/false, /*window=*/true);
    return list.finish();
  }

  /// The op that works along the window; others may reduce what is computed from its results, and
  /// nothing of these is computed from what is reduced.
  bool findRoot() {
    outer.resize(kernel.getNumAxes());
    SmallVector<Value> totals;
    auto isAfterTotals = [&](Value value) {
      return llvm::any_of(totals, [&](Value total) { return isComputedFrom(value, total); });
    };
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ScanOp>(op) || (root && isa<ContractOp>(op)))
        return false;
      if (!isa<ReduceOp, ContractOp>(op))
        continue;
      if (op.getNumResults() != 1)
        return false;
      Value result = op.getResult(0);
      if (!root) {
        root = &op;
        continue;
      }
      if (!isComputedFrom(result, root->getResult(0)) || isAfterTotals(result))
        return false;
      totals.push_back(result);
      outer |= sets.reducedBy(&op);
    }
    return root && llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
             return !isAfterTotals(store.getValue()) || !sets.of(store.getValue()).anyCommon(outer);
           });
  }

  /// The axes that are kept, slowest in memory first, and their last one.
  bool findAxes() {
    reduced = sets.reducedBy(root);
    taps = sets.points(reduced);
    if (taps < 2)
      return false;
    for (unsigned axis : reduced.set_bits())
      if (extent(axis) > 1 &&
          (!slides(accesses, axis, reduced) || isPart(accesses, axis, kernel.getExtents())))
        return false;
    for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/false))
      for (unsigned axis : group.axes)
        if (!reduced[axis] && extent(axis) > 1)
          kept.push_back(axis);
    if (kept.empty() || !isNearlyContiguous(accesses, kept.back(), traits.lanes) ||
        extent(kept.back()) * 4 < traits.lanes)
      return false;
    // Channels of the result that share an input are the convolution's.
    for (const Access &access : accesses.all())
      if (access.axes[kept.back()] &&
          !llvm::all_of(kept, [&](unsigned axis) { return access.axes[axis]; }))
        return false;
    columns = kept.pop_back_val();
    return true;
  }

  /// Of more taps only a row is unrolled.
  bool chooseTaps() {
    constexpr int64_t kTaps = 64;
    unrolled = reduced;
    while (taps > kTaps && unrolled.count() > 1) {
      taps /= extent(unrolled.find_first());
      unrolled.reset(unrolled.find_first());
    }
    return taps <= kTaps;
  }

  /// Rows of the image, along which a window slides as well, share its weights.
  void findRows() {
    if (!kept.empty() && isSlidAlong(accesses, kept.back(), reduced))
      rows = kept.back();
  }

  void divideRows(ListBuilder &list, BlockShape block, bool whole) {
    int64_t height = block.height;
    bool inTile = rows && (height > 1 || whole);
    for (unsigned axis : ArrayRef(kept).drop_back(inTile))
      (outer[axis] || (block.inLoops && axis == *rows) ? list.order : list.grid)
          .push_back(list.name(axis));
    if (!inTile)
      return;
    if (height == extent(*rows)) {
      list.tile.push_back(list.name(*rows));
      return;
    }
    SmallVector<StringAttr> parts = list.split(list.name(*rows), extent(*rows), {height});
    (whole || block.inLoops || outer[*rows] ? list.order : list.grid).push_back(parts[0]);
    list.tile.push_back(parts[1]);
  }

  void divideColumns(ListBuilder &list, BlockShape block) {
    StringAttr name = list.name(columns);
    int64_t points = extent(columns), width = block.vectors * traits.lanes, blocks = points / width;
    // Blocks along which nothing slides have no borders to be known: a program unrolls a few of
    // them, as much code as saves most of what rows of the window share.
    constexpr int64_t kFewSteps = 192;
    int64_t together = blocks;
    while (!isSlidAlong(accesses, columns, reduced) && points % width == 0 && together > 1 &&
           (blocks % together || together * block.vectors * block.height * taps > kFewSteps))
      --together;
    if (together < blocks) {
      SmallVector<StringAttr> parts = together > 1 ? list.split(name, points, {together, width})
                                                   : list.split(name, points, {width});
      (outer[columns] ? list.order : list.grid).push_back(parts.front());
      if (together > 1) {
        list.order.push_back(parts[1]);
        list.unroll(parts[1]);
      }
      list.tile.push_back(parts.back());
    } else if (width < points) {
      SmallVector<StringAttr> parts = list.split(name, points, {width});
      list.order.push_back(parts[0]);
      list.tile.push_back(parts[1]);
      // So that the borders, which only the first and the last block have, are known.
      int64_t total = llvm::divideCeil(points, traits.lanes);
      if (!block.inLoops && unrolled == reduced && total * block.height * taps <= kRowSteps)
        list.unroll(parts[0]);
    } else {
      list.tile.push_back(name);
    }
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  Accesses accesses;
  Operation *root = nullptr;
  llvm::SmallBitVector reduced, unrolled;
  /// Axes of the results along which they are reduced.
  llvm::SmallBitVector outer;
  SmallVector<unsigned> kept;
  unsigned columns = 0;
  std::optional<unsigned> rows;
  int64_t taps = 0;
};

} // namespace

void tw::schedule::host::proposeWindow(KernelOp kernel, const HostTraits &traits,
                                       SmallVectorImpl<HostCandidate> &candidates) {
  WindowStrategy(kernel, traits).propose(candidates);
}
