// Lists that were proposed for one size of a kernel, made to hold for all.
#include "ListsForSizes.h"

#include "LoopTree/TreeBuilder.h"
#include "tw/Dialect/Kernel/AxisSets.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

ScheduleAttr schedule::withMasks(ScheduleAttr list) {
  SmallVector<Attribute> primitives(list.getPrimitives());
  for (Attribute &primitive : primitives)
    if (auto edge = dyn_cast<EdgeAttr>(primitive); edge && edge.getMode() == EdgeMode::Peel)
      primitive = EdgeAttr::get(list.getContext(), edge.getAxis(), EdgeMode::Mask);
  return ScheduleAttr::get(list.getContext(), primitives);
}

ScheduleAttr schedule::withoutPrefetches(ScheduleAttr list) {
  SmallVector<Attribute> primitives(list.getPrimitives());
  llvm::erase_if(primitives, llvm::IsaPred<PrefetchAttr>);
  return ScheduleAttr::get(list.getContext(), primitives);
}

ScheduleAttr schedule::withSwitches(KernelOp kernel, ScheduleAttr list) {
  constexpr int64_t kMostRows = 16;
  SmallVector<Attribute> primitives(list.getPrimitives());
  StringAttr lanes;
  for (Attribute primitive : primitives)
    if (auto tile = dyn_cast<TileAttr>(primitive); tile && !tile.getAxes().empty())
      lanes = tile.getAxes().back();
  if ((kernel.getBody().getOps<ContractOp>().empty() &&
       kernel.getBody().getOps<ReduceOp>().empty()) ||
      !lanes)
    return list;
  AxisSets sets(kernel);
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
    auto splits = llvm::make_filter_range(list.getPrimitives(), [&](Attribute primitive) {
      auto split = dyn_cast<SplitAttr>(primitive);
      return split && split.getAxis().getValue() == kernel.getAxisName(i);
    });
    if (!kernel.isSymbolic(i) || splits.empty())
      continue;
    auto split = cast<SplitAttr>(*splits.begin());
    bool isLanes = split.getParts().back() == lanes;
    bool isReduced = llvm::any_of(kernel.getBody().front(),
                                  [&](Operation &op) { return sets.reducedBy(&op)[i]; });
    int64_t points = split.getFactors().back();
    if (split.getFactors().size() > 2 || isReduced || points == 1 ||
        (!isLanes && points > kMostRows))
      continue;
    llvm::erase_if(primitives, [&](Attribute primitive) {
      auto edge = dyn_cast<EdgeAttr>(primitive);
      return edge && edge.getAxis() == split.getAxis();
    });
    primitives.push_back(EdgeAttr::get(list.getContext(), split.getAxis(), EdgeMode::Switch));
  }
  return ScheduleAttr::get(list.getContext(), primitives);
}

namespace {

/// Two parts of axes whose size a call settles, in place of those that a list for one size has
/// whole in a tile or as a dimension of a buffer.
struct WholeAxes {
  llvm::DenseMap<StringAttr, std::pair<StringAttr, StringAttr>> parts;
  SmallVector<Attribute> splits;
  /// The outer parts of those in tiles, as loops of the result and as reduced ones.
  SmallVector<StringAttr> outer, outerReduced;

  /// Both parts, or the inner one alone, in place of such axes.
  SmallVector<StringAttr> rename(ArrayRef<StringAttr> axes, bool both) const {
    SmallVector<StringAttr> renamed;
    for (StringAttr axis : axes) {
      auto it = parts.find(axis);
      if (it == parts.end()) {
        renamed.push_back(axis);
        continue;
      }
      if (both && !llvm::is_contained(outer, it->second.first) &&
          !llvm::is_contained(outerReduced, it->second.first))
        renamed.push_back(it->second.first);
      renamed.push_back(it->second.second);
    }
    return renamed;
  }
};

} // namespace

