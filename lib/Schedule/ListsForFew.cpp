// Lists for few points along an axis, made from that for all of them: each leaves out or moves what
// only many points are worth.
#include "ListsForFew.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// What makes lists for few points of one axis.
class FewPoints {
public:
  FewPoints(KernelOp kernel, unsigned axis, int64_t most);

  /// Without buffers for what many points read again, and sums to their end at once; the list
  /// itself where it has neither.
  ScheduleAttr withoutBuffers(ScheduleAttr list) const;
  /// With tiles of no more than the points, and at most so many of them in a block; all in one
  /// block where `tiles` is 0.
  ScheduleAttr withBlocks(ScheduleAttr list, int64_t tiles) const;
  /// With so many tiles along another axis side by side, in registers that rows have left which are
  /// not there: each is a place of memory that is read on from. The list itself where there is no
  /// such axis, its tiles would be left over, or there are as many rows as it was made for.
  ScheduleAttr withTilesBeside(ScheduleAttr list, ScheduleAttr made, int64_t tiles) const;
  /// With the outermost loop along another axis that nothing sums over in the grid, in so many
  /// parts at most; the list itself where there is none.
  ScheduleAttr withLoopInGrid(ScheduleAttr list, int64_t parts) const;

private:
  /// Points of the axis in a tile.
  int64_t getRows(ScheduleAttr list) const;
  StringAttr findLoop(ScheduleAttr list) const;
  ScheduleAttr withLoopInParts(ScheduleAttr list, StringAttr loop, int64_t parts) const;
  /// An axis, or the parts of it in the list.
  llvm::SmallDenseSet<StringAttr> findLeaves(const llvm::SmallBitVector &axes,
                                             ScheduleAttr list) const;
  bool isAlong(Attribute primitive) const {
    auto split = dyn_cast<SplitAttr>(primitive);
    return split && split.getAxis() == name;
  }

  mutable KernelOp kernel;
  int64_t most;
  StringAttr name;
  llvm::SmallBitVector own, reduced;
};

} // namespace

FewPoints::FewPoints(KernelOp kernel, unsigned axis, int64_t most)
    : kernel(kernel), most(most), name(cast<StringAttr>(kernel.getAxisNames()[axis])),
      own(kernel.getNumAxes()), reduced(kernel.getNumAxes()) {
  own.set(axis);
  AxisSets sets(kernel);
  for (Operation &op : kernel.getBody().front())
    reduced |= sets.reducedBy(&op);
}

llvm::SmallDenseSet<StringAttr> FewPoints::findLeaves(const llvm::SmallBitVector &axes,
                                                      ScheduleAttr list) const {
  llvm::SmallDenseSet<StringAttr> leaves;
  for (unsigned axis : axes.set_bits())
    leaves.insert(cast<StringAttr>(kernel.getAxisNames()[axis]));
  for (Attribute primitive : list.getPrimitives())
    if (auto split = dyn_cast<SplitAttr>(primitive); split && leaves.contains(split.getAxis()))
      leaves.insert_range(split.getParts());
  return leaves;
}

ScheduleAttr FewPoints::withoutBuffers(ScheduleAttr list) const {
  llvm::SmallDenseSet<StringAttr> summed = findLeaves(reduced, list);
  // Operands of a product that the list itself widens are no values of the kernel yet.
  llvm::SmallDenseSet<StringAttr> widened;
  for (Attribute primitive : list.getPrimitives())
    if (auto widen = dyn_cast<WidenAttr>(primitive))
      widened.insert_range(std::initializer_list<StringAttr>{widen.getLhs(), widen.getRhs()});
  auto isForMany = [&](Attribute primitive) {
    if (auto keep = dyn_cast<KeepAttr>(primitive)) {
      Operation *kept = findValue(kernel, keep.getValue());
      return keep.getPlace() == KeepPlace::Result || (kept && isa<ContractOp>(kept));
    }
    auto stage = dyn_cast<StageAttr>(primitive);
    if (!stage || stage.getGlobal() || stage.getWindow())
      return false;
    Operation *value = findValue(kernel, stage.getValue());
    return value ? !isa<ReduceOp, ContractOp, ScanOp>(value) : widened.contains(stage.getValue());
  };
  if (llvm::none_of(list.getPrimitives(), isForMany))
    return list;
  SmallVector<Attribute> primitives;
  for (Attribute primitive : list.getPrimitives()) {
    if (isForMany(primitive))
      continue;
    if (auto order = dyn_cast<OrderAttr>(primitive)) {
      SmallVector<StringAttr> leaves;
      for (bool isSummed : {false, true})
        for (StringAttr leaf : order.getAxes())
          if (summed.contains(leaf) == isSummed)
            leaves.push_back(leaf);
      primitive = OrderAttr::get(list.getContext(), leaves);
    }
    primitives.push_back(primitive);
  }
  return ScheduleAttr::get(list.getContext(), primitives);
}

