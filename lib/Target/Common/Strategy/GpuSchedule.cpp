// A schedule for groups of threads: which axes are merged, tiled, staged and left as loops.
#include "GpuSchedule.h"

#include "GpuParts.h"
#include "ScheduleBuilder.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

using Rest = ScheduleBuilder::Rest;

/// Every device runs groups of this many subgroups of the nominal size.
constexpr int64_t kWarp = 32, kMaxWarps = 8;
/// A reduction up to this long is a loop of each thread.
constexpr int64_t kShortReduction = 64;

int64_t powerOfTwo(int64_t extent) { return llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)); }

/// Warps for a tile with this many elements for each thread.
int64_t getWarps(int64_t elements, int64_t each) {
  return std::clamp<int64_t>(elements / (kWarp * each), 1, kMaxWarps);
}

class GpuSchedule {
public:
  GpuSchedule(KernelOp kernel, bool exact, const GpuSizes &sizes)
      : kernel(kernel), exact(exact), sizes(sizes), sets(kernel), builder(kernel, sets), warps(1) {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ReduceOp, ContractOp>(op))
        reductions.push_back(&op);
      hasScans |= isa<ScanOp>(op);
    }
  }

  ScheduleAttr make() {
    if (!llvm::is_contained(kernel.getExtents(), 0) && !makeContraction()) {
      // Rows that a program shares lie along axes of their own.
      groups = findAxisGroups(kernel, sets, /*apart=*/sizes.rowBlock != 0);
      if (makeParts())
        return builder.finish(/*warps=*/0);
      if (hasScans)
        makeScan();
      else if (reductions.empty())
        makeElementwise();
      else
        makeReduction();
      placeRest();
    }
    if (sizes.rowBlock != 0 && !hasBlocks)
      return {};
    return builder.finish(warps, loading);
  }

  /// Programs and loops only.
  ScheduleAttr makeSimplest() {
    groups = findAxisGroups(kernel, sets, /*apart=*/false);
    placeRest();
    return builder.finish(warps);
  }

