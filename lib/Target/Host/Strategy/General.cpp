// The strategy for any kernel: vector lanes along contiguous memory, rows where operands are
// reused.
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/AxisGroups.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class General {
public:
  /// With `peelsRows`, the last rows are a smaller tile, not a masked one.
  General(KernelOp kernel, const HostTraits &traits, bool exact, bool peelsRows)
      : kernel(kernel), traits(traits), exact(exact), peelsRows(peelsRows), sets(kernel),
        parallel(kernel.getNumAxes()), reduced(kernel.getNumAxes()), scanned(kernel.getNumAxes()),
        everywhere(kernel.getNumAxes()) {
    for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/false))
      for (unsigned axis : group.axes)
        everywhere[axis] = group.everywhere;
    for (Operation &op : kernel.getBody().front()) {
      reduced |= sets.reducedBy(&op);
      scanned |= sets.orderedBy(&op);
      if (auto store = dyn_cast<StoreOp>(op))
        for (Value index : store.getIndices())
          parallel.set(cast<BlockArgument>(index).getArgNumber());
      isContraction |= isa<ContractOp>(op);
    }
  }

  /// Axes along which lanes may run: such as programs or loops may divide.
  SmallVector<unsigned> listLanes() {
    SmallVector<unsigned> axes;
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
      if (!scanned[axis] && extent(axis) >= 2 && (parallel[axis] || reduced[axis]) &&
          !(exact && reduced[axis]))
        axes.push_back(axis);
    return axes;
  }

  /// The list with lanes along the axis, or without any.
  ScheduleAttr make(std::optional<unsigned> axis) {
    lanes = axis;
    if (lanes) {
      laneFactor = getLaneFactor(extent(*lanes));
      if ((rows = findRows(*lanes)))
        rowFactor = getRowFactor(*rows);
    }
    emit();
    return ScheduleAttr::get(kernel.getContext(), primitives);
  }

