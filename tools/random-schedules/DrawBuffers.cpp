// Draws what may follow the places of axes: buffers, padding, unrolling, hints.
#include "Drawer.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::fuzz;

void Drawer::drawExtra() {
  switch (below(6)) {
  case 0:
    if (!loops.empty()) {
      const Leaf &leaf = pick(loops);
      add(UnrollAttr::get(context, leaf.name, leaf.extent <= 6 && chance(50) ? 0 : 2 + below(3)));
    }
    return;
  case 1:
    if (!values.empty()) {
      constexpr KeepPlace places[] = {KeepPlace::Register, KeepPlace::Result, KeepPlace::Recompute,
                                      KeepPlace::Local};
      add(KeepAttr::get(context, pick(values), pick(places)));
    }
    return;
  case 2:
    if (chance(30))
      add(StreamAttr::get(context, below(kernel->getNumResults())));
    else if (!loads.empty() && chance(70))
      add(PrefetchAttr::get(context, pick(loads), chance(50) ? below(40) : 0));
    else if (chance(10)) // A name that no axis has: refused, with a reason.
      add(UnrollAttr::get(context, text("nowhere"), 2));
    return;
  case 3:
    drawPad();
    return;
  default:
    drawStage();
  }
}

void Drawer::drawPad() {
  if (padded.empty())
    return;
  auto isStaged = [&](StringAttr name) {
    return llvm::any_of(list, [&](Attribute primitive) {
      auto stage = dyn_cast<StageAttr>(primitive);
      return stage && stage.getValue() == name;
    });
  };
  SmallVector<Attribute> primitives;
  if (chance(80))
    for (StringAttr load : loads)
      if (!isStaged(load))
        primitives.push_back(StageAttr::get(context, load, {}, {}, chance(30), false));
  primitives.push_back(EdgeAttr::get(context, pick(padded), EdgeMode::Pad));
  add(primitives);
}

void Drawer::drawStage() {
  StringAttr loop = loops.empty() || chance(20) ? StringAttr() : pick(loops).name;
  StringAttr value = !values.empty() && (loads.empty() || chance(25)) ? pick(values)
                     : loads.empty()                                  ? StringAttr()
                                                                      : pick(loads);
  if (!value)
    return;
  bool global = chance(15), window = !global && chance(25);
  if (global)
    loop = {};
  SmallVector<StringAttr> order;
  if (!window && chance(50))
    order = drawBufferOrder(value, loop, global);
  add(StageAttr::get(context, value, order, loop, global, window));
}

SmallVector<StringAttr> Drawer::drawBufferOrder(StringAttr value, StringAttr loop, bool global) {
  auto copy = cast<KernelOp>(kernel->clone());
  copy.setScheduleAttr(ScheduleAttr::get(context, list));
  SmallVector<StringAttr> order;
  if (FailureOr<schedule::Plan> plan = schedule::makePlan(copy); succeeded(plan)) {
    AxisSets sets(copy);
    const llvm::SmallBitVector *axes = nullptr;
    for (Operation &op : copy.getBody().front())
      if (op.getAttr("name") == value)
        axes = &sets.of(op.getResult(0));
    bool inside = !loop;
    for (unsigned leaf : llvm::concat<unsigned>(plan->grid, plan->loops, plan->tile)) {
      const schedule::LeafAxis &own = plan->leaves[leaf];
      bool counts = own.role == schedule::Role::Grid ? global : inside;
      if (axes && counts && (*axes)[own.axis] && own.extent > 1 && !chance(3))
        order.push_back(own.name);
      inside |= own.name == loop;
    }
  }
  copy->erase();
  std::shuffle(order.begin(), order.end(), random);
  return order;
}
