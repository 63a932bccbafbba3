// Padding the panels of an axis to whole tiles, and when that cannot change results.
//
// Along a reduced axis the kernel itself is rewritten, before any panel is outlined: the axis is as
// long as its tiles reach, and what is staged is guarded. Everything that fills a panel, in a
// program or in a kernel of its own, then fills in neutral elements without knowing.
#include "Pad.h"

#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

std::string getText(Operation *op) {
  StringAttr name = getValueName(op);
  return ("'" + (name ? name.getValue() : op->getName().getStringRef()) + "'").str();
}

LogicalResult refuse(StringRef axis, const Twine &reason, std::string &why) {
  why = ("edge '" + axis + "' pad: " + reason + ": use edge mask or peel").str();
  return failure();
}

bool worksAlong(ScanOp scan, unsigned axis) {
  return cast<BlockArgument>(scan.getAxis()).getArgNumber() == axis;
}

/// An axis of the kernel, and the points that its tiles reach.
struct Reach {
  unsigned axis;
  int64_t points;
};

/// The axis that the name is a part of; none if a split names what is not there.
std::optional<Reach> findReach(KernelOp kernel, StringAttr name) {
  struct Part {
    unsigned axis;
    int64_t extent, stride;
    bool leading;
  };
  llvm::DenseMap<StringAttr, Part> parts;
  SmallVector<int64_t> reach(kernel.getExtents());
  for (auto [axis, text] : llvm::enumerate(kernel.getAxisNames()))
    parts[cast<StringAttr>(text)] = {unsigned(axis), reach[axis], 1, true};
  for (Attribute primitive : kernel.getScheduleAttr().getPrimitives()) {
    auto split = dyn_cast<SplitAttr>(primitive);
    if (!split)
      continue;
    auto it = parts.find(split.getAxis());
    if (it == parts.end())
      return std::nullopt;
    Part whole = it->second;
    int64_t inner = 1;
    for (int64_t factor : split.getFactors())
      inner *= factor;
    int64_t outer = llvm::divideCeil(whole.extent, inner);
    if (whole.leading)
      reach[whole.axis] = outer * inner * whole.stride;
    for (auto [i, part] : llvm::enumerate(split.getParts()))
      parts[part] = i == 0 ? Part{whole.axis, outer, whole.stride * inner, whole.leading}
                           : Part{whole.axis, split.getFactors()[i - 1], 1, false};
  }
  auto it = parts.find(name);
  if (it == parts.end())
    return std::nullopt;
  return Reach{it->second.axis, reach[it->second.axis]};
}

/// Pads one reduced axis.
class ReducedAxis {
public:
  ReducedAxis(KernelOp kernel, StringAttr name, Reach reach, std::string &why)
      : kernel(kernel), sets(kernel), name(name), axis(reach.axis), points(reach.points), why(why) {
  }

  bool isReduced() {
    return llvm::any_of(kernel.getBody().front(),
                        [&](Operation &op) { return sets.reducedBy(&op).test(axis); });
  }

  LogicalResult pad() {
    for (Operation &op : kernel.getBody().front())
      if (failed(check(&op)))
        return failure();
    if (kernel.isSymbolic(axis))
      return fail("a call settles its size");
    int64_t extent = kernel.getExtents()[axis];
    SmallVector<Extent> extents;
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      extents.push_back(kernel.getExtent(i));
    extents[axis] = Extent(points);
    kernel.setAxes(extents, kernel.getAxisNames().getValue());
    for (auto [op, neutral] : fills)
      guard(op, neutral, extent);
    return success();
  }

private:
  KernelOp kernel;
  AxisSets sets;
  StringAttr name;
  unsigned axis;
  int64_t points;
  std::string &why;
  /// What is staged, and what it gives beyond the axis.
  llvm::MapVector<Operation *, TypedAttr> fills;

  LogicalResult fail(const Twine &reason) { return refuse(name.getValue(), reason, why); }

