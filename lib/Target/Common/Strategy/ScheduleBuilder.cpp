// Names of merged and split axes, and an order of loops that reductions allow.
#include "ScheduleBuilder.h"

#include "tw/Dialect/Kernel/ValueName.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

StringAttr ScheduleBuilder::text(const Twine &name) {
  return StringAttr::get(kernel.getContext(), name.str());
}

StringAttr ScheduleBuilder::merge(const AxisGroup &group) {
  if (group.axes.size() == 1)
    return text(kernel.getAxisName(group.axes[0]));
  SmallVector<StringAttr> parts;
  std::string name;
  for (unsigned axis : group.axes) {
    parts.push_back(text(kernel.getAxisName(axis)));
    name += (name.empty() ? "" : "_") + kernel.getAxisName(axis).str();
  }
  while (llvm::is_contained(kernel.getAxisNames(), Attribute(text(name))))
    name += "_";
  merges.push_back(MergeAttr::get(kernel.getContext(), text(name), parts));
  return text(name);
}

std::pair<StringAttr, StringAttr> ScheduleBuilder::split(const AxisGroup &group, int64_t factor,
                                                         EdgeMode edge) {
  StringAttr whole = merge(group);
  StringAttr outer = text(whole.getValue() + "_o"), inner = text(whole.getValue() + "_i");
  splits.push_back(SplitAttr::get(kernel.getContext(), whole, {outer, inner}, {factor}));
  // What has no fixed size cannot be as long as its tiles reach.
  if (group.settled && edge == EdgeMode::Pad)
    edge = EdgeMode::Mask;
  if (group.settled || group.extent % factor)
    edges.push_back(EdgeAttr::get(kernel.getContext(), whole, edge));
  return {outer, inner};
}

void ScheduleBuilder::addLoop(StringAttr name, ArrayRef<unsigned> axes, bool isOnce) {
  Loop loop{name, llvm::SmallBitVector(kernel.getNumAxes()), isOnce};
  for (unsigned axis : axes)
    loop.axes.set(axis);
  loops.push_back(loop);
}

void ScheduleBuilder::addGrid(const AxisGroup &group) { grid.push_back(merge(group)); }

void ScheduleBuilder::addLoops(const AxisGroup &group, int64_t unrolled) {
  for (unsigned axis : group.axes)
    addLoop(text(kernel.getAxisName(axis)), axis);
  if (unrolled > 1)
    unrolls.push_back(
        UnrollAttr::get(kernel.getContext(), text(kernel.getAxisName(group.fastest())), unrolled));
}

StringAttr ScheduleBuilder::addTile(const AxisGroup &group, int64_t factor, Rest rest,
                                    EdgeMode edge) {
  if (factor == group.extent && !group.settled) {
    tile.push_back(merge(group));
    return tile.back();
  }
  auto [outer, inner] = split(group, factor, edge);
  tile.push_back(inner);
  if (rest == Rest::Grid)
    grid.push_back(outer);
  else
    addLoop(outer, group.axes, /*isOnce=*/!group.settled && group.extent <= factor);
  return inner;
}

StringAttr ScheduleBuilder::addTileTogether(const AxisGroup &group, int64_t factor,
                                            int64_t together) {
  StringAttr whole = merge(group);
  auto name = [&](StringRef part) { return text(whole.getValue() + part); };
  SmallVector<StringAttr> parts = {name("_o"), name("_i")};
  SmallVector<int64_t> factors = {factor};
  if (int64_t(llvm::divideCeil(group.extent, factor)) > together) {
    parts.insert(parts.begin(), name("_g"));
    factors.insert(factors.begin(), together);
    grid.push_back(parts.front());
  }
  splits.push_back(SplitAttr::get(kernel.getContext(), whole, parts, factors));
  if (group.extent % factor)
    edges.push_back(EdgeAttr::get(kernel.getContext(), whole, EdgeMode::Mask));
  tile.push_back(name("_i"));
  fastest.push_back(name("_o"));
  return tile.back();
}

std::pair<StringAttr, StringAttr> ScheduleBuilder::addUnit(const AxisGroup &group, int64_t factor,
                                                           EdgeMode edge) {
  auto [outer, inner] = split(group, factor, edge);
  addLoop(outer, group.axes);
  tile.push_back(inner);
  contracts.push_back(ContractAttr::get(kernel.getContext(), inner));
  return {outer, inner};
}