ScheduleAttr FewPoints::withBlocks(ScheduleAttr list, int64_t tiles) const {
  MLIRContext *context = list.getContext();
  SmallVector<Attribute> primitives(list.getPrimitives());
  StringAttr dropped, around;
  for (Attribute &primitive : primitives) {
    if (!isAlong(primitive))
      continue;
    auto split = cast<SplitAttr>(primitive);
    SmallVector<StringAttr> parts(split.getParts());
    SmallVector<int64_t> factors(split.getFactors());
    factors.back() = std::min(factors.back(), most);
    if (factors.size() == 2) {
      int64_t all = llvm::divideCeil(most, factors.back());
      factors.front() = std::min(factors.front(), tiles == 0 ? all : tiles);
      if (factors.front() == 1) {
        dropped = parts[1];
        parts.erase(parts.begin() + 1);
        factors.erase(factors.begin());
      }
    }
    primitive = SplitAttr::get(context, split.getAxis(), parts, factors);
  }
  auto without = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringAttr> kept(axes);
    llvm::erase(kept, dropped);
    return kept;
  };
  if (!dropped)
    return ScheduleAttr::get(context, primitives);
  for (Attribute &primitive : primitives) {
    auto order = dyn_cast<OrderAttr>(primitive);
    if (!order)
      continue;
    const auto *it = llvm::find(order.getAxes(), dropped);
    if (it != order.getAxes().begin() && it != order.getAxes().end())
      around = *std::prev(it);
    primitive = OrderAttr::get(context, without(order.getAxes()));
  }
  // A buffer in each iteration of that loop is one in those of the loop around it.
  for (Attribute &primitive : primitives)
    if (auto stage = dyn_cast<StageAttr>(primitive))
      primitive = StageAttr::get(context, stage.getValue(), without(stage.getOrder()),
                                 stage.getLoop() == dropped ? around : stage.getLoop(),
                                 stage.getGlobal(), stage.getWindow());
  return ScheduleAttr::get(context, primitives);
}

int64_t FewPoints::getRows(ScheduleAttr list) const {
  for (Attribute primitive : list.getPrimitives())
    if (isAlong(primitive))
      return cast<SplitAttr>(primitive).getFactors().back();
  return 1;
}

ScheduleAttr FewPoints::withTilesBeside(ScheduleAttr list, ScheduleAttr made, int64_t tiles) const {
  if (getRows(made) * tiles > getRows(list))
    return made;
  MLIRContext *context = made.getContext();
  llvm::SmallDenseSet<StringAttr> tile, others = findLeaves(own | reduced, made);
  for (Attribute primitive : made.getPrimitives())
    if (auto leaves = dyn_cast<TileAttr>(primitive))
      tile.insert_range(leaves.getAxes());
  SmallVector<Attribute> primitives(made.getPrimitives());
  StringAttr last, beside, outer;
  for (Attribute &primitive : primitives) {
    auto split = dyn_cast<SplitAttr>(primitive);
    if (!split || others.contains(split.getAxis()))
      continue;
    SmallVector<StringAttr> parts(split.getParts());
    SmallVector<int64_t> factors(split.getFactors());
    auto axis = llvm::find(kernel.getAxisNames(), split.getAxis());
    if (last || !tile.contains(parts.back()) || tile.contains(*std::prev(parts.end(), 2)) ||
        axis == kernel.getAxisNames().end())
      continue;
    int64_t points = kernel.getExtents()[axis - kernel.getAxisNames().begin()];
    int64_t all = llvm::product_of(factors);
    int64_t before = factors.size() == 1 ? points / all : factors[factors.size() - 2];
    if (points % all != 0 || before % tiles != 0)
      return made;
    last = parts.back();
    outer = *std::prev(parts.end(), 2);
    beside = StringAttr::get(context, split.getAxis().getValue() + "_p");
    if (factors.size() > 1)
      factors[factors.size() - 2] /= tiles;
    factors.insert(std::prev(factors.end()), tiles);
    parts.insert(std::prev(parts.end()), beside);
    primitive = SplitAttr::get(context, split.getAxis(), parts, factors);
  }
  if (!last)
    return made;
  for (Attribute &primitive : primitives)
    if (auto leaves = dyn_cast<TileAttr>(primitive)) {
      SmallVector<StringAttr> axes(leaves.getAxes());
      axes.insert(llvm::find(axes, last), beside);
      primitive = TileAttr::get(context, axes);
    } else if (auto stage = dyn_cast<StageAttr>(primitive);
               stage && llvm::is_contained(stage.getOrder(), last)) {
      // Panels are in memory as they were.
      SmallVector<StringAttr> axes(stage.getOrder());
      auto *around = llvm::find(axes, outer);
      if (!stage.getGlobal() || around == axes.end())
        return made;
      axes.insert(std::next(around), beside);
      primitive = StageAttr::get(context, stage.getValue(), axes, stage.getLoop(),
                                 stage.getGlobal(), stage.getWindow());
    }
  return ScheduleAttr::get(context, primitives);
}

StringAttr FewPoints::findLoop(ScheduleAttr list) const {
  llvm::SmallDenseSet<StringAttr> stay = findLeaves(own | reduced, list);
  for (Attribute primitive : list.getPrimitives())
    if (auto order = dyn_cast<OrderAttr>(primitive))
      for (StringAttr leaf : order.getAxes())
        if (!stay.contains(leaf))
          return leaf;
  return StringAttr();
}

