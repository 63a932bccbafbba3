// Splits sums that a maximum leads into a kernel of parts and the kernel that combines them:
//
//   m = max x, l = sum exp(x - m) y   ->   m[c] = max x of part c, l[c] = sum exp(x - m[c]) y
//                                          m = max m[c], l = sum exp(m[c] - m) l[c]
#include "FactorLed.h"

#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/LeadChanges.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

std::optional<LedSums> tw::kernel::findLedSums(KernelOp kernel, Operation *op, unsigned axis) {
  AxisSets sets(kernel);
  LedSums led;
  SmallVector<Operation *> roots;
  for (Operation &other : kernel.getBody().front()) {
    if (isa<ScanOp>(other))
      return std::nullopt;
    if (!sets.reducedBy(&other)[axis])
      continue;
    auto reduce = dyn_cast<ReduceOp>(other);
    if (!reduce || !isMaximum(reduce)) {
      roots.push_back(&other);
      continue;
    }
    if (led.lead || reduce.getNumResults() != 1)
      return std::nullopt;
    led.lead = reduce;
  }
  if (!led.lead || op == led.lead || !llvm::is_contained(getSlice(op), led.lead))
    return std::nullopt;
  LeadChanges changes(sets, led.lead, /*mean=*/nullptr, axis);
  if (changes.get(led.lead.getValues()[0]) != Change::None)
    return std::nullopt;
  for (Operation *root : roots) {
    Change change = changes.getOfSummands(root);
    if (change == Change::Unknown || sets.reducedBy(root) != sets.reducedBy(led.lead) ||
        root->getResult(0).getType() != led.lead.getResult(0).getType())
      return std::nullopt;
    led.sums.push_back({root, change == Change::Scales});
  }
  for (Operation &other : kernel.getBody().front())
    if (isa<math::ExpOp>(other) && changes.get(other.getOperand(0)) == Change::Decreases)
      led.exponential = &other;
  if (!led.exponential)
    return std::nullopt;
  return led;
}

namespace {

class LedFactoring {
public:
  LedFactoring(KernelOp kernel, const LedSums &led, unsigned axis, RfactorAttr primitive)
      : kernel(kernel), led(led), axis(axis), primitive(primitive), sets(kernel), builder(kernel),
        count(kernel.getExtents()[axis] / primitive.getLength()) {
    roots.push_back(led.lead);
    for (const LedSums::Sum &sum : led.sums)
      roots.push_back(sum.op);
  }

  KernelOp apply() {
    KernelOp parts = makeParts();
    combine(parts);
    FrozenRewritePatternSet patterns = getCleaningPatterns(kernel.getContext());
    for (KernelOp each : {parts, kernel}) {
      clean(each, patterns);
      for (unsigned i = each.getNumAxes(); i-- > 0;)
        if (each.getAxis(i).use_empty())
          eraseAxis(each, i);
    }
    return parts;
  }

private:
  /// The kernel with parts as its first axis, up to the sums; each result has a dimension of the
  /// parts, then those of the axes that the sum keeps.
  KernelOp makeParts() {
    SmallVector<Extent> extents{count};
    SmallVector<StringRef> names{primitive.getPart().getValue()};
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
      extents.push_back(i == axis ? Extent(primitive.getLength()) : kernel.getExtent(i));
      names.push_back(i == axis ? primitive.getInner().getValue() : kernel.getAxisName(i));
    }
    SmallVector<Type> types;
    for (Operation *root : roots) {
      SmallVector<Extent> shape{count};
      for (unsigned kept : sets.of(root->getResult(0)).set_bits())
        shape.push_back(kernel.getExtent(kept));
      types.push_back(getTensorType(shape, root->getResult(0).getType()));
    }
    builder.setInsertionPoint(kernel);
    auto parts =
        KernelOp::create(builder, kernel.getLoc(), types, kernel.getOperands(), extents, names);
    parts.setSymHint((kernel.getSymHint().value_or("kernel") + "_parts").str());
    builder.setInsertionPointToStart(&parts.getBody().front());
    IRMapping mapping, whole;
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      mapping.map(kernel.getAxis(i), parts.getAxis(i + 1));
    for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
      mapping.map(kernel.getOperandArgument(i), parts.getOperandArgument(i));
    auto point = AffineMap::get(
        2, 0, builder.getAffineDimExpr(0) * primitive.getLength() + builder.getAffineDimExpr(1));
    SmallVector<OpFoldResult> coordinates{parts.getAxis(0), parts.getAxis(axis + 1)};
    Value own = affine::makeComposedAffineApply(builder, kernel.getLoc(), point, coordinates);
    llvm::SetVector<Operation *> needed;
    for (Operation &op : kernel.getBody().front())
      if (llvm::is_contained(roots, &op))
        for (Operation *producer : getSlice(&op))
          needed.insert(producer);
    for (Operation &op : kernel.getBody().front())
      if (needed.contains(&op))
        clonePoint(op, mapping, own, parts.getAxis(axis + 1));
    for (auto [i, root] : llvm::enumerate(roots)) {
      SmallVector<Value> indices{parts.getAxis(0)};
      for (unsigned kept : sets.of(root->getResult(0)).set_bits())
        indices.push_back(parts.getAxis(kept + 1));
      StoreOp::create(builder, root->getLoc(), mapping.lookup(root->getResult(0)), indices, i,
                      builder.getMultiDimIdentityMap(indices.size()));
    }
    return parts;
  }