static WholeAxes findWholeAxes(KernelOp kernel, KernelOp atSize, ScheduleAttr list) {
  // Rows of a register tile that fills a buffer; points of a tile that a few loop iterations are
  // not worse than, each of whose vectors may have a mask.
  constexpr int64_t kStagedRows = 8, kMostInTile = 64;
  WholeAxes whole;
  AxisSets sets(kernel);
  auto add = [&](StringAttr axis, bool inTile) {
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
      int64_t extent = atSize.getExtents()[i], most = kernel.getExtents()[i];
      if (!kernel.isSymbolic(i) || kernel.getAxisName(i) != axis.getValue() || extent < 1 ||
          whole.parts.count(axis))
        continue;
      auto name = [&](StringRef part) {
        return StringAttr::get(list.getContext(), (axis.getValue() + part).str());
      };
      int64_t points = extent + 1 >= most ? most : extent;
      points = std::min(points, inTile ? kMostInTile : kStagedRows);
      whole.parts[axis] = {name("_p"), name("_w")};
      whole.splits.push_back(
          SplitAttr::get(list.getContext(), axis, {name("_p"), name("_w")}, {points}));
      bool isReduced = llvm::any_of(kernel.getBody().front(),
                                    [&](Operation &op) { return sets.reducedBy(&op)[i]; });
      if (inTile)
        (isReduced ? whole.outerReduced : whole.outer).push_back(name("_p"));
    }
  };
  for (Attribute primitive : list.getPrimitives())
    if (auto tile = dyn_cast<TileAttr>(primitive))
      for (StringAttr axis : tile.getAxes())
        add(axis, /*inTile=*/true);
  for (Attribute primitive : list.getPrimitives())
    if (auto stage = dyn_cast<StageAttr>(primitive))
      for (StringAttr axis : stage.getOrder())
        add(axis, /*inTile=*/false);
  return whole;
}

ScheduleAttr schedule::withParts(KernelOp kernel, KernelOp atSize, ScheduleAttr list) {
  MLIRContext *context = list.getContext();
  WholeAxes whole = findWholeAxes(kernel, atSize, list);
  if (whole.splits.empty())
    return list;
  // A kernel of its own fills a buffer for all programs, with axes that end where the tensor does.
  for (Attribute primitive : list.getPrimitives())
    if (auto stage = dyn_cast<StageAttr>(primitive); stage && stage.getGlobal())
      for (StringAttr axis : stage.getOrder())
        if (whole.parts.count(axis))
          return list;
  SmallVector<Attribute> primitives(list.getPrimitives());
  bool hasGrid = llvm::any_of(primitives, llvm::IsaPred<GridAttr>);
  // What is filled for all points of a tile is filled for those of its part, inside of the loop
  // over parts where these are no programs.
  auto getPlace = [&](StageAttr stage) {
    bool isOfPart = llvm::any_of(stage.getOrder(), [&](StringAttr axis) {
      auto it = whole.parts.find(axis);
      return it != whole.parts.end() && llvm::is_contained(whole.outer, it->second.first);
    });
    return stage.getLoop() || hasGrid || !isOfPart ? stage.getLoop() : whole.outer.back();
  };
  for (Attribute &primitive : primitives) {
    if (auto tile = dyn_cast<TileAttr>(primitive)) {
      primitive = TileAttr::get(context, whole.rename(tile.getAxes(), /*both=*/false));
    } else if (auto stage = dyn_cast<StageAttr>(primitive)) {
      primitive =
          StageAttr::get(context, stage.getValue(), whole.rename(stage.getOrder(), /*both=*/true),
                         getPlace(stage), stage.getGlobal(), stage.getWindow());
    } else if (auto grid = dyn_cast<GridAttr>(primitive)) {
      SmallVector<StringAttr> axes(grid.getAxes());
      axes.append(whole.outer);
      primitive = GridAttr::get(context, axes);
    } else if (auto order = dyn_cast<OrderAttr>(primitive)) {
      SmallVector<StringAttr> axes;
      if (!hasGrid)
        axes = whole.outer;
      axes.append(whole.rename(order.getAxes(), /*both=*/true));
      axes.append(whole.outerReduced);
      primitive = OrderAttr::get(context, axes);
    }
  }
  whole.splits.append(primitives);
  return ScheduleAttr::get(context, whole.splits);
}