/// The list with the loop in two, the outer one of so many iterations at most; the list itself
/// where the loop is no part of an axis, or has no more iterations.
ScheduleAttr FewPoints::withLoopInParts(ScheduleAttr list, StringAttr loop, int64_t parts) const {
  MLIRContext *context = list.getContext();
  SmallVector<Attribute> primitives(list.getPrimitives());
  StringAttr inner;
  for (Attribute &primitive : primitives) {
    auto split = dyn_cast<SplitAttr>(primitive);
    if (!split || !llvm::is_contained(split.getParts(), loop))
      continue;
    auto axis = llvm::find(kernel.getAxisNames(), split.getAxis());
    if (axis == kernel.getAxisNames().end())
      return list;
    SmallVector<StringAttr> names(split.getParts());
    SmallVector<int64_t> factors(split.getFactors());
    size_t at = llvm::find(names, loop) - names.begin();
    int64_t points = kernel.getExtents()[axis - kernel.getAxisNames().begin()];
    int64_t iterations =
        at == 0 ? llvm::divideCeil(points, llvm::product_of(factors)) : factors[at - 1];
    if (parts >= iterations)
      return list;
    int64_t each = llvm::divideCeil(iterations, parts);
    if (at > 0)
      factors[at - 1] = llvm::divideCeil(iterations, each);
    inner = StringAttr::get(context, loop.getValue() + "_p");
    names.insert(names.begin() + at + 1, inner);
    factors.insert(factors.begin() + at, each);
    primitive = SplitAttr::get(context, split.getAxis(), names, factors);
  }
  if (!inner)
    return list;
  for (Attribute &primitive : primitives)
    if (auto order = dyn_cast<OrderAttr>(primitive)) {
      SmallVector<StringAttr> axes(order.getAxes());
      axes.insert(llvm::find(axes, loop) + 1, inner);
      primitive = OrderAttr::get(context, axes);
    } else if (auto stage = dyn_cast<StageAttr>(primitive); stage && stage.getLoop() == loop) {
      primitive = StageAttr::get(context, stage.getValue(), stage.getOrder(), inner,
                                 stage.getGlobal(), stage.getWindow());
    }
  return ScheduleAttr::get(context, primitives);
}

ScheduleAttr FewPoints::withLoopInGrid(ScheduleAttr list, int64_t parts) const {
  MLIRContext *context = list.getContext();
  StringAttr moved = findLoop(list);
  if (!moved)
    return list;
  llvm::SmallDenseSet<StringAttr> along = findLeaves(own, list);
  SmallVector<Attribute> primitives(withLoopInParts(list, moved, parts).getPrimitives());
  bool hasGrid = false;
  for (Attribute &primitive : primitives) {
    if (auto order = dyn_cast<OrderAttr>(primitive)) {
      SmallVector<StringAttr> axes(order.getAxes());
      llvm::erase(axes, moved);
      primitive = OrderAttr::get(context, axes);
    } else if (auto grid = dyn_cast<GridAttr>(primitive)) {
      // Before blocks of points, so that each thread has panels of its own.
      SmallVector<StringAttr> axes(grid.getAxes());
      auto *end = llvm::find_if(axes, [&](StringAttr leaf) { return along.contains(leaf); });
      axes.insert(end, moved);
      primitive = GridAttr::get(context, axes);
      hasGrid = true;
    } else if (auto stage = dyn_cast<StageAttr>(primitive); stage && stage.getLoop() == moved) {
      primitive = StageAttr::get(context, stage.getValue(), stage.getOrder(), StringAttr(),
                                 stage.getGlobal(), stage.getWindow());
    }
  }
  return hasGrid ? ScheduleAttr::get(context, primitives) : list;
}

SmallVector<ScheduleAttr> schedule::makeForFew(KernelOp kernel, unsigned axis, int64_t most,
                                               ScheduleAttr list) {
  FewPoints few(kernel, axis, most);
  llvm::SetVector<ScheduleAttr> made;
  for (ScheduleAttr buffered : {list, few.withoutBuffers(list)})
    for (int64_t tiles : {0, 1}) {
      ScheduleAttr blocks = few.withBlocks(buffered, tiles);
      made.insert(blocks);
      for (int64_t beside : {2, 4})
        made.insert(few.withTilesBeside(list, blocks, beside));
    }
  return made.takeVector();
}

SmallVector<ScheduleAttr> schedule::cutForFew(KernelOp kernel, unsigned axis, ScheduleAttr list) {
  // Programs of a few threads, which share what they stage, of many, and as many as there may be.
  constexpr int64_t kParts[] = {4, 16, std::numeric_limits<int64_t>::max()};
  FewPoints few(kernel, axis, std::numeric_limits<int64_t>::max());
  llvm::SetVector<ScheduleAttr> made;
  for (int64_t parts : kParts)
    if (ScheduleAttr cut = few.withLoopInGrid(list, parts); cut != list)
      made.insert(cut);
  return made.takeVector();
}
