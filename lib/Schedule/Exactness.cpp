// Classes of the primitives in one kernel, by following which axes are parts of reduced ones.
#include "tw/Schedule/Exactness.h"

#include "tw/Dialect/Kernel/AxisSets.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Integers wrap, so that their sums and products are the same in any order.
bool dependsOnOrder(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return (reduce && !reduce.getKind()) ||
         !llvm::all_of(op->getResultTypes(), [](Type type) { return type.isInteger(); });
}

/// The axes as the primitives so far have left them, in the order in which the kernel as written
/// runs through its points.
class Axes {
public:
  explicit Axes(KernelOp kernel) {
    llvm::SmallBitVector reducedAxes(kernel.getNumAxes());
    AxisSets sets(kernel);
    for (Operation &op : kernel.getBody().front())
      if (dependsOnOrder(&op))
        reducedAxes |= sets.reducedBy(&op);
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      axes.push_back({StringAttr::get(kernel.getContext(), kernel.getAxisName(i)), reducedAxes[i]});
  }

  /// Replaces the axes `from` by `to`, where the first of them is.
  void replace(ArrayRef<StringAttr> from, ArrayRef<StringAttr> to) {
    auto *first =
        llvm::find_if(axes, [&](const Axis &a) { return llvm::is_contained(from, a.name); });
    if (first == axes.end())
      return;
    bool reduced = first->reduced;
    unsigned position = first - axes.begin();
    llvm::erase_if(axes, [&](const Axis &a) { return llvm::is_contained(from, a.name); });
    for (StringAttr name : to)
      axes.insert(axes.begin() + position++, {name, reduced});
  }

  /// The axis is not reduced any more.
  void keep(StringAttr name) {
    for (Axis &axis : axes)
      axis.reduced &= axis.name != name;
  }

  StringAttr findReduced(ArrayRef<StringAttr> names) const {
    for (const Axis &axis : axes)
      if (axis.reduced && llvm::is_contained(names, axis.name))
        return axis.name;
    return {};
  }

  /// Whether loops in that order, the others following, run reduced axes as the kernel does.
  bool keepsOrder(ArrayRef<StringAttr> names) const {
    SmallVector<StringAttr> before, after;
    for (StringAttr name : names)
      if (findReduced(name))
        after.push_back(name);
    for (const Axis &axis : axes) {
      if (!axis.reduced)
        continue;
      before.push_back(axis.name);
      if (!llvm::is_contained(names, axis.name))
        after.push_back(axis.name);
    }
    return before == after;
  }

  /// Whether loops in that order come back to a sum, which has been in memory meanwhile, with a
  /// part of it that was summed apart.
  bool sumsParts(ArrayRef<StringAttr> order, Operation *reduction) const {
    auto isReduced = [&](StringAttr name) { return bool(findReduced(name)); };
    auto *first = llvm::find_if(order, isReduced);
    auto *kept = std::find_if_not(first, order.end(), isReduced);
    // A product is rounded before it is added to what is in memory.
    return kept != order.end() &&
           (isa<ContractOp>(reduction) || std::any_of(kept, order.end(), isReduced));
  }

private:
  struct Axis {
    StringAttr name;
    bool reduced;
  };
  SmallVector<Axis> axes;
};

} // namespace

StringRef tw::schedule::getName(Exactness exactness) {
  static constexpr llvm::StringLiteral names[] = {"exact", "reassociating", "approximate"};
  return names[unsigned(exactness)];
}

Exactness tw::schedule::getExactness(Attribute primitive) {
  if (isa<OrderAttr, TileAttr, RfactorAttr, OnlineAttr, SkipAttr>(primitive))
    return Exactness::Reassociating;
  bool exact = isa<MergeAttr, WidenAttr, SplitAttr, GridAttr, TeamAttr, WarpsAttr, StageAttr,
                   KeepAttr, StreamAttr, PrefetchAttr, UnrollAttr, EdgeAttr>(primitive);
  return exact ? Exactness::Exact : Exactness::Approximate;
}

SmallVector<Exactness> tw::schedule::classify(KernelOp kernel, ScheduleAttr schedule) {
  Axes axes(kernel);
  SmallVector<Exactness> classes;
  for (Attribute primitive : schedule.getPrimitives()) {
    bool exact =
        TypeSwitch<Attribute, bool>(primitive)
            .Case([&](MergeAttr merge) {
              axes.replace(merge.getParts(), merge.getAxis());
              return false;
            })
            .Case([&](RfactorAttr factor) {
              bool exact = !axes.findReduced(factor.getAxis());
              axes.replace(factor.getAxis(), {factor.getInner(), factor.getPart()});
              axes.keep(factor.getPart());
              return exact;
            })
            .Case([&](SplitAttr split) {
              axes.replace(split.getAxis(), split.getParts());
              return false;
            })
            .Case([&](ContractAttr contract) { return !axes.findReduced(contract.getAxis()); })
            .Case([&](TileAttr tile) { return !axes.findReduced(tile.getAxes()); })
            .Case([&](OrderAttr order) { return axes.keepsOrder(order.getAxes()); })
            .Default(false);
    classes.push_back(exact ? Exactness::Exact : getExactness(primitive));
  }
  OrderAttr order;
  for (Attribute primitive : schedule.getPrimitives())
    if (auto found = dyn_cast<OrderAttr>(primitive))
      order = found;
  for (auto [primitive, exactness] : llvm::zip(schedule.getPrimitives(), classes)) {
    auto keep = dyn_cast<KeepAttr>(primitive);
    if (!keep || !order ||
        !llvm::is_contained({KeepPlace::Local, KeepPlace::Result}, keep.getPlace()))
      continue;
    for (Operation &op : kernel.getBody().front())
      if (isa<ReduceOp, ContractOp>(op) && op.getAttr("name") == keep.getValue() &&
          axes.sumsParts(order.getAxes(), &op))
        exactness = Exactness::Reassociating;
  }
  return classes;
}

std::string tw::schedule::getPrimitiveText(Attribute primitive) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ScheduleAttr::get(primitive.getContext(), primitive);
  // #tkernel.schedule<[grid [m]]>
  StringRef inner = text;
  inner = inner.drop_front(inner.find('[') + 1);
  return inner.take_front(inner.rfind(']')).str();
}

bool tw::schedule::isExact(KernelOp kernel, ScheduleAttr schedule, std::string &why) {
  SmallVector<Exactness> classes = classify(kernel, schedule);
  for (auto [primitive, exactness] : llvm::zip(schedule.getPrimitives(), classes)) {
    if (exactness == Exactness::Exact)
      continue;
    why = "'" + getPrimitiveText(primitive) + "' is " + getName(exactness).str();
    if (isa<TileAttr>(primitive))
      why +=
          ": it holds parts of a reduced axis, which are summed before the others; tile axes that "
          "are not reduced, and put the reduced ones in order";
    else if (isa<KeepAttr>(primitive))
      why += ": the loops come back to a sum in memory with parts that were summed apart; put the "
             "reduced axes last in order";
    else if (isa<OrderAttr>(primitive))
      why += ": reduced axes run in another order than in the kernel; keep theirs";
    else if (isa<OnlineAttr>(primitive))
      why +=
          ": sums are scaled where the maximum grows; leave it out, and keep what the maximum is "
          "taken of local";
    else if (isa<SkipAttr>(primitive))
      why += ": zeros of masked points times infinity are left out; leave it out";
    else if (isa<RfactorAttr>(primitive))
      why += ": parts of a reduced axis are combined by themselves; leave it out";
    return false;
  }
  return true;
}