private:
  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }
  StringAttr name(unsigned axis) {
    return StringAttr::get(kernel.getContext(), kernel.getAxisName(axis));
  }
  StringAttr partName(unsigned axis, StringRef suffix) {
    return StringAttr::get(kernel.getContext(), kernel.getAxisName(axis) + suffix);
  }

  /// Lanes for an axis of this extent: whole registers, or the next power of two for a short axis.
  int64_t getLaneFactor(int64_t extent) {
    if (extent < traits.lanes)
      return llvm::PowerOf2Ceil(extent);
    if (!isContraction)
      for (int64_t factor = 4 * traits.lanes; factor > traits.lanes; factor /= 2)
        if (extent % factor == 0)
          return factor;
    return traits.lanes;
  }

  /// Rows for these lanes: the longest parallel axis along which some operand of a contraction is
  /// constant while it varies along the lanes, so that each vector that is loaded serves all rows.
  std::optional<unsigned> findRows(unsigned lanes) {
    std::optional<unsigned> best;
    if (!isContraction)
      return best;
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
      if (axis == lanes || !parallel[axis] || reduced[axis] || scanned[axis] ||
          extent(axis) <= (best ? extent(*best) : 1))
        continue;
      if (llvm::any_of(kernel.getBody().getOps<LoadOp>(), [&](LoadOp load) {
            const llvm::SmallBitVector &axes = sets.of(load.getResult());
            return axes[lanes] && !axes[axis];
          }))
        best = axis;
    }
    return best;
  }

  /// Rows that divide the axis where that costs at most half of them.
  int64_t getRowFactor(unsigned axis) {
    int64_t most = traits.registers >= 32 ? 8 : 4;
    if (extent(axis) <= most)
      return extent(axis);
    for (int64_t factor = most; factor > most / 2; --factor)
      if (extent(axis) % factor == 0)
        return factor;
    return most;
  }

  /// Splits the axis when its tile part is not all of it; returns the name of the tile part.
  StringAttr split(unsigned axis, int64_t factor) {
    if (factor == extent(axis))
      return name(axis);
    StringAttr outer = partName(axis, "_o"), inner = partName(axis, "_i");
    primitives.push_back(SplitAttr::get(kernel.getContext(), name(axis), {outer, inner}, {factor}));
    outers[axis] = outer;
    if (extent(axis) % factor)
      edges.push_back(axis);
    return inner;
  }

  void emit() {
    MLIRContext *context = kernel.getContext();
    SmallVector<StringAttr> tile, grid, order;
    if (rows)
      tile.push_back(split(*rows, rowFactor));
    if (lanes)
      tile.push_back(split(*lanes, laneFactor));

    int64_t programs = 1;
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
      if (!parallel[axis] || reduced[axis] || scanned[axis] || axis == lanes)
        continue;
      if (axis == rows && !outers.count(axis))
        continue;
      StringAttr outer = axis == rows ? outers[axis] : name(axis);
      if (!everywhere[axis]) {
        order.push_back(outer);
        continue;
      }
      grid.push_back(outer);
      programs *= axis == rows ? llvm::divideCeil(extent(axis), rowFactor) : extent(axis);
    }
    // The outer part of the lanes' axis: a loop when there are programs enough, else the grid.
    bool lanesInLoop = true;
    if (lanes && outers.count(*lanes)) {
      constexpr int64_t kEnoughPrograms = 8;
      if (parallel[*lanes] && everywhere[*lanes] && programs < kEnoughPrograms) {
        grid.push_back(outers[*lanes]);
        lanesInLoop = false;
      } else if (parallel[*lanes] && !reduced[*lanes]) {
        order.push_back(outers[*lanes]);
      }
    }
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
      if (!reduced[axis] && !scanned[axis])
        continue;
      if (lanes && axis == *lanes) {
        if (outers.count(axis))
          order.push_back(outers[axis]);
      } else {
        order.push_back(name(axis));
      }
    }
    if (!grid.empty())
      primitives.push_back(GridAttr::get(context, grid));
    if (!order.empty())
      primitives.push_back(OrderAttr::get(context, order));
    if (!tile.empty())
      primitives.push_back(TileAttr::get(context, tile));
    for (unsigned axis : edges)
      primitives.push_back(EdgeAttr::get(
          context, name(axis),
          (lanesInLoop && axis == *lanes) || (peelsRows && axis == rows) ? EdgeMode::Peel
                                                                         : EdgeMode::Mask));
  }

  KernelOp kernel;
  const HostTraits &traits;
  bool exact, peelsRows;
  AxisSets sets;
  llvm::SmallBitVector parallel, reduced, scanned;
  /// What programs may share; programs of other axes would do the same again.
  llvm::SmallBitVector everywhere;
  bool isContraction = false;
  std::optional<unsigned> lanes, rows;
  int64_t laneFactor = 1, rowFactor = 1;
  SmallVector<Attribute> primitives;
  llvm::DenseMap<unsigned, StringAttr> outers;
  SmallVector<unsigned> edges;
};

} // namespace

/// Sums that a list may keep in memory while loops come back to them, as lists of `keep`: none,
/// then as few as possible.
static SmallVector<ScheduleAttr> listKeeps(KernelOp kernel) {
  SmallVector<Operation *> sums;
  for (Operation &op : kernel.getBody().front())
    if (isa<ReduceOp, ContractOp>(op) && op.getNumResults() == 1)
      sums.push_back(&op);
  constexpr size_t kMostSums = 5; // whose subsets are tried
  auto subsets = llvm::to_vector(llvm::seq<unsigned>(0, 1u << std::min(sums.size(), kMostSums)));
  llvm::sort(subsets, [](unsigned a, unsigned b) {
    return std::pair(llvm::popcount(a), a) < std::pair(llvm::popcount(b), b);
  });
  SmallVector<ScheduleAttr> keeps;
  for (unsigned subset : subsets)
    for (KeepPlace place : {KeepPlace::Result, KeepPlace::Local}) {
      host::ListBuilder builder(kernel);
      for (auto [i, sum] : llvm::enumerate(sums))
        if (subset >> i & 1)
          builder.keep(sum, place, "sum");
      keeps.push_back(builder.finish());
    }
  return keeps;
}

/// The axes in every order, the kernel's first; only that where there are too many.
static SmallVector<SmallVector<StringAttr>> listOrders(KernelOp kernel) {
  constexpr unsigned kMostAxes = 4;
  SmallVector<unsigned> axes = llvm::to_vector(llvm::seq<unsigned>(0, kernel.getNumAxes()));
  SmallVector<SmallVector<StringAttr>> orders;
  do
    orders.push_back(llvm::map_to_vector(axes, [&](unsigned axis) {
      return StringAttr::get(kernel.getContext(), kernel.getAxisName(axis));
    }));
  while (axes.size() <= kMostAxes && std::next_permutation(axes.begin(), axes.end()));
  return orders;
}

