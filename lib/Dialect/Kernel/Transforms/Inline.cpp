// Inlining a producer: axes are substituted, maps composed, guards become selects.
#include "Inline.h"

#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Finite.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/Pieces.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

SmallVector<LoadOp> kernel::getLoads(KernelOp kernel, unsigned operand) {
  SmallVector<LoadOp> loads;
  for (Operation *user : kernel.getOperandArgument(operand).getUsers())
    if (auto load = dyn_cast<LoadOp>(user))
      loads.push_back(load);
  return loads;
}

std::optional<Substitution> kernel::substituteAxes(KernelOp producer, unsigned number,
                                                   LoadOp load) {
  StoreOp store = getWholeStore(producer, number);
  if (!store)
    return std::nullopt;
  SmallVector<int64_t> extents;
  for (Value index : store.getIndices())
    extents.push_back(producer.getExtents()[cast<BlockArgument>(index).getArgNumber()]);
  auto inverse = invert(store.getMap(), extents,
                        cast<RankedTensorType>(producer.getResult(number).getType()).getShape());
  if (!inverse)
    return std::nullopt;
  auto known = getExtents(load->getParentOfType<KernelOp>(), load.getIndices());
  Substitution axes(producer.getNumAxes());
  for (auto [index, expr] : llvm::zip(store.getIndices(), *inverse))
    axes[cast<BlockArgument>(index).getArgNumber()] =
        simplify(expr.replaceDims(load.getMap().getMap().getResults()), known);
  return axes;
}

/// Whether the stored value is nothing but a load.
static bool isCopy(StoreOp store) { return store.getValue().getDefiningOp<LoadOp>() != nullptr; }

/// What the body calls the tensor when it reads it, which becomes an operand unless it is one.
static BlockArgument bind(KernelOp kernel, Value tensor) {
  for (auto [i, operand] : llvm::enumerate(kernel.getOperands()))
    if (operand == tensor && !isUpdated(kernel, i))
      return kernel.getOperandArgument(i);
  return kernel.addOperand(tensor);
}

/// The axes that are reduced or scanned on the way to the stored value.
static llvm::SmallBitVector getBoundAxes(KernelOp producer, StoreOp store) {
  AxisSets sets(producer);
  llvm::SmallBitVector bound(producer.getNumAxes());
  for (Operation *op : getSlice(store)) {
    bound |= sets.reducedBy(op);
    if (auto scan = dyn_cast<ScanOp>(op))
      bound |= sets.of(scan.getAxis());
  }
  return bound;
}

bool kernel::keepsBoundAxes(KernelOp producer, unsigned number, LoadOp load) {
  std::optional<Substitution> axes = substituteAxes(producer, number, load);
  if (!axes)
    return false;
  llvm::SmallBitVector bound = getBoundAxes(producer, getWholeStore(producer, number));
  auto consumer = load->getParentOfType<KernelOp>();
  AxisSets sets(consumer);
  auto dependsOn = [&](AffineExpr expr, unsigned axis) {
    return expr && llvm::any_of(llvm::enumerate(load.getIndices()), [&](auto each) {
             return expr.isFunctionOfDim(each.index()) && sets.of(each.value()).test(axis);
           });
  };
  return llvm::all_of(bound.set_bits(), [&](unsigned i) {
    AffineExpr expr = (*axes)[i];
    if (!expr)
      return true;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto axis = dim ? dyn_cast<BlockArgument>(load.getIndices()[dim.getPosition()]) : nullptr;
    if (!axis || consumer.getExtent(axis.getArgNumber()) != producer.getExtent(i))
      return false;
    return llvm::none_of(llvm::enumerate(*axes), [&](auto other) {
      return other.index() != i && dependsOn(other.value(), axis.getArgNumber());
    });
  });
}

bool kernel::canInline(KernelOp producer, unsigned number, LoadOp load) {
  std::optional<Substitution> axes = substituteAxes(producer, number, load);
  if (!axes || !keepsBoundAxes(producer, number, load))
    return false;
  auto guards =
      getAllGuards(load.getMap(), getExtents(load->getParentOfType<KernelOp>(), load.getIndices()),
                   cast<RankedTensorType>(producer.getResult(number).getType()));
  if (!guards)
    return false;
  if (llvm::all_of(load.getIndices(), isAxis))
    return true;
  // With data as an index, axes that the producer keeps may be used by loads only, which are total.
  auto isKept = [&](Value index) {
    return isAxis(index) && index.getType().isIndex() &&
           (*axes)[cast<BlockArgument>(index).getArgNumber()];
  };
  for (Operation &op : producer.getBody().front())
    if (!isa<LoadOp, StoreOp>(op) && llvm::any_of(op.getOperands(), isKept))
      return false;
  return isCopy(getWholeStore(producer, number)) || canSelect(*guards, load.getIndices());
}

