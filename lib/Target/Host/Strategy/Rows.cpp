// Reductions without products: along rows (softmax, norms, sums, arg-reductions) with vectors along
// the reduced axis, and along columns with vectors along an axis that is kept.
#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Schedule/Room.h"
#include "tw/Schedule/Strides.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class Rows {
public:
  /// `taller`: times as many rows in a tile as hide the latency of an addition.
  Rows(KernelOp kernel, const HostTraits &traits, int64_t taller = 1)
      : kernel(kernel), traits(traits), sets(kernel), accesses(kernel, sets), list(kernel),
        taller(taller) {}

  /// `parts`: of equal width that columns are cut into; 0: parts of a power of two vectors, or
  /// pieces of several rows.
  void propose(SmallVectorImpl<HostCandidate> &candidates, int64_t parts) {
    if (!classify())
      return;
    bool rows = accesses.areContiguous(reducedRuns.back().fastest());
    if (rows ? parts != 0 || !proposeRows() : !proposeColumns(parts))
      return;
    SmallVector<StreamAttr> streamed;
    if (!keepExpensiveValues() && !partials)
      streamed = findStreamedResults(kernel, traits, kFarShare, inOrder ? 1 : 0.25);
    for (StreamAttr stream : streamed)
      list.stream(stream);
    if (rows)
      prefetchRows();
    candidates.push_back({rows ? "rows" : "columns", list.finish()});
  }

  /// More rows in a tile, where a function of a row waits for what was reduced of it: meanwhile the
  /// core is busy with the others. Not where a call settles how long rows are: those of most calls
  /// may be longer, of which the nearest cache holds no so many.
  void proposeTaller(SmallVectorImpl<HostCandidate> &candidates) {
    if (!classify() || keptRuns.empty() || !computesFunctionsAgain() ||
        reducedRuns.back().settled || !accesses.areContiguous(reducedRuns.back().fastest()))
      return;
    Rows(kernel, traits, taller).propose(candidates, 0);
  }

  /// Rows of a few vectors, whose length a call settles: whole ones in a tile, since each loop over
  /// parts of them would be entered for an iteration or two.
  void proposeWhole(SmallVectorImpl<HostCandidate> &candidates) {
    constexpr int64_t kMostVectors = 2;
    if (!classify() || reducedRuns.size() != 1 || keptRuns.empty() ||
        !accesses.areContiguous(reducedRuns.back().fastest()))
      return;
    const AxisGroup &run = reducedRuns.back();
    if (!run.settled || run.extent > kMostVectors * traits.lanes || run.extent < traits.lanes / 2)
      return;
    tileRows = chooseRows();
    addGridOfRows();
    list.tile.push_back(list.merge(run));
    candidates.push_back({"rows-whole", list.finish()});
  }

  /// Rows of a few runs that lie apart, as the channels of a group: these side by side in a tile,
  /// as loops over short ones begin and end too often.
  void proposeRunsTogether(SmallVectorImpl<HostCandidate> &candidates) {
    if (!classify() || reducedRuns.size() < 2)
      return;
    const AxisGroup &inner = reducedRuns.back(), &outer = *std::prev(reducedRuns.end(), 2);
    if (!accesses.areContiguous(inner.fastest()) || inner.extent < traits.lanes || inner.settled ||
        outer.settled || outer.extent > accumulators())
      return;
    addGrid(keptRuns);
    addLoops(ArrayRef(reducedRuns).drop_back(2));
    list.tile.push_back(list.merge(outer));
    int64_t most = std::min(accumulators() / outer.extent * traits.lanes, inner.extent);
    list.tileBy(list.merge(inner), inner.extent, int64_t(llvm::bit_floor(uint64_t(most))));
    candidates.push_back({"rows", list.finish()});
  }

  /// Rows that the second level does not hold, in one sweep for all reductions, of which later ones
  /// depend on a maximum or a mean: parts of a row stay in the nearest cache until all have had
  /// them. The parts divide the row, as means ask for.
  void proposeOnline(SmallVectorImpl<HostCandidate> &candidates) {
    if (!classify() || reducedRuns.size() != 1 || values != 1 || !reducesAgain() ||
        !accesses.areContiguous(reducedRuns.back().fastest()))
      return;
    const AxisGroup &run = reducedRuns.back();
    if (!llvm::all_of(run.axes, [&](unsigned axis) { return kernel.getExtent(axis).isFixed(); }))
      return;
    int64_t bytes = 0;
    for (const Access &access : accesses.all())
      if (access.axes[run.fastest()])
        bytes = std::max<int64_t>(bytes, access.type.getElementTypeBitWidth() / 8 * run.extent);
    if (bytes <= traits.l2Bytes)
      return;
    constexpr int64_t kMostVectors = 4, kMostSteps = 64, kLeastSteps = 8;
    for (int64_t vectors = kMostVectors; vectors > 0; vectors /= 2)
      for (int64_t steps = kMostSteps; steps >= kLeastSteps; steps /= 2) {
        int64_t width = vectors * traits.lanes;
        if (run.extent % (width * steps))
          continue;
        StringAttr axis = list.merge(run);
        addGrid(keptRuns);
        SmallVector<StringAttr> parts = list.split(axis, run.extent, {steps, width});
        list.order = {parts[0], parts[1]};
        list.tile = {parts[2]};
        list.online(parts[0]);
        for (StreamAttr stream : findStreamedResults(kernel, traits, kFarShare, 0.25))
          list.stream(stream);
        prefetchRows();
        candidates.push_back({"rows-online", list.finish()});
        return;
      }
  }