/// Adds the list if it is legal. Where reductions and scans keep what others run along, its order
/// of loops may not be: then with partial results in memory, or else the first order of all loops
/// that is.
static void addLegal(KernelOp kernel, StringRef strategy, ScheduleAttr schedule,
                     SmallVectorImpl<HostCandidate> &candidates) {
  std::string why;
  if (isLegal(kernel, schedule, why)) {
    candidates.push_back({strategy, schedule});
    return;
  }
  SmallVector<ScheduleAttr> keeps = listKeeps(kernel);
  auto tryWith = [&](ArrayRef<Attribute> list) {
    for (ScheduleAttr keep : keeps) {
      SmallVector<Attribute> all(list);
      llvm::append_range(all, keep.getPrimitives());
      auto kept = ScheduleAttr::get(kernel.getContext(), all);
      if (!isLegal(kernel, kept, why))
        continue;
      candidates.push_back({strategy, kept});
      return true;
    }
    return false;
  };
  if (tryWith(schedule.getPrimitives()))
    return;
  for (ArrayRef<StringAttr> order : listOrders(kernel))
    if (tryWith(OrderAttr::get(kernel.getContext(), order)))
      return;
}

/// Adds a list for each axis along which lanes may run, or one without lanes where there is none,
/// but what was tried.
static void addForEachAxis(KernelOp kernel, const HostTraits &traits, bool exact, bool peelsRows,
                           llvm::SmallPtrSetImpl<Attribute> &tried,
                           SmallVectorImpl<HostCandidate> &candidates) {
  StringRef strategy = exact ? "exact" : "general";
  const General general(kernel, traits, exact, peelsRows);
  auto add = [&](std::optional<unsigned> axis) {
    ScheduleAttr list = General(general).make(axis);
    if (tried.insert(list).second)
      addLegal(kernel, strategy, list, candidates);
  };
  SmallVector<unsigned> axes = General(general).listLanes();
  for (unsigned axis : axes)
    add(axis);
  if (axes.empty())
    add({});
}

SmallVector<ScheduleAttr> host::listPlain(KernelOp kernel, const HostTraits &traits) {
  MLIRContext *context = kernel.getContext();
  SmallVector<ScheduleAttr> lists;
  auto names = kernel.getAxisNames().getAsRange<StringAttr>();
  for (auto [axis, extent] : llvm::zip(names, kernel.getExtents())) {
    if (extent < 2 || extent > traits.registers * traits.lanes)
      continue;
    auto tile = TileAttr::get(context, axis);
    lists.push_back(ScheduleAttr::get(context, tile));
    for (StringAttr other : names)
      if (other != axis)
        lists.push_back(ScheduleAttr::get(context, {GridAttr::get(context, other), tile}));
  }
  return lists;
}

void tw::schedule::host::proposeGeneral(KernelOp kernel, const HostTraits &traits,
                                        SmallVectorImpl<HostCandidate> &candidates) {
  // Without rows both are the same.
  llvm::SmallPtrSet<Attribute, 16> tried;
  for (bool peelsRows : {true, false})
    addForEachAxis(kernel, traits, /*exact=*/false, peelsRows, tried, candidates);
}

void tw::schedule::host::proposePlain(KernelOp kernel, const HostTraits &traits,
                                      SmallVectorImpl<HostCandidate> &candidates) {
  constexpr unsigned kMostAxes = 4;
  if (kernel.getNumAxes() > kMostAxes || llvm::none_of(kernel.getBody().front(), [](Operation &op) {
        return isa<ReduceOp, ContractOp, ScanOp>(op);
      }))
    return;
  for (ScheduleAttr list : listPlain(kernel, traits))
    candidates.push_back({"plain", list});
}

void tw::schedule::host::proposeExact(KernelOp kernel, const HostTraits &traits,
                                      SmallVectorImpl<HostCandidate> &candidates) {
  llvm::SmallPtrSet<Attribute, 16> tried;
  addForEachAxis(kernel, traits, /*exact=*/true, /*peelsRows=*/false, tried, candidates);
}
