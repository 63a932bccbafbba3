// Splits a reduction into a kernel of partial results and the kernel that combines them.
#include "tw/Dialect/Kernel/Transforms/FactorReduction.h"

#include "Cleaning.h"
#include "FactorLed.h"
#include "FactorScan.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

std::optional<unsigned> findAxis(KernelOp kernel, StringAttr name) {
  auto *it = llvm::find(kernel.getAxisNames(), Attribute(name));
  if (it == kernel.getAxisNames().end())
    return std::nullopt;
  return it - kernel.getAxisNames().begin();
}

/// Some points of the reduced axis, in `count` parts from `start` on.
struct Parts {
  int64_t start, count, length;
};

class Factoring {
public:
  Factoring(KernelOp kernel, RfactorAttr primitive)
      : kernel(kernel), primitive(primitive), sets(kernel),
        op(findValue(kernel, primitive.getValue())), axis(*findAxis(kernel, primitive.getAxis())),
        reduced(sets.reducedBy(op)), builder(kernel) {
    for (unsigned kept : sets.of(op->getResult(0)).set_bits())
      (kernel.getExtent(kept) == Extent(1) ? unitAxes : keptAxes).push_back(kept);
  }

  KernelOp apply() {
    int64_t extent = kernel.getExtents()[axis], length = primitive.getLength();
    int64_t count = extent / length, done = count * length;
    KernelOp parts = reduce({0, count, length}, "_parts"), rest;
    if (done < extent)
      rest = reduce({done, 1, extent - done}, "_rest");
    combine(parts, rest, count);
    if (rest)
      dropUnitAxes(rest);
    FrozenRewritePatternSet patterns = getCleaningPatterns(kernel.getContext());
    for (KernelOp each : {parts, rest, kernel})
      if (each)
        clean(each, patterns);
    for (unsigned i = kernel.getNumAxes(); i-- > 0;)
      if (kernel.getAxis(i).use_empty())
        eraseAxis(kernel, i);
    return parts;
  }

private:
  /// A kernel of the reduction alone: its results have a dimension of the parts, then those of the
  /// axes that it keeps.
  KernelOp reduce(Parts parts, StringRef suffix) {
    builder.setInsertionPoint(kernel);
    SmallVector<Extent> shape{parts.count}, extents;
    SmallVector<StringRef> names{primitive.getPart().getValue()};
    for (unsigned kept : keptAxes) {
      shape.push_back(kernel.getExtent(kept));
      names.push_back(kernel.getAxisName(kept));
    }
    extents = shape;
    for (unsigned other : reduced.set_bits()) {
      extents.push_back(other == axis ? Extent(parts.length) : kernel.getExtent(other));
      names.push_back(other == axis ? primitive.getInner().getValue() : kernel.getAxisName(other));
    }
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getTensorType(shape, type));
    auto result =
        KernelOp::create(builder, kernel.getLoc(), types, kernel.getOperands(), extents, names);
    result.setSymHint((kernel.getSymHint().value_or("kernel") + suffix).str());

