// Lists in parts, and those that differ from them by one decision.
#include "tw/Schedule/Moves.h"

#include "Keep.h"
#include "tw/Schedule/Mask.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

Moves::Moves(KernelOp kernel, ScheduleAttr list, const Plan &plan, const MoveSizes &sizes)
    : context(kernel.getContext()), sizes(sizes) {
  seen.insert(list);
  for (Attribute primitive : list.getPrimitives()) {
    if (isa<SplitAttr>(primitive))
      this->list.splits.push_back(primitive);
    else if (!isa<GridAttr, OrderAttr, TileAttr>(primitive))
      this->list.marks.push_back(primitive);
  }
  for (const LeafAxis &leaf : plan.leaves)
    leaves.push_back({leaf.name, leaf.extent, leaf.axis, leaf.role, leaf.reduced});
  for (auto [role, positions] :
       {std::pair(Role::Grid, &plan.grid), {Role::Loop, &plan.loops}, {Role::Tile, &plan.tile}})
    for (unsigned position : *positions)
      this->list.of(role).push_back(plan.leaves[position].name);
  for (auto [axis, name] : llvm::enumerate(kernel.getAxisNames().getAsRange<StringAttr>())) {
    axes.push_back(name);
    std::string why;
    if (findMask(kernel, axis, why))
      skippable.push_back(name);
  }
  readValues(kernel);
}

void Moves::readValues(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      hasMaximum |= reduce.getKind() == arith::AtomicRMWKind::maximumf ||
                    reduce.getKind() == arith::AtomicRMWKind::maxnumf ||
                    reduce.getKind() == arith::AtomicRMWKind::addf;
    auto name = op.getAttrOfType<StringAttr>("name");
    if (!name)
      continue;
    if (isa<LoadOp>(op))
      loads.push_back(name);
    else if (isRoot(&op))
      sums.push_back(name);
    else if (findRoots(&op).size() > 1)
      shared.push_back(name);
  }
}

SmallVector<ScheduleAttr> Moves::collect() {
  for (const Primitive *kind : getPrimitives())
    kind->move(*this);
  return std::move(found);
}

void Moves::add(const List &next) {
  SmallVector<Attribute> all(next.splits);
  if (!next.grid.empty())
    all.push_back(GridAttr::get(context, next.grid));
  if (!next.order.empty())
    all.push_back(OrderAttr::get(context, next.order));
  if (!next.tile.empty())
    all.push_back(TileAttr::get(context, next.tile));
  all.append(next.marks);
  auto schedule = ScheduleAttr::get(context, all);
  if (seen.insert(schedule).second)
    found.push_back(schedule);
}

void Moves::addMark(Attribute mark) {
  List next = list;
  next.marks.push_back(mark);
  add(next);
}

void Moves::addWithout(Attribute mark) {
  List next = list;
  llvm::erase(next.marks, mark);
  add(next);
}

void Moves::addInstead(Attribute mark, Attribute other) {
  List next = list;
  llvm::replace(next.marks, mark, other);
  add(next);
}

int64_t Moves::getElements() const {
  int64_t elements = 1;
  for (const Leaf &leaf : leaves)
    if (leaf.role == Role::Tile)
      elements *= leaf.extent;
  return elements;
}

StringAttr Moves::makeName(StringAttr leaf, StringRef suffix) const {
  std::string text = (leaf.getValue() + suffix).str();
  auto isTaken = [&] {
    return llvm::any_of(leaves, [&](const Leaf &other) { return other.name == text; }) ||
           llvm::any_of(list.splits,
                        [&](Attribute split) { return cast<SplitAttr>(split).getAxis() == text; });
  };
  while (isTaken())
    text += "_";
  return StringAttr::get(context, text);
}