  /// A reduction runs along the part; whatever else asks for the axis, for the point of all.
  void clonePoint(Operation &op, IRMapping &mapping, Value point, Value inner) {
    bool runs = sets.reducedBy(&op)[axis];
    mapping.map(kernel.getAxis(axis), runs ? inner : point);
    builder.clone(op, mapping);
  }

  Value load(KernelOp parts, unsigned root, Value part) {
    SmallVector<Value> indices{part};
    for (unsigned kept : sets.of(roots[root]->getResult(0)).set_bits())
      indices.push_back(kernel.getAxis(kept));
    auto map = view::MapAttr::get(builder.getMultiDimIdentityMap(indices.size()));
    BlockArgument source = kernel.addOperand(parts.getResult(root));
    return createLoad(builder, roots[root]->getLoc(), kernel, source, map, indices).getResult();
  }

  void combine(KernelOp parts) {
    BlockArgument part =
        insertAxis(kernel, kernel.getNumAxes(), count, primitive.getPart().getValue());
    ReduceOp lead = led.lead;
    Location location = lead.getLoc();
    builder.setInsertionPoint(lead);
    Value own = load(parts, 0, part);
    auto whole = cast<ReduceOp>(builder.clone(*lead));
    whole.getValuesMutable().assign(own);
    whole.getAxesMutable().assign(part);
    Value largest = whole.getResult(0);
    Value difference = arith::SubFOp::create(builder, location, own, largest);
    Value factor = math::ExpOp::create(builder, location, difference,
                                       cast<math::ExpOp>(led.exponential).getFastmath());
    // A part of minus infinities alone has sums that are no numbers, and adds nothing to others.
    auto type = cast<FloatType>(largest.getType());
    auto makeConstant = [&](const APFloat &value) -> Value {
      return arith::ConstantOp::create(builder, location, builder.getFloatAttr(type, value));
    };
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    Value never = makeConstant(APFloat::getInf(semantics, /*Negative=*/true));
    Value isUnseen = arith::AndIOp::create(
        builder, location,
        arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OEQ, own, never),
        arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNE, largest, never));
    Value zero = makeConstant(APFloat::getZero(semantics));
    auto kind = arith::AtomicRMWKindAttr::get(builder.getContext(), arith::AtomicRMWKind::addf);
    for (auto [i, sum] : llvm::enumerate(led.sums)) {
      builder.setInsertionPoint(sum.op);
      Value value = load(parts, i + 1, part);
      if (sum.isScaled) {
        value = arith::MulFOp::create(builder, location, value, factor);
        value = arith::SelectOp::create(builder, location, isUnseen, zero, value);
      }
      auto made = ReduceOp::create(builder, sum.op->getLoc(), sum.op->getResultTypes(), value, part,
                                   kind, ArrayAttr(), StringAttr());
      sum.op->getResult(0).replaceAllUsesWith(made.getResult(0));
    }
    lead.getResult(0).replaceAllUsesWith(largest);
    for (const LedSums::Sum &sum : led.sums)
      sum.op->erase();
    lead->erase();
  }

  KernelOp kernel;
  const LedSums &led;
  unsigned axis;
  RfactorAttr primitive;
  AxisSets sets;
  OpBuilder builder;
  int64_t count;
  /// The lead and the sums: the results of the kernel of the parts.
  SmallVector<Operation *> roots;
};

} // namespace

KernelOp tw::kernel::factorLed(KernelOp kernel, const LedSums &led, unsigned axis,
                               RfactorAttr primitive) {
  return LedFactoring(kernel, led, axis, primitive).apply();
}