namespace {

/// Inlines at one load.
class Inliner {
public:
  Inliner(KernelOp producer, unsigned number, KernelOp consumer, LoadOp load)
      : producer(producer), number(number), consumer(consumer), load(load), builder(load),
        loc(load.getLoc()), base(load.getIndices()), axes(*substituteAxes(producer, number, load)) {
    for (auto [i, expr] : llvm::enumerate(axes)) {
      if (expr)
        continue;
      expr = builder.getAffineDimExpr(base.size());
      BlockArgument axis = consumer.addAxis(producer.getExtent(i), producer.getAxisName(i));
      mapping.map(producer.getAxis(i), axis);
      base.push_back(axis);
    }
    for (auto [i, operand] : llvm::enumerate(producer.getOperands()))
      mapping.map(producer.getOperandArgument(i), bind(consumer, operand));
  }

  void run() {
    StoreOp store = getWholeStore(producer, number);
    needed.insert(store.getValue());
    for (Operation &op : llvm::reverse(producer.getBody().front()))
      if (llvm::any_of(op.getResults(), [&](Value v) { return needed.contains(v); }))
        needed.insert(op.operand_begin(), op.operand_end());
    LoadOp copied = isCopy(store) ? store.getValue().getDefiningOp<LoadOp>() : findFilled(store);
    for (Operation &op : producer.getBody().front()) {
      if (llvm::none_of(op.getResults(), [&](Value v) { return needed.contains(v); }))
        continue;
      if (auto inner = dyn_cast<LoadOp>(op))
        mapping.map(inner.getResult(), cloneLoad(inner, inner == copied));
      else if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
        mapping.map(apply.getResult(), cloneApply(apply));
      else
        cloneOther(op);
    }
    Value value = mapping.lookup(store.getValue());
    if (!copied)
      value = createGuarded(builder, loc, consumer, value, outerGuards(), base);
    load.getResult().replaceAllUsesWith(value);
    load.erase();
  }

private:
  /// The one load that the stored value is computed from, if that is what lies outside where the
  /// load is: the load may have that outside then, as a relu of zero is zero. Null if there is
  /// none.
  LoadOp findFilled(StoreOp store) {
    TypedAttr fill;
    for (view::GuardAttr guard : outerGuards()) {
      if (fill && fill != guard.getFill())
        return nullptr;
      fill = guard.getFill();
    }
    LoadOp only;
    llvm::SmallDenseMap<Value, Attribute> known;
    for (Operation &op : producer.getBody().front()) {
      if (!fill || llvm::none_of(op.getResults(), [&](Value v) { return needed.contains(v); }))
        continue;
      if (auto inner = dyn_cast<LoadOp>(op)) {
        if (only || inner.getType() != fill.getType())
          return nullptr;
        only = inner;
        known[inner.getResult()] = fill;
        continue;
      }
      SmallVector<Attribute> operands =
          llvm::map_to_vector(op.getOperands(), [&](Value v) { return known.lookup(v); });
      SmallVector<OpFoldResult> results;
      if (op.getNumRegions() > 0 || op.getNumResults() != 1 || failed(op.fold(operands, results)) ||
          results.size() != 1)
        return nullptr;
      auto value = dyn_cast<Value>(results[0]);
      Attribute result = value ? known.lookup(value) : cast<Attribute>(results[0]);
      if (!result)
        return nullptr;
      known[op.getResult(0)] = result;
    }
    return only && known.lookup(store.getValue()) == fill ? only : LoadOp();
  }

  /// The expression over `base` of an index of the producer: an axis, or data, which joins `base`.
  AffineExpr substitute(Value index) {
    if (auto axis = dyn_cast<BlockArgument>(index))
      return axes[axis.getArgNumber()];
    base.push_back(mapping.lookup(index));
    return builder.getAffineDimExpr(base.size() - 1);
  }

  /// A load of the producer, read where the consumer reads the producer. For a copy, what the
  /// consumer's map says of guards and the outside comes before the copy's own guards.
  Value cloneLoad(LoadOp inner, bool isWholeCopy) {
    SmallVector<AffineExpr> exprs;
    for (Value index : inner.getIndices())
      exprs.push_back(substitute(index));
    AffineMap coordinates = AffineMap::get(base.size(), 0, exprs, builder.getContext());
    view::MapAttr map = inner.getMap().compose(coordinates);
    if (isWholeCopy) {
      SmallVector<view::GuardAttr> guards = outerGuards();
      llvm::append_range(guards, map.getGuards());
      map = view::MapAttr::get(map.getMap(), guards, map.getOutside());
    }
    LoadOp read = createLoad(builder, loc, consumer, mapping.lookup(inner.getSource()), map, base);
    // What is known of the tensor: loads that say so and loads that do not are not the same.
    for (StringRef name : {finiteAttrName, betweenAttrName})
      if (Attribute known = inner->getAttr(name))
        read->setAttr(name, known);
    return read;
  }

