// Reductions without products: along rows (softmax, norms, sums, arg-reductions) with vectors along
// the reduced axis, and along columns with vectors along an axis that is kept.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class Strategy {
public:
  Strategy(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), accesses(kernel, sets), list(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!classify())
      return;
    bool rows = accesses.areContiguous(reducedRuns.back().fastest());
    if (rows ? !proposeRows() : !proposeColumns())
      return;
    bool streams = false;
    if (!keepExpensiveValues() && !partials)
      for (int64_t result : findStreamedResults(kernel, traits)) {
        list.stream(result);
        streams = true;
      }
    if (rows)
      prefetchRows();
    candidates.push_back({rows ? "rows" : "columns", list.finish(),
                          estimateSweep(kernel, sets, accesses, traits, streams)});
  }

private:
  /// One group of axes is reduced, by every reduction.
  bool classify() {
    Block &body = kernel.getBody().front();
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

  /// A row that fits half of the registers is one tile: all stages find it there. Else loops over
  /// parts of it, with as many accumulators as hide the latency of an addition.
  bool proposeRows() {
    const AxisGroup &run = reducedRuns.back();
    if (run.extent < traits.lanes)
      return false;
    addGrid(keptRuns);
    addLoops(ArrayRef(reducedRuns).drop_back());
    StringAttr axis = list.merge(run);
    if (values == 1 && run.extent <= traits.registers / 2 * traits.lanes) {
      list.tile.push_back(axis);
      return true;
    }
    int64_t width =
        std::max<int64_t>(1, int64_t(traits.fmaLatency * traits.fmaPerCycle)) * traits.lanes;
    while (width > traits.lanes && width >= run.extent)
      width /= 2;
    SmallVector<StringAttr> parts = list.split(axis, run.extent, {width});
    list.order.push_back(parts[0]);
    list.tile.push_back(parts[1]);
    return true;
  }

  /// Accumulators in half of the registers, along the longest contiguous run that is kept: each
  /// step of the reduction then reads as much of a line of memory as it can.
  bool proposeColumns() {
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
    if (proposePartials(*run))
      return true;
    StringAttr axis = list.merge(*run);
    int64_t width = traits.registers / 2 / values * traits.lanes;
    constexpr int64_t kPrograms = 8;
    while (width > traits.lanes &&
           (width > run->extent || programs * (run->extent / width) < kPrograms))
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

  /// Data from memory is best read in a few long streams: four pieces of several rows each, along
  /// the whole run, or a part of it whose partial results stay in a near cache, in the kernel's
  /// result. Rows that do not make such pieces are read eight at a time.
  bool proposePartials(const AxisGroup &run) {
    auto reductions = kernel.getBody().getOps<ReduceOp>();
    constexpr int64_t kRows = 8, kStreams = 4, kStreamRows = 16;
    const AxisGroup &rows = reducedRuns.front();
    int64_t most = 0;
    for (const Access &access : accesses.all())
      most = std::max(most, access.getBytes());
    if (!llvm::hasSingleElement(reductions) || reducedRuns.size() != 1 || rows.extent < 2 * kRows ||
        most <= traits.l2Bytes)
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
    for (Operation *user : value.getUsers()) {
      if (isa<ReduceOp, StoreOp>(user))
        roots.insert(user);
      else
        collectRoots(user->getResult(0), roots);
    }
  }

  bool needs(Operation *op, Operation *root) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && (producer == root || needs(producer, root));
    });
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
      if (bytes <= traits.l1Bytes / 2) {
        list.keep(&op, KeepPlace::Local);
      } else if (hasPlace(op)) {
        list.keep(&op, KeepPlace::Result);
        inResult = true;
      }
    }
    return inResult;
  }

  /// While a later stage computes on a row from the caches, memory brings the next one.
  void prefetchRows() {
    bool stages = llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      return llvm::any_of(store.getIndices(),
                          [&](Value index) { return sets.of(index).anyCommon(getReduced()); });
    });
    if (!stages || list.order.empty() || list.grid.empty())
      return;
    unsigned next = keptRuns.back().fastest(), along = reducedRuns.back().fastest();
    for (auto load : kernel.getBody().getOps<LoadOp>()) {
      auto type = cast<RankedTensorType>(load.getSource().getType());
      bool walks = llvm::all_of(load.getIndices(), [&](Value index) {
        return isa<BlockArgument>(index) || sets.of(index).none();
      });
      const llvm::SmallBitVector &axes = sets.of(load.getResult());
      if (walks && axes[next] && axes[along] && type.getNumElements() * 4 > traits.l2Bytes)
        list.prefetch(load);
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
  bool hasPlace(Operation &op) {
    return llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      llvm::SmallBitVector axes(kernel.getNumAxes());
      for (Value index : store.getIndices())
        axes |= sets.of(index);
      return axes == sets.of(op.getResult(0)) &&
             store.getValue().getType() == op.getResult(0).getType() && store.getMap().isIdentity();
    });
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  Accesses accesses;
  ListBuilder list;
  SmallVector<AxisGroup> reducedRuns, keptRuns;
  int64_t values = 1;
  bool partials = false;
};

} // namespace

void tw::schedule::host::proposeRows(KernelOp kernel, const HostTraits &traits,
                                     SmallVectorImpl<HostCandidate> &candidates) {
  Strategy(kernel, traits).propose(candidates);
}