  LogicalResult check(Operation *op) {
    auto varies = [&](Value value) { return sets.of(value)[axis]; };
    if (isa<StoreOp>(op) && llvm::any_of(op->getOperands(), varies))
      return fail("it is reduced, and a store works along it");
    if (auto scan = dyn_cast<ScanOp>(op); scan && worksAlong(scan, axis))
      return fail("a scan works along it");
    if (!sets.reducedBy(op)[axis])
      return success();
    auto reduce = dyn_cast<ReduceOp>(op);
    ValueRange inputs = reduce ? reduce.getValues() : op->getOperands().take_front(2);
    bool anyZero = !reduce && !isa<FloatType>(inputs[0].getType());
    if (anyZero ? llvm::none_of(inputs, varies) : !llvm::all_of(inputs, varies))
      return fail(reduce ? getText(op) + " counts its points: what it takes does not vary along it"
                         : "an operand of " + getText(op) +
                               " does not vary along it, and infinity times zero is no zero");
    Builder builder(kernel.getContext());
    for (auto [i, input] : llvm::enumerate(inputs)) {
      if (!varies(input))
        continue;
      TypedAttr neutral;
      if (!reduce)
        neutral = builder.getZeroAttr(input.getType());
      else if (reduce.getKind())
        neutral = getIdentity(*reduce.getKind(), input.getType());
      else
        neutral = cast<TypedAttr>((*reduce.getIdentities())[i]);
      if (failed(addFill(op, input, neutral)))
        return failure();
    }
    return success();
  }

  TypedAttr getIdentity(arith::AtomicRMWKind kind, Type type) {
    OpBuilder builder(kernel.getContext());
    return arith::getIdentityValueAttr(kind, type, builder, kernel.getLoc());
  }

  StageAttr findStage(Operation *op) {
    StringAttr named = getValueName(op);
    for (Attribute primitive : kernel.getScheduleAttr().getPrimitives())
      if (auto stage = dyn_cast<StageAttr>(primitive); stage && named == stage.getValue())
        return stage;
    return {};
  }

  LogicalResult addFill(Operation *root, Value input, TypedAttr neutral) {
    Operation *op = input.getDefiningOp();
    bool isZero = matchPattern(neutral, m_Zero()) || matchPattern(neutral, m_PosZeroFloat());
    if (op && isZero && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op) && !findStage(op)) {
      input = op->getOperand(0);
      op = input.getDefiningOp();
      neutral = Builder(kernel.getContext()).getZeroAttr(input.getType());
    }
    if (!op)
      return fail(getText(root) + " takes the axis itself, which is in no panel");
    StageAttr stage = findStage(op);
    if (!stage)
      return fail(getText(root) + " takes " + getText(op) +
                  " along it, which would have to be staged");
    if (stage.getWindow() && !isOutsideBeyond(op, neutral))
      return fail(getText(op) +
                  " is staged as a window, and what it reads beyond the axis is not neutral");
    auto [it, isNew] = fills.insert({op, neutral});
    if (!isNew && it->second != neutral)
      return fail(getText(op) + " is reduced in two ways, which differ in what is neutral");
    return success();
  }

  /// Whether beyond the axis the load is outside of its tensor, where it gives `neutral`.
  bool isOutsideBeyond(Operation *op, TypedAttr neutral) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || (load.getMap().getOutside() && load.getMap().getOutside() != neutral))
      return false;
    auto shape = cast<RankedTensorType>(load.getSource().getType()).getShape();
    return llvm::any_of(llvm::zip(load.getMap().getMap().getResults(), shape), [&](auto pair) {
      auto [coordinate, whole] = pair;
      auto dim = dyn_cast<AffineDimExpr>(coordinate);
      return dim && load.getIndices()[dim.getPosition()] == kernel.getAxis(axis) &&
             whole == kernel.getExtents()[axis];
    });
  }

  /// The op gives `neutral` from `extent` on.
  void guard(Operation *op, TypedAttr neutral, int64_t extent) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value index = kernel.getAxis(axis);
    auto guardOf = [&](unsigned dim, unsigned dims) {
      auto set = IntegerSet::get(dims, 0, extent - 1 - builder.getAffineDimExpr(dim), false);
      return view::GuardAttr::get(builder.getContext(), set, neutral);
    };
    auto load = dyn_cast<LoadOp>(op);
    if (!load) {
      StringAttr named = getValueName(op);
      setValueName(op, {});
      Value value = op->getResult(0);
      Value guarded =
          createGuarded(builder, op->getLoc(), kernel, value, guardOf(0, 1), ValueRange(index));
      value.replaceAllUsesExcept(guarded, guarded.getDefiningOp());
      setValueName(guarded.getDefiningOp(), named);
      return;
    }
    if (findStage(op).getWindow()) {
      view::MapAttr map = load.getMap();
      load.setMapAttr(view::MapAttr::get(map.getMap(), map.getGuards(), neutral));
      return;
    }
    SmallVector<Value> indices(load.getIndices());
    unsigned before = indices.size(), dim = llvm::find(indices, index) - indices.begin();
    if (dim == before)
      indices.push_back(index);
    unsigned dims = indices.size();
    view::MapAttr map = load.getMap().compose(
        AffineMap::getMultiDimIdentityMap(dims, builder.getContext()).getMajorSubMap(before));
    SmallVector<view::GuardAttr> guards{guardOf(dim, dims)};
    llvm::append_range(guards, map.getGuards());
    LoadOp guarded =
        createLoad(builder, load.getLoc(), kernel, load.getSource(),
                   view::MapAttr::get(map.getMap(), guards, map.getOutside()), indices);
    guarded->setDiscardableAttrs(load->getDiscardableAttrDictionary());
    load.replaceAllUsesWith(guarded.getResult());
    load.erase();
  }
};