private:
  /// Whether a reduction needs another one.
  bool reducesAgain() {
    auto reductions = kernel.getBody().getOps<ReduceOp>();
    return llvm::any_of(reductions, [&](ReduceOp op) {
      return llvm::any_of(reductions, [&](ReduceOp other) { return needs(op, other); });
    });
  }

  /// Whether a function of each element needs a reduction.
  bool computesFunctionsAgain() {
    return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      return isExpensive(&op) && sets.of(op.getResult(0)).anyCommon(getReduced()) &&
             llvm::any_of(kernel.getBody().getOps<ReduceOp>(),
                          [&](ReduceOp reduce) { return needs(&op, reduce.getOperation()); });
    });
  }

  /// A kernel whose tensors take more of the last cache waits for memory: others use the cache too.
  static constexpr double kFarShare = 0.625;

  /// One group of axes is reduced, by every reduction.
  bool classify() {
    mlir::Block &body = kernel.getBody().front();
    if (llvm::any_of(body, [](Operation &op) { return isa<ContractOp, ScanOp>(op); }))
      return false;
    unsigned groups = 0;
    for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/false)) {
      SmallVector<AxisGroup> runs = accesses.findRuns(group);
      if (runs.empty())
        continue;
      groups += group.reduced;
      (group.reduced ? reducedRuns : keptRuns).append(runs);
    }
    for (auto reduce : body.getOps<ReduceOp>())
      values = std::max<int64_t>(values, reduce.getNumResults());
    return groups == 1;
  }

  void addLoops(ArrayRef<AxisGroup> runs) {
    for (const AxisGroup &run : runs)
      list.order.push_back(list.merge(run));
  }
  void addGrid(ArrayRef<AxisGroup> runs) {
    for (const AxisGroup &run : runs)
      list.grid.push_back(list.merge(run));
  }

  /// Loops over parts of a row, with as many accumulators as hide the latency of an addition: those
  /// of a few rows, where the caches hold these, because a stage waits for the lanes that the stage
  /// before it combines; else those of a part of several vectors.
  bool proposeRows() {
    const AxisGroup &run = reducedRuns.back();
    if (run.extent < traits.lanes)
      return false;
    inOrder = prefersOrder();
    tileRows = chooseRows();
    StringAttr axis = list.merge(run);
    addGridOfRows();
    addLoops(ArrayRef(reducedRuns).drop_back());
    int64_t width = chooseWidth(run.extent);
    list.tileBy(axis, run.extent, width);
    return true;
  }

  /// Programs for all but the rows of a tile.
  void addGridOfRows() {
    addGrid(ArrayRef(keptRuns).drop_back(tileRows > 1));
    if (tileRows == 1)
      return;
    StringAttr outer = list.merge(keptRuns.back());
    if (tileRows < keptRuns.back().extent) {
      SmallVector<StringAttr> parts = list.split(outer, keptRuns.back().extent, {tileRows});
      list.grid.push_back(parts[0]);
      outer = parts[1];
    }
    list.tile.push_back(outer);
  }

  int64_t accumulators() const {
    return std::max<int64_t>(1, int64_t(traits.fmaLatency * traits.fmaPerCycle));
  }

  /// Rows of a tile: all that a program touches of them stays in the nearest cache. Rows that are
  /// read once wait for nothing, unless they are shorter than the accumulators of one.
  int64_t chooseRows() {
    if (keptRuns.empty() || inOrder)
      return 1;
    const AxisGroup &next = keptRuns.back();
    int64_t vectors = llvm::divideCeil(reducedRuns.back().extent, traits.lanes);
    bool once = !readsRowsAgain();
    if (once && (vectors == 1 || vectors >= 2 * accumulators()))
      return 1;
    int64_t shared = 0, each = 0, programs = 1;
    auto count = [&](const llvm::SmallBitVector &axes, Type element) {
      int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
      for (const AxisGroup &run : reducedRuns)
        bytes *= axes[run.fastest()] ? run.extent : 1;
      (axes[next.fastest()] ? each : shared) += bytes;
    };
    for (const Access &access : accesses.all()) {
      // What each row has one of, as an element at a place that data says, may lie anywhere.
      if (!accesses.getStride(access, next.fastest()) && access.axes.anyCommon(getReduced()))
        return 1;
      count(access.axes, access.type.getElementType());
      if (!once && !access.isStore && access.axes[next.fastest()] &&
          access.getBytes() > traits.l2Bytes) // Fetched for the next program, see prefetchRows.
        count(access.axes, access.type.getElementType());
    }
    for (Operation &op : kernel.getBody().front())
      if (isExpensive(&op) && sets.of(op.getResult(0)).anyCommon(getReduced()))
        count(sets.of(op.getResult(0)), op.getResult(0).getType());
    for (const AxisGroup &run : keptRuns)
      programs *= run.extent;
    int64_t rows = accumulators() * taller;
    while (rows > 1 && (rows > next.extent || programs / rows < programsFor(traits) ||
                        shared + rows * each > traits.l1Bytes))
      rows /= 2;
    return rows;
  }

  /// Lanes of a part of a row: several vectors where they are a small part of it and leave little
  /// to the last part, which computes on all of its lanes.
  int64_t chooseWidth(int64_t extent) {
    constexpr int64_t kIterations = 8, kWaste = 16;
    int64_t vectors = llvm::divideCeil(extent, traits.lanes);
    int64_t least = std::max<int64_t>(1, accumulators() / tileRows), best = 1;
    // Partial results take half of the registers.
    int64_t most = std::min(accumulators(), traits.registers / 2 / values / tileRows);
    if (inOrder)
      most = std::min<int64_t>(most, 2);
    for (int64_t width = 2; width <= most && width * traits.lanes <= extent; width *= 2) {
      int64_t waste = llvm::alignTo(vectors, width) - vectors;
      bool isSmall = width <= least || vectors / width >= kIterations;
      if (waste * kWaste <= vectors && width * tileRows <= 2 * accumulators() && isSmall)
        best = width;
    }
    return best * traits.lanes;
  }

  /// Whether rows are best swept one by one, in narrow parts: prefetchers of the hardware follow
  /// reads and writes that go through memory line by line, not several rows side by side. Not where
  /// functions or several values to an element take longer than memory, and not short rows, which
  /// wait for their reductions.
  bool prefersOrder() {
    constexpr int64_t kShortBytes = 1024;
    const AxisGroup &run = reducedRuns.back();
    int64_t bits = 0;
    for (const Access &access : accesses.all()) {
      if (!access.axes[run.fastest()])
        continue;
      bits = std::max<int64_t>(bits, access.type.getElementTypeBitWidth());
      if (!keptRuns.empty() && access.axes[keptRuns.back().fastest()] &&
          accesses.getStride(access, keptRuns.back().fastest()) != run.extent)
        return false;
    }
    bool functions = llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      return isExpensive(&op) && sets.of(op.getResult(0)).anyCommon(getReduced());
    });
    return values == 1 && !functions && run.extent * bits / 8 >= kShortBytes && readsRowsAgain() &&
           exceedsCache(kernel, traits, kFarShare);
  }

  /// Whether a reduction or a result needs a row again after what was reduced of it.
  bool readsRowsAgain() {
    return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      bool alongRows = llvm::any_of(op.getOperands(), [&](Value operand) {
        return sets.of(operand).anyCommon(getReduced());
      });
      return alongRows && llvm::any_of(kernel.getBody().getOps<ReduceOp>(), [&](ReduceOp reduce) {
               return needs(&op, reduce.getOperation());
             });
    });
  }

  /// Accumulators in half of the registers, along the longest contiguous run that is kept: each
  /// step of the reduction then reads as much of a line of memory as it can.
  bool proposeColumns(int64_t count) {
    auto *run = llvm::find_if(keptRuns, [&](const AxisGroup &candidate) {
      return candidate.stored && candidate.extent >= traits.lanes &&
             accesses.areContiguous(candidate.fastest());
    });
    if (run == keptRuns.end())
      return false;
    int64_t programs = 1;
    for (AxisGroup &other : keptRuns)
      if (&other != run) {
        list.grid.push_back(list.merge(other));
        programs *= other.extent;
      }
    if (count == 0 && proposePartials(*run))
      return true;
    StringAttr axis = list.merge(*run);
    int64_t most = traits.registers / 2 / values, width = most * traits.lanes;
    if (count != 0) {
      int64_t vectors = llvm::divideCeil(llvm::divideCeil(run->extent, traits.lanes), count);
      // Parts of rows that lie in memory are no streams.
      if (vectors > most || run->settled || (count > 1 && isFarOff()))
        return false;
      width = std::min(vectors * traits.lanes, run->extent);
    }
    while (count == 0 && width > traits.lanes &&
           (width > run->extent || programs * (run->extent / width) < programsFor(traits)))
      width /= 2;
    addLoops(reducedRuns);
    if (width == run->extent) {
      list.tile.push_back(axis);
      return true;
    }
    SmallVector<StringAttr> parts = list.split(axis, run->extent, {width});
    list.grid.push_back(parts[0]);
    list.tile.push_back(parts[1]);
    return true;
  }

  /// Whether the second level does not hold all of a tensor.
  bool isFarOff() {
    return llvm::any_of(accesses.all(),
                        [&](const Access &access) { return access.getBytes() > traits.l2Bytes; });
  }

  /// Data from memory is best read in a few long streams: four pieces of several rows each, along
  /// the whole run, or a part of it whose partial results stay in a near cache, in the kernel's
  /// result. Rows that do not make such pieces are read eight at a time.
  bool proposePartials(const AxisGroup &run) {
    auto reductions = kernel.getBody().getOps<ReduceOp>();
    constexpr int64_t kRows = 8, kStreams = 4, kStreamRows = 16;
    const AxisGroup &rows = reducedRuns.front();
    if (!llvm::hasSingleElement(reductions) || reducedRuns.size() != 1 || rows.extent < 2 * kRows ||
        !isFarOff())
      return false;
    ReduceOp reduce = *reductions.begin();
    if (!reduce.getKind() || !hasPlace(*reduce))
      return false;
    int64_t bytes = reduce.getResultTypes()[0].getIntOrFloatBitWidth() / 8;
    int64_t width = 4 * traits.lanes, steps = traits.l2Bytes / 4 / bytes / width;
    if (run.extent < 2 * width)
      return false;
    bool streams = rows.extent % (kStreams * kStreamRows) == 0, strips = run.extent > steps * width;
    StringAttr inner = list.merge(rows), outer = list.merge(run);
    SmallVector<StringAttr> rowParts = streams
                                           ? list.split(inner, rows.extent, {kStreams, kStreamRows})
                                           : list.split(inner, rows.extent, {kRows});
    SmallVector<StringAttr> parts = strips ? list.split(outer, run.extent, {steps, width})
                                           : list.split(outer, run.extent, {width});
    if (strips)
      list.grid.push_back(parts[0]);
    list.order = {rowParts[0]};
    if (streams)
      list.order.push_back(rowParts[2]);
    list.order.push_back(parts[strips]);
    list.tile = {rowParts[1], parts.back()};
    list.keep(reduce, KeepPlace::Result);
    partials = true;
    return true;
  }

  /// The ops that work along axes or store, and need the value without another such op between.
  void collectRoots(Value value, SmallPtrSetImpl<Operation *> &roots) {
    SmallPtrSet<Operation *, 32> seen;
    SmallVector<Value> left{value};
    while (!left.empty())
      for (Operation *user : left.pop_back_val().getUsers())
        if (isa<ReduceOp, StoreOp>(user))
          roots.insert(user);
        else if (seen.insert(user).second)
          left.push_back(user->getResult(0));
  }

  bool needs(Operation *op, Operation *root) {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isComputedFrom(operand, root->getResult(0)); });
  }

  /// Keeps what one stage computes with elementary functions and a later one needs again, in local
  /// memory where the nearest cache holds it, else in a result; returns whether one is in a result.
  /// Loops are the border of stages.
  bool keepExpensiveValues() {
    if (list.order.empty())
      return false;
    bool inResult = false;
    for (Operation &op : kernel.getBody().front()) {
      if (!isExpensive(&op) || !sets.of(op.getResult(0)).anyCommon(getReduced()))
        continue;
      SmallPtrSet<Operation *, 4> roots;
      collectRoots(op.getResult(0), roots);
      bool again = llvm::any_of(roots, [&](Operation *first) {
        return isa<ReduceOp>(first) &&
               llvm::any_of(roots, [&](Operation *second) { return needs(second, first); });
      });
      if (!again)
        continue;
      int64_t bytes = op.getResult(0).getType().getIntOrFloatBitWidth() / 8;
      for (const AxisGroup &run : reducedRuns)
        bytes *= run.extent;
      if (tileRows * bytes <= traits.l1Bytes / 2) {
        list.keep(&op, KeepPlace::Local);
      } else if (!inResult && hasPlace(op)) {
        list.keep(&op, KeepPlace::Result);
        inResult = true;
      }
    }
    return inResult;
  }

  /// While a later stage computes on a row from the nearest cache, memory brings the next one. Rows
  /// that are read once, in order, or are longer, are fetched a page ahead, where the hardware's
  /// prefetchers do not go; not where several values to an element keep the core busier than
  /// memory.
  void prefetchRows() {
    if (list.order.empty())
      return;
    unsigned along = reducedRuns.back().fastest();
    bool again = readsRowsAgain();
    for (auto load : kernel.getBody().getOps<LoadOp>()) {
      auto type = cast<RankedTensorType>(load.getSource().getType());
      bool walks = llvm::all_of(load.getIndices(), [&](Value index) {
        return isa<BlockArgument>(index) || sets.of(index).none();
      });
      const llvm::SmallBitVector &axes = sets.of(load.getResult());
      int64_t bits = type.getElementTypeBitWidth();
      if (!walks || !axes[along] || bits % 8 || type.getNumElements() * bits / 8 <= traits.l2Bytes)
        continue;
      int64_t row = reducedRuns.back().extent * bits / 8;
      if (!again || inOrder || tileRows * row > traits.l1Bytes) {
        if (values == 1)
          list.prefetch(load, traits.pageBytes / (bits / 8));
      } else if (!list.grid.empty() && axes[keptRuns.back().fastest()]) {
        list.prefetch(load);
      }
    }
  }

  llvm::SmallBitVector getReduced() {
    llvm::SmallBitVector axes(kernel.getNumAxes());
    for (const AxisGroup &run : reducedRuns)
      for (unsigned axis : run.axes)
        axes.set(axis);
    return axes;
  }

  /// A result of the value's type with an element for each of its points.
  bool isBeforeLastUse(StoreOp store, Operation &op) {
    SmallPtrSet<Operation *, 4> roots;
    collectRoots(op.getResult(0), roots);
    return llvm::any_of(roots, [&](Operation *root) { return store->isBeforeInBlock(root); });
  }

  bool hasPlace(Operation &op) {
    return llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      return hasRoom(store, sets, &op) && store.getMap().isIdentity() &&
             !isBeforeLastUse(store, op);
    });
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  Accesses accesses;
  ListBuilder list;
  SmallVector<AxisGroup> reducedRuns, keptRuns;
  int64_t values = 1, tileRows = 1, taller = 1;
  bool partials = false, inOrder = false;
};

} // namespace

void tw::schedule::host::proposeRows(KernelOp kernel, const HostTraits &traits,
                                     SmallVectorImpl<HostCandidate> &candidates) {
  constexpr int64_t kMostParts = 4;
  for (int64_t parts = 0; parts <= kMostParts; ++parts)
    Rows(kernel, traits).propose(candidates, parts);
  for (int64_t taller : {2, 4})
    Rows(kernel, traits, taller).proposeTaller(candidates);
  Rows(kernel, traits).proposeWhole(candidates);
  Rows(kernel, traits).proposeRunsTogether(candidates);
  Rows(kernel, traits).proposeOnline(candidates);
}