    builder.setInsertionPointToStart(&result.getBody().front());
    IRMapping mapping;
    SmallVector<Value> inner;
    unsigned next = 1;
    for (unsigned kept : keptAxes)
      mapping.map(kernel.getAxis(kept), result.getAxis(next++));
    for (unsigned unit : unitAxes)
      mapping.map(kernel.getAxis(unit),
                  arith::ConstantIndexOp::create(builder, op->getLoc(), 0).getResult());
    for (unsigned other : reduced.set_bits()) {
      Value own = result.getAxis(next++);
      inner.push_back(own);
      if (other == axis) {
        auto point = AffineMap::get(2, 0,
                                    builder.getAffineDimExpr(0) * parts.length +
                                        builder.getAffineDimExpr(1) + parts.start);
        SmallVector<OpFoldResult> coordinates{result.getAxis(0), own};
        own =
            affine::makeComposedAffineApply(builder, op->getLoc(), point, coordinates).getResult();
      }
      mapping.map(kernel.getAxis(other), own);
    }
    for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
      mapping.map(kernel.getOperandArgument(i), result.getOperandArgument(i));
    SmallVector<Operation *> slice = getSlice(op);
    for (Operation *producer : ArrayRef(slice).drop_back())
      builder.clone(*producer, mapping);
    for (Value reducedAxis : getAxes(op))
      mapping.map(reducedAxis, inner[indexOf(reducedAxis)]);
    Operation *reduction = builder.clone(*op, mapping);
    ValueRange indices = result.getAxes().take_front(shape.size());
    for (auto [i, value] : llvm::enumerate(reduction->getResults()))
      StoreOp::create(builder, op->getLoc(), value, indices, i,
                      builder.getMultiDimIdentityMap(shape.size()));
    return result;
  }

  /// The position of an axis among those that are reduced.
  unsigned indexOf(Value reducedAxis) {
    unsigned position = cast<BlockArgument>(reducedAxis).getArgNumber(), index = 0;
    for (unsigned other : reduced.set_bits())
      if (other < position)
        ++index;
    return index;
  }

  static OperandRange getAxes(Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return reduce.getAxes();
    return cast<ContractOp>(op).getAxes();
  }

  /// In place of the reduction: one over the parts, and what is left.
  void combine(KernelOp parts, KernelOp rest, int64_t count) {
    BlockArgument part =
        insertAxis(kernel, kernel.getNumAxes(), count, primitive.getPart().getValue());
    builder.setInsertionPoint(op);
    SmallVector<Value> values = load(parts, part);
    Operation *whole = reduceOver(values, part);
    SmallVector<Value> results(whole->getResults());
    if (rest) {
      Value zero = arith::ConstantIndexOp::create(builder, op->getLoc(), 0);
      results = join(results, load(rest, zero));
    }
    op->replaceAllUsesWith(results);
    op->erase();
  }

  SmallVector<Value> load(KernelOp from, Value part) {
    SmallVector<Value> indices{part}, values;
    for (unsigned kept : keptAxes)
      indices.push_back(kernel.getAxis(kept));
    auto map = view::MapAttr::get(builder.getMultiDimIdentityMap(indices.size()));
    for (Value tensor : from.getResults()) {
      BlockArgument source = kernel.addOperand(tensor);
      values.push_back(createLoad(builder, op->getLoc(), kernel, source, map, indices).getResult());
    }
    return values;
  }

  Operation *reduceOver(ValueRange values, Value part) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      auto copy = cast<ReduceOp>(builder.clone(*op));
      copy.getValuesMutable().assign(values);
      copy.getAxesMutable().assign(part);
      return copy;
    }
    return ReduceOp::create(builder, op->getLoc(), op->getResultTypes(), values, part,
                            arith::AtomicRMWKindAttr::get(builder.getContext(), getSumKind()),
                            ArrayAttr(), getValueName(op));
  }

  arith::AtomicRMWKind getSumKind() {
    return isa<FloatType>(op->getResult(0).getType()) ? arith::AtomicRMWKind::addf
                                                      : arith::AtomicRMWKind::addi;
  }

  SmallVector<Value> join(ValueRange before, ValueRange after) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || reduce.getKind())
      return {arith::getReductionOp(reduce ? *reduce.getKind() : getSumKind(), builder,
                                    op->getLoc(), before[0], after[0])};
    Block &region = reduce.getCombine().front();
    IRMapping mapping;
    for (auto [argument, value] :
         llvm::zip(region.getArguments(), llvm::concat<const Value>(SmallVector<Value>(before),
                                                                    SmallVector<Value>(after))))
      mapping.map(argument, value);
    for (Operation &inner : region.without_terminator())
      builder.clone(inner, mapping);
    SmallVector<Value> results;
    for (Value value : region.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    return results;
  }

  KernelOp kernel;
  RfactorAttr primitive;
  AxisSets sets;
  Operation *op;
  unsigned axis;
  llvm::SmallBitVector reduced;
  OpBuilder builder;
  /// The axes of the results, without those of one point.
  SmallVector<unsigned> keptAxes, unitAxes;
};

} // namespace

bool tw::kernel::isLedByMaximum(KernelOp kernel, Operation *op, unsigned axis) {
  return findLedSums(kernel, op, axis).has_value();
}