void ScheduleBuilder::addUnrolled(StringAttr loop) {
  unrolls.push_back(UnrollAttr::get(kernel.getContext(), loop, /*factor=*/0));
}

void ScheduleBuilder::addOnline(StringAttr loop) {
  sweeps.push_back(OnlineAttr::get(kernel.getContext(), loop));
}

void ScheduleBuilder::addSkip(unsigned axis) {
  sweeps.push_back(SkipAttr::get(kernel.getContext(), text(kernel.getAxisName(axis))));
}

std::pair<StringAttr, StringAttr> ScheduleBuilder::addBlockedLoop(const AxisGroup &group,
                                                                  int64_t factor, EdgeMode edge) {
  auto [outer, inner] = split(group, factor, edge);
  addLoop(outer, group.axes);
  addLoop(inner, group.axes);
  addUnrolled(inner);
  return {outer, inner};
}

StringAttr ScheduleBuilder::getName(Operation *op, StringRef name) {
  StringAttr known = getValueName(op);
  if (!known) {
    known = text(name);
    while (findValue(kernel, known))
      known = text(known.getValue() + "_");
    setValueName(op, known);
  }
  return known;
}

void ScheduleBuilder::addStage(Operation *op, StringRef name, StringAttr loop,
                               ArrayRef<StringAttr> order, int64_t slots) {
  StringAttr known = getName(op, name);
  stages.push_back(StageAttr::get(kernel.getContext(), known, order, loop, /*global=*/false,
                                  /*window=*/false));
  if (slots > 1)
    prefetches.push_back(PrefetchAttr::get(kernel.getContext(), known, slots - 1));
}

void ScheduleBuilder::addKeep(Operation *op, StringRef name) {
  keeps.push_back(KeepAttr::get(kernel.getContext(), getName(op, name), KeepPlace::Result));
}

void ScheduleBuilder::addFactor(Operation *op, StringRef name, const AxisGroup &group,
                                int64_t length) {
  StringAttr whole = merge(group);
  factors.push_back(RfactorAttr::get(kernel.getContext(), getName(op, name), whole,
                                     text(whole.getValue() + "_p"), text(whole.getValue() + "_i"),
                                     length));
}

/// Whether some result keeps the outer loop's axes and is reduced or scanned over the inner one's.
bool ScheduleBuilder::mustEnclose(const Loop &outer, const Loop &inner) const {
  if (inner.isOnce)
    return false;
  for (Operation &op : const_cast<KernelOp &>(kernel).getBody().front()) {
    llvm::SmallBitVector carried = sets.reducedBy(&op) |= sets.orderedBy(&op);
    if (op.getNumResults() == 0 || !carried.anyCommon(inner.axes))
      continue;
    llvm::SmallBitVector kept = sets.of(op.getResult(0));
    kept.reset(carried);
    if (kept.anyCommon(outer.axes))
      return true;
  }
  return false;
}

SmallVector<StringAttr> ScheduleBuilder::orderLoops() const {
  SmallVector<StringAttr> order;
  SmallVector<const Loop *> waiting;
  for (const Loop &loop : loops)
    waiting.push_back(&loop);
  while (!waiting.empty()) {
    auto *next = llvm::find_if(waiting, [&](const Loop *loop) {
      return llvm::none_of(waiting, [&](const Loop *other) {
        return other->axes != loop->axes && mustEnclose(*other, *loop);
      });
    });
    if (next == waiting.end()) // No order fits; the schedule will be refused.
      next = waiting.begin();
    order.push_back((*next)->name);
    waiting.erase(next);
  }
  return order;
}

ScheduleAttr ScheduleBuilder::finish(int64_t warps, int64_t loading, int64_t walking) {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> list(merges);
  list.append(factors);
  list.append(splits);
  SmallVector<StringAttr> programs(grid);
  programs.append(fastest);
  if (!programs.empty())
    list.push_back(GridAttr::get(context, programs));
  if (SmallVector<StringAttr> order = orderLoops(); !order.empty())
    list.push_back(OrderAttr::get(context, order));
  if (!tile.empty())
    list.push_back(TileAttr::get(context, tile));
  list.append(contracts);
  list.append(unrolls);
  if (warps != 0)
    list.push_back(WarpsAttr::get(context, warps, loading, walking));
  list.append(stages);
  list.append(prefetches);
  list.append(keeps);
  list.append(sweeps);
  list.append(edges);
  return ScheduleAttr::get(context, list);
}