/// Checks one padded axis that is not reduced.
class StoredAxis {
public:
  StoredAxis(KernelOp kernel, const Plan &plan, unsigned axis, std::string &why)
      : kernel(kernel), plan(plan), sets(kernel), axis(axis), why(why) {}

  LogicalResult check() {
    for (Operation &op : kernel.getBody().front()) {
      if (auto scan = dyn_cast<ScanOp>(op); scan && worksAlong(scan, axis))
        return fail("a scan works along it");
      if (isa<ReduceOp, ContractOp, ScanOp>(op) && failed(checkInputs(&op)))
        return failure();
    }
    return foundPanel ? success() : fail("no reduction reads a panel along it");
  }

private:
  KernelOp kernel;
  const Plan &plan;
  AxisSets sets;
  unsigned axis;
  std::string &why;
  bool foundPanel = false;

  LogicalResult fail(const Twine &reason) { return refuse(kernel.getAxisName(axis), reason, why); }

  LogicalResult checkInputs(Operation *root) {
    SmallVector<Operation *> work{root};
    llvm::DenseSet<Operation *> seen;
    while (!work.empty())
      for (Value operand : work.pop_back_val()->getOperands()) {
        Operation *op = operand.getDefiningOp();
        if (!op || !sets.of(operand)[axis] || !seen.insert(op).second ||
            isa<ReduceOp, ContractOp, ScanOp>(op))
          continue;
        if (llvm::any_of(plan.staged, [&](auto &staged) { return staged.op == op; })) {
          foundPanel = true;
          continue;
        }
        if (isa<LoadOp>(op))
          return fail(getText(root) + " reads " + getText(op) +
                      " along it, which would have to be staged");
        if (canTrap(op))
          return fail(getText(op) + " could stop the machine beyond it");
        work.push_back(op);
      }
    return success();
  }
};

} // namespace

LogicalResult tw::schedule::padReducedAxes(KernelOp kernel, std::string &why) {
  SmallVector<Attribute> rest;
  for (Attribute primitive : kernel.getScheduleAttr().getPrimitives()) {
    auto edge = dyn_cast<EdgeAttr>(primitive);
    std::optional<Reach> reach;
    if (edge && edge.getMode() == EdgeMode::Pad)
      reach = findReach(kernel, edge.getAxis());
    if (reach && reach->points != kernel.getExtents()[reach->axis])
      if (ReducedAxis axis(kernel, edge.getAxis(), *reach, why); axis.isReduced()) {
        if (failed(axis.pad()))
          return failure();
        continue;
      }
    rest.push_back(primitive);
  }
  kernel.setScheduleAttr(ScheduleAttr::get(kernel.getContext(), rest));
  return success();
}

LogicalResult tw::schedule::checkPadded(KernelOp kernel, const Plan &plan, std::string &why) {
  for (unsigned axis = 0; axis < plan.padded.size(); ++axis) {
    bool pads = plan.padded[axis] && llvm::any_of(plan.leaves, [&](const LeafAxis &leaf) {
                  return leaf.axis == axis && leaf.edge == EdgeMode::Pad;
                });
    if (pads && failed(StoredAxis(kernel, plan, axis, why).check()))
      return failure();
  }
  return success();
}