bool tw::kernel::mayTrapBehindEnd(ScanOp scan) {
  return llvm::any_of(getSlice(scan),
                      [&](Operation *op) { return op != scan && !isSpeculatable(op); });
}

bool tw::kernel::canFactorReduction(KernelOp kernel, RfactorAttr primitive, std::string &why) {
  auto quote = [](StringAttr name) { return "'" + name.getValue().str() + "'"; };
  std::string at = "rfactor " + quote(primitive.getValue());
  auto refuse = [&](const Twine &reason) {
    why = at + reason.str();
    return false;
  };
  Operation *op = findValue(kernel, primitive.getValue());
  if (!op)
    return refuse(" names no value: give a reduction of the kernel name = \"" +
                  primitive.getValue().getValue() + "\"");
  if (!isa<ReduceOp, ContractOp, ScanOp>(op))
    return refuse(" names no reduction: name a reduce, a contract or a scan");
  if (auto scan = dyn_cast<ScanOp>(op); scan && !scan.getKind())
    return refuse(" names a scan by a region, which runs in order: leave it whole");
  AxisSets sets(kernel);
  llvm::SmallBitVector reduced = sets.reducedBy(op) |= sets.orderedBy(op);
  std::string known;
  for (unsigned axis : reduced.set_bits())
    known += (known.empty() ? "" : ", ") + kernel.getAxisName(axis).str();
  std::optional<unsigned> axis = findAxis(kernel, primitive.getAxis());
  if (!axis || !reduced[*axis])
    return refuse(": expected one of the axes that it " +
                  Twine(isa<ScanOp>(op) ? "scans" : "reduces") + ", " + known + ", found " +
                  quote(primitive.getAxis()));
  for (auto name : {primitive.getPart(), primitive.getInner()})
    if (auto other = findAxis(kernel, name); other && *other != *axis)
      return refuse(" gives the name " + quote(name) +
                    ", which another axis has: choose another one");
  if (kernel.isSymbolic(*axis))
    return refuse(": a call settles the size of axis " + quote(primitive.getAxis()) +
                  ", and parts are of a fixed number: keep it whole");
  int64_t extent = kernel.getExtents()[*axis];
  if (extent < 2)
    return refuse(": axis " + quote(primitive.getAxis()) + " of " + Twine(extent) +
                  " points has no parts");
  if (primitive.getLength() > extent / 2)
    return refuse(": parts of " + Twine(primitive.getLength()) + " of the " + Twine(extent) +
                  " points of " + quote(primitive.getAxis()) + " are fewer than two: at most " +
                  Twine(extent / 2));
  if (auto scan = dyn_cast<ScanOp>(op);
      scan && extent % primitive.getLength() != 0 && mayTrapBehindEnd(scan))
    return refuse(": parts of " + Twine(primitive.getLength()) + " end behind the " +
                  Twine(extent) + " points of " + quote(primitive.getAxis()) +
                  ", where what is scanned may divide by zero: choose a length that divides them");
  if (isLedByMaximum(kernel, op, *axis)) {
    if (extent % primitive.getLength() != 0)
      return refuse(": parts of " + Twine(primitive.getLength()) + " do not divide the " +
                    Twine(extent) + " points of " + quote(primitive.getAxis()) +
                    ", as parts under maxima of their own do: choose a length that divides them");
    return true;
  }
  for (Operation *producer : getSlice(op))
    if (producer != op && isa<ReduceOp, ContractOp, ScanOp>(producer))
      return refuse(
          " is computed from the results of another " + producer->getName().stripDialect() +
          (getValueName(producer) ? ", " + quote(getValueName(producer)) : std::string()) +
          ": use rfactor on the first one");
  return true;
}

KernelOp tw::kernel::factorReduction(KernelOp kernel, RfactorAttr primitive) {
  if (auto scan = dyn_cast<ScanOp>(findValue(kernel, primitive.getValue())))
    return factorScan(kernel, scan, primitive);
  unsigned axis = *findAxis(kernel, primitive.getAxis());
  if (auto led = findLedSums(kernel, findValue(kernel, primitive.getValue()), axis))
    return factorLed(kernel, *led, axis, primitive);
  return Factoring(kernel, primitive).apply();
}