private:
  /// Takes a group out of those that have no role yet.
  AxisGroup take(AxisGroup *group) {
    AxisGroup result = *group;
    groups.erase(group);
    return result;
  }

  /// The next dimension of the tiles, remembered for what is copied to local memory.
  void addTile(const AxisGroup &group, int64_t factor, Rest rest) {
    tiles.push_back({builder.addTile(group, factor, rest), group.axes, factor});
  }

  /// The group along which results lie in memory, if programs may share its points.
  AxisGroup *findStored() {
    AxisGroup *best = nullptr;
    int64_t least = 0;
    for (AxisGroup &group : groups) {
      if (!group.everywhere || group.scanned)
        continue;
      int64_t stride = INT64_MAX;
      for (auto store : kernel.getBody().getOps<StoreOp>())
        if (auto known = getUsualStride(store, kernel.getAxis(group.fastest())); known && *known)
          stride = std::min(stride, std::abs(*known));
      bool isBetter = group.extent > 1 && (!best || best->extent == 1 || stride < least);
      if (!best || isBetter) {
        best = &group;
        least = stride;
      }
    }
    return best;
  }

  AxisGroup *findReduced() {
    AxisGroup *best = nullptr;
    for (AxisGroup &group : groups)
      if (group.reduced && !group.scanned && (!best || group.extent > best->extent))
        best = &group;
    return best;
  }

  int64_t getPrograms() {
    int64_t programs = 1;
    for (const AxisGroup &group : groups)
      if (group.everywhere)
        programs *= group.extent;
    return programs;
  }

  /// Groups without a role become programs where that computes nothing twice, else loops.
  void placeRest() {
    for (const AxisGroup &group : groups) {
      if (group.everywhere)
        builder.addGrid(group);
      else if (!placeBlocks(group))
        builder.addLoops(group);
    }
    groups.clear();
  }

  /// A loop over blocks of rows that threads would each have one of, which are copied to local
  /// memory as they lie; false if there are none.
  bool placeBlocks(const AxisGroup &group) {
    if (sizes.rowBlock == 0 || group.scanned || group.settled || group.extent % sizes.rowBlock != 0)
      return false;
    SmallVector<LoadOp> rows;
    for (auto load : kernel.getBody().getOps<LoadOp>())
      if (getRun(load, group) > 1 && runsAcrossTile(load))
        rows.push_back(load);
    if (rows.empty())
      return false;
    hasBlocks = true;
    auto [loop, inner] = builder.addBlockedLoop(group, sizes.rowBlock, EdgeMode::Pad);
    for (LoadOp load : rows)
      builder.addStage(load, "row", loop, orderRows(load, inner),
                       std::min(sizes.slots, group.extent / sizes.rowBlock));
    return true;
  }

  /// The dimensions of a block of rows: lanes go along the longest one of the tile, so that this is
  /// innermost and they read words beside each other. None if it is so anyway.
  SmallVector<StringAttr> orderRows(LoadOp load, StringAttr inner) {
    llvm::SmallBitVector axes = sets.of(load.getResult());
    SmallVector<const Tile *> own;
    for (const Tile &tile : tiles)
      if (llvm::any_of(tile.axes, [&](unsigned axis) { return axes[axis]; }))
        own.push_back(&tile);
    size_t longest = 0;
    for (auto [i, tile] : llvm::enumerate(own))
      longest = tile->extent >= own[longest]->extent ? i : longest;
    if (longest + 1 >= own.size())
      return {};
    std::rotate(own.begin() + longest, own.begin() + longest + 1, own.end());
    SmallVector<StringAttr> order{inner};
    for (const Tile *tile : own)
      order.push_back(tile->name);
    return order;
  }

  /// Whether the load varies along axes that have a role, and no neighbours do there.
  bool runsAcrossTile(LoadOp load) {
    llvm::SmallBitVector axes = sets.of(load.getResult());
    for (const AxisGroup &group : groups)
      for (unsigned axis : group.axes)
        axes.reset(axis);
    return axes.any() && llvm::none_of(axes.set_bits(), [&](unsigned axis) {
             return getUsualStride(load, kernel.getAxis(axis)) == 1;
           });
  }

  void makeElementwise() {
    AxisGroup *stored = findStored();
    if (!stored)
      return;
    AxisGroup points = take(stored);
    if (auto transposition = findTransposition(kernel, sets, points)) {
      auto [read, written, rest] = *transposition;
      int64_t height = std::min(powerOfTwo(read.extent), kWarp);
      int64_t width = std::min(powerOfTwo(written.extent), kWarp);
      addTile(read, height, Rest::Grid);
      addTile(written, width, Rest::Grid);
      warps = getWarps(height * width, sizes.vector);
      groups.append(rest);
      return;
    }
    int64_t tile =
        std::clamp(powerOfTwo(points.extent / sizes.programs), kWarp * sizes.vector, sizes.tile);
    addTile(points, std::min(tile, powerOfTwo(points.extent)), Rest::Grid);
    warps = getWarps(tile, sizes.vector);
  }

  /// A thread per point of the results, everything else in loops.
  void makeThreads() {
    AxisGroup *stored = findStored();
    if (!stored)
      return;
    AxisGroup points = take(stored);
    int64_t tile = std::min(powerOfTwo(points.extent), kWarp * sizes.vector * sizes.results);
    addTile(points, tile, Rest::Grid);
    warps = getWarps(tile, sizes.results);
  }

  /// The group that all scans run along, if nothing else goes through it in order.
  AxisGroup *findScanned() {
    std::optional<unsigned> axis;
    bool isInOrder = false;
    for (Operation &op : kernel.getBody().front()) {
      auto scan = dyn_cast<ScanOp>(op);
      unsigned own = scan ? cast<BlockArgument>(scan.getAxis()).getArgNumber() : 0;
      if (scan && axis && *axis != own)
        return nullptr;
      if (scan)
        axis = own;
      isInOrder |= isa<StoreOp>(op) && sets.orderedBy(&op).any();
    }
    return isInOrder ? nullptr : llvm::find_if(groups, [&](const AxisGroup &group) {
      return llvm::is_contained(group.axes, *axis);
    });
  }

  /// Threads along the row where memory runs along it or rows are few; else a thread for each.
  void makeScan() {
    AxisGroup *scanned = findScanned(), *stored = findStored();
    bool isAsked = sizes.reduction != GpuSizes::Reduction::ByRule;
    bool staysInOrder = llvm::any_of(kernel.getBody().getOps<ScanOp>(), [&](ScanOp scan) {
      return !scan.getKind() || (exact && isa<FloatType>(scan.getType()));
    });
    if (staysInOrder || !scanned || scanned == groups.end() || scanned->extent == 1 ||
        sizes.reduction == GpuSizes::Reduction::Threads)
      return makeThreads();
    bool inRows = runsInRows(stored, scanned);
    bool isFewRows = getPrograms() < sizes.programs * kWarp && scanned->extent > kShortReduction;
    if (!inRows && !isAsked && !isFewRows)
      return makeThreads();
    if (sizes.reduction == GpuSizes::Reduction::Rows || inRows)
      return makeRows(stored, scanned);
    makeColumns(stored, scanned);
  }

  /// Few results of a long reduction, or few long scans: the list takes it apart, and the kernels
  /// that this makes get lists of their own.
  bool makeParts() {
    AxisGroup *reduced = hasScans ? findScanned() : findReduced();
    if (exact || !reduced || reduced == groups.end() || !sizes.parts ||
        (hasScans && !sizes.scanParts))
      return false;
    AxisGroup *stored = findStored();
    int64_t programs = getPrograms();
    if (!runsInRows(stored, reduced))
      programs = llvm::divideCeil(programs, std::min(stored->extent, kWarp));
    auto parts = findGpuParts(kernel, sets, groups, programs, sizes.programs);
    if (parts)
      builder.addFactor(parts->reduction, "total", parts->reduced, parts->length);
    return parts.has_value();
  }

  /// Whether all that is reduced for a result is a loop of one thread.
  bool isShort(const AxisGroup &reduced) {
    int64_t length = 1;
    for (const AxisGroup &group : groups)
      if (group.reduced)
        length *= group.extent;
    return !reduced.stored && length <= kShortReduction;
  }

  /// Whether threads lie side by side along what is reduced rather than along the results. A
  /// reduced axis pays for combining the threads at its end, the more the shorter it is.
  bool runsInRows(AxisGroup *stored, AxisGroup *reduced) {
    double combining = isShort(*reduced) ? 4 : 1.2;
    return !stored || stored->extent == 1 ||
           getCostAlong(kernel, sets, *reduced) * combining < getCostAlong(kernel, sets, *stored);
  }

  void makeReduction() {
    if (exact)
      return makeThreads();
    AxisGroup *stored = findStored(), *reduced = findReduced();
    if (sizes.reduction == GpuSizes::Reduction::Threads)
      return makeThreads();
    if (sizes.reduction == GpuSizes::Reduction::Columns && stored && stored->extent > 1)
      return makeColumns(stored, reduced);
    if (makeWholeRows(stored))
      return;
    if (sizes.reduction == GpuSizes::Reduction::Rows || runsInRows(stored, reduced))
      return makeRows(stored, reduced);
    if (isShort(*reduced) ||
        (!reduced->stored && getPrograms() >= sizes.programs * kWarp * kMaxWarps))
      return makeThreads();
    makeColumns(stored, reduced);
  }

  /// Stages over a row of which the last one has results along an axis of its own, as attention
  /// has: a loop over that axis around the loops of a row would run all stages again and again, so
  /// that the row is whole.
  bool makeWholeRows(AxisGroup *stored) {
    auto isOwn = [](const AxisGroup &group) {
      return group.stored && !group.everywhere && !group.reduced && group.extent > 1;
    };
    AxisGroup *row = nullptr;
    for (AxisGroup &group : groups)
      if (group.reduced && usesAgain(group) && (!row || group.extent > row->extent))
        row = &group;
    if (!row || llvm::none_of(groups, isOwn) || powerOfTwo(row->extent) > sizes.keptRow)
      return false;
    int64_t height = powerOfTwo(row->extent), width = 1;
    if (stored && stored->extent > 1) {
      width = std::min({powerOfTwo(stored->extent), kWarp, sizes.keptRow / height});
      while (width > 1 && getPrograms() / width < sizes.programs)
        width /= 2;
    }
    addTile(*row, height, Rest::Loop);
    if (width > 1)
      addTile(*stored, width, Rest::Grid);
    warps = getWarps(height * width, sizes.reduced);
    drop(width > 1 ? stored : nullptr, row);
    return true;
  }

  /// Memory runs along the reduced axis: threads side by side in a row.
  void makeRows(AxisGroup *stored, AxisGroup *reduced) {
    AxisGroup row = *reduced;
    int64_t most = usesAgain(row) ? sizes.keptRow : sizes.row;
    int64_t columns = std::min(powerOfTwo(row.extent), most), rows = 1;
    if (stored) {
      while (rows * columns < sizes.tile / 2 && rows < stored->extent &&
             int64_t(llvm::divideCeil(getPrograms(), 2 * rows)) >= sizes.programs)
        rows *= 2;
      if (rows > 1)
        addTile(*stored, rows, Rest::Grid);
    }
    addTile(row, columns, Rest::Loop);
    warps = getWarps(rows * columns, sizes.reduced);
    drop(rows > 1 ? stored : nullptr, reduced);
  }

  /// Memory runs along the results: a warp of them, and threads that share the work of each.
  void makeColumns(AxisGroup *stored, AxisGroup *reduced) {
    int64_t columns = std::min(powerOfTwo(stored->extent), sizes.columns);
    int64_t rows = std::min(powerOfTwo(reduced->extent),
                            (usesAgain(*reduced) ? sizes.keptRow : sizes.tile) / columns);
    addTile(*reduced, rows, Rest::Loop);
    addTile(*stored, columns, Rest::Grid);
    warps = getWarps(rows * columns, sizes.vector);
    drop(stored, reduced);
  }

  void drop(AxisGroup *a, AxisGroup *b) {
    for (AxisGroup *group : {std::max(a, b), std::min(a, b)})
      if (group)
        groups.erase(group);
  }

  /// Whether several reductions run over the group, or one and a store along it: what is loaded is
  /// used again.
  bool usesAgain(const AxisGroup &group) {
    return (group.stored && !reductions.empty()) || llvm::count_if(reductions, [&](Operation *op) {
                                                      return sets.reducedBy(op).test(group.axes[0]);
                                                    }) > 1;
  }

  /// Sides of the tile of a contraction.
  std::pair<int64_t, int64_t> chooseSides(const AxisGroup &rows, const AxisGroup &columns,
                                          int64_t batch) const {
    int64_t height = std::min(powerOfTwo(rows.extent), sizes.height);
    int64_t width = std::min(powerOfTwo(columns.extent), sizes.width);
    if (!sizes.adapts)
      return {height, width};
    while (height * width < sizes.height * sizes.width &&
           std::max(height, width) < 2 * sizes.width &&
           (height < width ? columns : rows).extent > std::max(height, width))
      (height < width ? width : height) *= 2;
    auto getTiles = [&] {
      return batch * int64_t(llvm::divideCeil(rows.extent, height)) *
             int64_t(llvm::divideCeil(columns.extent, width));
    };
    while (getTiles() < sizes.programs && height * width > kWarp * sizes.reduced)
      (height > width ? height : width) /= 2;
    return {height, width};
  }

  /// The rows' dimension of the tile of a contraction. Of rows that a call settles or that groups
  /// do not divide, tiles come one after another.
  StringAttr addRows(const AxisGroup &rows, int64_t height) {
    int64_t tiles = llvm::divideCeil(rows.extent, height);
    if (sizes.together == 1 || rows.settled || tiles == 1 || tiles % sizes.together != 0)
      return builder.addTile(rows, height, Rest::Grid);
    return builder.addTileTogether(rows, height, sizes.together);
  }

  /// A contraction large enough for tiles of its result; false for all other kernels.
  bool makeContraction() {
    if (hasScans || reductions.size() != 1 || !isa<ContractOp>(reductions[0]))
      return false;
    auto contract = cast<ContractOp>(reductions[0]);
    groups = findAxisGroups(kernel, sets, /*apart=*/true);
    AxisGroup *left = nullptr, *right = nullptr, *depth = nullptr;
    for (AxisGroup &group : groups) {
      bool inLhs = sets.of(contract.getLhs())[group.axes[0]];
      bool inRhs = sets.of(contract.getRhs())[group.axes[0]];
      if (group.reduced && !group.stored && inLhs && inRhs && !depth)
        depth = &group;
      else if (group.reduced || !group.everywhere)
        return false;
      else if (inLhs && !inRhs && !left)
        left = &group;
      else if (inRhs && !inLhs && !right)
        right = &group;
    }
    constexpr int64_t kLeastSide = 4, kLeastDepth = 8, kLeastResults = 1024;
    if (!left || !right || !depth || std::min(left->extent, right->extent) < kLeastSide ||
        depth->extent < kLeastDepth || left->extent * right->extent < kLeastResults)
      return false;
    // The side along which results lie in memory comes last.
    AxisGroup *rows = left, *columns = right;
    if (auto store = *kernel.getBody().getOps<StoreOp>().begin();
        isFaster(store, left->fastest(), right->fastest()))
      std::swap(rows, columns);
    int64_t batch = getPrograms() / (left->extent * right->extent);
    auto [height, width] = chooseSides(*rows, *columns, batch);

    for (AxisGroup &group : groups)
      if (&group != rows && &group != columns && &group != depth)
        builder.addGrid(group);
    if (sizes.unit)
      return makeUnits(contract, *rows, *columns, *depth, rows == left, height, width);
    addRows(*rows, height);
    builder.addTile(*columns, width, Rest::Grid);
    if (sizes.staged) {
      StringAttr block =
          builder
              .addBlockedLoop(*depth, std::min(powerOfTwo(depth->extent), sizes.block),
                              EdgeMode::Pad)
              .first;
      stage(contract.getLhs(), "lhs", block);
      stage(contract.getRhs(), "rhs", block);
    } else {
      builder.addLoops(*depth, sizes.block);
    }
    warps = getWarps(height * width, sizes.accumulators);
    groups.clear();
    return true;
  }

  /// Tiles for matrix units, which read both operands from local memory as they lie in memory.
  bool makeUnits(ContractOp contract, const AxisGroup &rows, const AxisGroup &columns,
                 const AxisGroup &depth, bool leftHasRows, int64_t height, int64_t width) {
    // What a depth lacks that is shorter than a unit takes is padded.
    int64_t least = sizes.unitDepthBytes * 8 / contract.getLhs().getType().getIntOrFloatBitWidth();
    int64_t block = std::max(std::min(powerOfTwo(depth.extent), sizes.block), least);
    auto [loop, inner] = builder.addUnit(depth, block);
    StringAttr row = addRows(rows, height);
    StringAttr column = builder.addTile(columns, width, Rest::Grid);
    int64_t blocks = llvm::divideCeil(depth.extent, block);
    for (bool isLeft : {true, false}) {
      Operation *op = (isLeft ? contract.getLhs() : contract.getRhs()).getDefiningOp();
      if (!op)
        continue;
      bool hasRows = isLeft == leftHasRows;
      SmallVector<StringAttr> order = {inner, hasRows ? row : column};
      if (liesAlong(op, depth, hasRows ? rows : columns))
        std::swap(order[0], order[1]);
      bool isRing = isa<LoadOp>(op) && blocks > 1;
      int64_t slots = isRing ? std::min(sizes.slots, blocks) : 1;
      builder.addStage(op, isLeft ? "lhs" : "rhs", loop, order, slots);
      loading = slots > 1 ? sizes.loading : loading;
    }
    warps = getWarps(height * width, sizes.accumulators);
    groups.clear();
    return true;
  }

  /// Points of the group that follow each other in memory. The rows of a window are short, and its
  /// columns are neighbours, too.
  int64_t getRun(LoadOp load, const AxisGroup &group) {
    int64_t run = 1;
    for (unsigned axis : llvm::reverse(group.axes)) {
      int64_t extent = kernel.getExtents()[axis];
      if (extent != 1 && getUsualStride(load, kernel.getAxis(axis)) != run)
        break;
      run *= extent;
    }
    return run;
  }

  /// Whether all that a value is computed of, point by point, lies along the group in memory, and
  /// no longer along the other one.
  bool liesAlong(Operation *op, const AxisGroup &group, const AxisGroup &other) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      int64_t run = getRun(load, group);
      return run > 1 && run >= getRun(load, other);
    }
    bool isThere = false;
    for (Value operand : op->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (!made || !sets.of(operand)[group.fastest()])
        continue;
      if (!liesAlong(made, group, other))
        return false;
      isThere = true;
    }
    return isThere;
  }

  /// Operands that are no single op over loads are computed where they are used.
  void stage(Value operand, StringRef name, StringAttr loop) {
    if (Operation *op = operand.getDefiningOp())
      builder.addStage(op, name, loop);
  }

  /// Whether the store's addresses grow less along axis a than along axis b.
  bool isFaster(StoreOp store, unsigned a, unsigned b) {
    auto strideA = getUsualStride(store, kernel.getAxis(a));
    auto strideB = getUsualStride(store, kernel.getAxis(b));
    return strideA && strideB && std::abs(*strideA) < std::abs(*strideB);
  }

  KernelOp kernel;
  bool exact;
  const GpuSizes &sizes;
  AxisSets sets;
  ScheduleBuilder builder;
  SmallVector<AxisGroup> groups;
  SmallVector<Operation *> reductions;
  struct Tile {
    StringAttr name;
    SmallVector<unsigned> axes;
    int64_t extent;
  };
  /// The dimensions of tiles, but of contractions.
  SmallVector<Tile> tiles;
  bool hasScans = false, hasBlocks = false;
  int64_t warps, loading = 0;
};

} // namespace

ScheduleAttr tw::schedule::writeGpuSchedule(KernelOp kernel, bool exact, const GpuSizes &sizes) {
  return GpuSchedule(kernel, exact, sizes).make();
}

ScheduleAttr tw::schedule::writeSimplestGpuSchedule(KernelOp kernel) {
  return GpuSchedule(kernel, /*exact=*/true, {}).makeSimplest();
}