  /// The guards of the consumer's load over `base`, the extents of the producer's result last.
  SmallVector<view::GuardAttr> outerGuards() {
    unsigned count = load.getIndices().size();
    SmallVector<AffineExpr> dims;
    for (unsigned i = 0; i < count; ++i)
      dims.push_back(builder.getAffineDimExpr(i));
    view::MapAttr map =
        load.getMap().compose(AffineMap::get(base.size(), 0, dims, builder.getContext()));
    return *getAllGuards(map, getExtents(consumer, base),
                         cast<RankedTensorType>(producer.getResult(number).getType()));
  }

  Value cloneApply(affine::AffineApplyOp apply) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getOperands())
      operands.push_back(substitute(operand));
    ArrayRef<AffineExpr> all = operands;
    unsigned numDims = apply.getAffineMap().getNumDims();
    AffineExpr expr = apply.getAffineMap().getResult(0).replaceDimsAndSymbols(
        all.take_front(numDims), all.drop_front(numDims));
    return createIndex(builder, loc, consumer, expr, base);
  }

  /// Any other op; axes that it uses as values are computed.
  void cloneOther(Operation &op) {
    for (Value operand : op.getOperands())
      if (isAxis(operand) && operand.getType().isIndex() && !mapping.contains(operand))
        mapping.map(operand, createIndex(builder, loc, consumer,
                                         axes[cast<BlockArgument>(operand).getArgNumber()], base));
    builder.clone(op, mapping);
  }

  KernelOp producer;
  unsigned number;
  KernelOp consumer;
  LoadOp load;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> base;
  Substitution axes;
  IRMapping mapping;
  llvm::SmallDenseSet<Value> needed;
};

} // namespace

void kernel::inlineProducer(KernelOp consumer, unsigned operand) {
  auto result = cast<OpResult>(consumer.getOperand(operand));
  auto producer = cast<KernelOp>(result.getOwner());
  for (LoadOp load : getLoads(consumer, operand))
    Inliner(producer, result.getResultNumber(), consumer, load).run();
  dropOperand(consumer, operand);
}

/// Whether each axis of the consumer is the producer's axis of the same place, and all others are
/// reduced.
static bool sharePoints(KernelOp producer, KernelOp consumer, LoadOp load) {
  std::optional<Substitution> axes = substituteAxes(producer, 0, load);
  if (!axes || axes->size() < consumer.getNumAxes() ||
      !isTotal(load.getMap(), getExtents(consumer, load.getIndices()),
               cast<RankedTensorType>(load.getSource().getType())))
    return false;
  for (auto [i, expr] : llvm::enumerate(*axes)) {
    if (i >= consumer.getNumAxes()) {
      if (expr)
        return false;
      continue;
    }
    auto dim = dyn_cast_or_null<AffineDimExpr>(expr);
    if (!dim || load.getIndices()[dim.getPosition()] != consumer.getAxis(i) ||
        producer.getExtent(i) != consumer.getExtent(i))
      return false;
  }
  return true;
}

bool kernel::moveProducer(KernelOp consumer, unsigned operand) {
  auto producer = cast<KernelOp>(consumer.getOperand(operand).getDefiningOp());
  SmallVector<LoadOp> loads = getLoads(consumer, operand);
  if (!producer->hasOneUse() || producer->getNumResults() != 1 || loads.size() != 1 ||
      !sharePoints(producer, consumer, loads[0]))
    return false;
  for (unsigned i = consumer.getNumAxes(); i < producer.getNumAxes(); ++i)
    consumer.addAxis(producer.getExtent(i), producer.getAxisName(i));
  for (unsigned i = 0; i < producer.getNumAxes(); ++i)
    producer.getAxis(i).replaceAllUsesWith(consumer.getAxis(i));
  for (auto [i, tensor] : llvm::enumerate(producer.getOperands()))
    producer.getOperandArgument(i).replaceAllUsesWith(bind(consumer, tensor));
  StoreOp store = getWholeStore(producer, 0);
  loads[0].getResult().replaceAllUsesWith(store.getValue());
  store.erase();
  Block &body = consumer.getBody().front();
  body.getOperations().splice(loads[0]->getIterator(), producer.getBody().front().getOperations());
  loads[0].erase();
  dropOperand(consumer, operand);
  producer.erase();
  return true;
}