ScheduleAttr schedule::withoutBlocks(KernelOp kernel, ScheduleAttr list) {
  MLIRContext *context = list.getContext();
  SmallVector<Attribute> primitives(list.getPrimitives());
  SmallVector<StringAttr> dropped;
  for (Attribute &primitive : primitives) {
    auto split = dyn_cast<SplitAttr>(primitive);
    if (!split || split.getParts().size() != 3)
      continue;
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      if (kernel.isSymbolic(i) && split.getAxis().getValue() == kernel.getAxisName(i)) {
        dropped.push_back(split.getParts()[1]);
        primitive = SplitAttr::get(context, split.getAxis(),
                                   {split.getParts().front(), split.getParts().back()},
                                   {split.getFactors().back()});
        break;
      }
  }
  auto without = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringAttr> kept(axes);
    llvm::erase_if(kept, [&](StringAttr axis) { return llvm::is_contained(dropped, axis); });
    return kept;
  };
  for (Attribute &primitive : primitives) {
    if (auto order = dyn_cast<OrderAttr>(primitive))
      primitive = OrderAttr::get(context, without(order.getAxes()));
    else if (auto grid = dyn_cast<GridAttr>(primitive))
      primitive = GridAttr::get(context, without(grid.getAxes()));
  }
  return dropped.empty() ? ScheduleAttr() : ScheduleAttr::get(context, primitives);
}

int64_t EndBlock::round(int64_t size) const {
  if (tile == 0)
    return int64_t(llvm::alignTo(uint64_t(size), uint64_t(points)));
  int64_t rest = size % tile, body = points;
  while (body < rest)
    body *= 2;
  return rest == 0 ? size : size - rest + std::min(body, tile);
}

EndBlock schedule::getEndBlock(KernelOp kernel, unsigned axis, ScheduleAttr list) {
  llvm::SmallDenseSet<StringAttr> whole, staged;
  // Loops that end with what is seen do not end with the axis.
  bool skips = llvm::any_of(list.getPrimitives(), [&](Attribute primitive) {
    auto skip = dyn_cast<SkipAttr>(primitive);
    return skip && skip.getAxis().getValue() == kernel.getAxisName(axis);
  });
  StringAttr lanes;
  for (Attribute primitive : list.getPrimitives()) {
    if (auto tile = dyn_cast<TileAttr>(primitive)) {
      whole.insert_range(tile.getAxes());
      lanes = tile.getAxes().empty() ? lanes : tile.getAxes().back();
    } else if (auto grid = dyn_cast<GridAttr>(primitive))
      whole.insert_range(grid.getAxes());
    else if (auto stage = dyn_cast<StageAttr>(primitive)) {
      whole.insert_range(skips ? stage.getOrder() : stage.getOrder().take_back(2));
      staged.insert_range(stage.getOrder());
    }
  }
  int64_t block = 1, factor = 1, least = 1;
  bool isLanes = false, isFilledWhole = false;
  for (Attribute primitive : list.getPrimitives()) {
    if (auto split = dyn_cast<SplitAttr>(primitive);
        split && split.getAxis().getValue() == kernel.getAxisName(axis)) {
      int64_t inner = 1;
      factor = split.getFactors().back();
      isLanes = split.getParts().back() == lanes;
      // A buffer around the loop that ends with a switch is filled before that, tile by tile.
      isFilledWhole = staged.contains(split.getParts().front());
      // No buffer has a dimension of one point.
      if (llvm::any_of(split.getParts(), [&](StringAttr part) { return staged.contains(part); }))
        least = 2;
      for (size_t i = split.getFactors().size(); i-- > 0;) {
        inner *= split.getFactors()[i];
        if (whole.contains(split.getParts()[i + 1]))
          block = inner;
      }
    }
    if (auto edge = dyn_cast<EdgeAttr>(primitive);
        edge && edge.getMode() == EdgeMode::Switch &&
        edge.getAxis().getValue() == kernel.getAxisName(axis))
      return !isLanes        ? EndBlock{least}
             : isFilledWhole ? EndBlock{factor}
                             : EndBlock{std::min(kLeastLanes, factor), factor};
  }
  return {block};
}
