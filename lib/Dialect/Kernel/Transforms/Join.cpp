// Joining two kernels: bodies side by side, inlining, then coalescing of axes.
#include "tw/Dialect/Kernel/Transforms/Join.h"

#include "AxisGraph.h"
#include "Cleaning.h"
#include "Coalesce.h"
#include "CutAxes.h"
#include "FusionRules.h"
#include "Inline.h"
#include "tw/Dialect/Graph/SymbolicShape.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Pieces.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// What forbids to make one kernel of two; empty if nothing does.
static std::string findObstacle(KernelOp kernel, KernelOp other) {
  if (kernel->getBlock() != other->getBlock())
    return "the kernels are not in one block";
  if (kernel->hasAttr("materialize") || other->hasAttr("materialize"))
    return "a result has to be in memory";
  if (kernel.getSchedule() || other.getSchedule())
    return "a kernel has a schedule";
  for (auto [i, operand] : llvm::enumerate(kernel.getOperands()))
    for (auto [j, same] : llvm::enumerate(other.getOperands()))
      if (operand == same && (isUpdated(kernel, i) || isUpdated(other, j)))
        return "one kernel updates what the other one reads";
  return "";
}

static bool canTake(KernelOp consumer, KernelOp producer, std::string &why) {
  for (auto [i, operand] : llvm::enumerate(consumer.getOperands())) {
    if (!why.empty())
      return false;
    if (operand.getDefiningOp() != producer)
      continue;
    unsigned number = cast<OpResult>(operand).getResultNumber();
    if (isUpdated(consumer, i))
      why = "the consumer updates the result";
    else if (!getWholeStore(producer, number))
      why = "the producer stores its result in pieces";
    for (LoadOp load : getLoads(consumer, i)) {
      if (!why.empty())
        return false;
      else if (!substituteAxes(producer, number, load))
        why = "the producer's points are not the elements of its result";
      else if (!keepsBoundAxes(producer, number, load))
        why = "what is reduced or scanned would be other elements where it is read";
      else if (!canInline(producer, number, load))
        why = "data says where the result is read";
    }
  }
  return why.empty();
}

/// A kernel with both bodies, all axes apart.
static KernelOp placeBeside(OpBuilder &builder, KernelOp kernel, KernelOp other) {
  auto copy = cast<KernelOp>(builder.clone(*kernel));
  SmallVector<Type> types(kernel->getResultTypes());
  llvm::append_range(types, other->getResultTypes());
  auto both = KernelOp::create(builder, kernel.getLoc(), types, ValueRange(), {}, {});
  both->setOperands(kernel.getOperands());
  both->setAttrs(kernel->getAttrDictionary());
  both.getBody().takeBody(copy.getBody());
  copy.erase();
  IRMapping mapping;
  for (unsigned i = 0; i < other.getNumAxes(); ++i)
    mapping.map(other.getAxis(i), both.addAxis(other.getExtent(i), other.getAxisName(i)));
  for (auto [i, operand] : llvm::enumerate(other.getOperands()))
    mapping.map(other.getOperandArgument(i), both.addOperand(operand));
  builder.setInsertionPointToEnd(&both.getBody().front());
  for (Operation &op : other.getBody().front()) {
    Operation *clone = builder.clone(op, mapping);
    if (auto store = dyn_cast<StoreOp>(clone))
      store.setResultNumber(store.getResultNumber() + kernel->getNumResults());
  }
  return both;
}

/// What an op reads, also in its regions, which for branches and loops see values around them.
static SmallVector<Value> getReads(Operation *op) {
  SmallVector<Value> reads(op->getOperands());
  if (!isa<KernelOp>(op))
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) { llvm::append_range(reads, inner->getOperands()); });
  return reads;
}

static bool reaches(Operation *op, KernelOp other) {
  SmallVector<Operation *> open{op};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty())
    for (Value operand : getReads(open.pop_back_val())) {
      Operation *producer = operand.getDefiningOp();
      if (producer == other)
        return true;
      if (producer && producer->getBlock() == other->getBlock() &&
          other->isBeforeInBlock(producer) && seen.insert(producer).second)
        open.push_back(producer);
    }
  return false;
}

bool kernel::dependsOn(KernelOp kernel, KernelOp other) { return reaches(kernel, other); }

/// Whether the consumer reads the producer through another kernel, a branch or a loop.
static bool readsThroughOthers(KernelOp consumer, KernelOp producer) {
  return llvm::any_of(consumer.getOperands(), [&](Value operand) {
    Operation *other = operand.getDefiningOp();
    return other && other != producer && reaches(other, producer);
  });
}

Joiner::Joiner(MLIRContext *context, bool reassociate)
    : patterns(getCleaningPatterns(context)), reassociate(reassociate) {}

Joiner::Case Joiner::describe(KernelOp kernel, KernelOp other, Form form) {
  Case text{numbers.get(kernel), numbers.get(other), form.isProducer, form.keep, form.sumsApart};
  SmallVector<Value> operands(kernel.getOperands());
  llvm::append_range(operands, other.getOperands());
  for (Value operand : operands) {
    text.push_back(llvm::find(operands, operand) - operands.begin());
    auto result = dyn_cast<OpResult>(operand);
    text.push_back(result && result.getOwner() == other ? result.getResultNumber() : -1);
    // A constant of one value becomes a scalar.
    text.push_back(reinterpret_cast<intptr_t>(getSplatScalar(operand).getAsOpaquePointer()));
  }
  return text;
}

/// Whether the consumer reads the producer at some of its points alone.
static bool readsPartly(KernelOp consumer, KernelOp producer) {
  return llvm::any_of(llvm::enumerate(consumer.getOperands()), [&](auto operand) {
    return operand.value().getDefiningOp() == producer &&
           llvm::any_of(getLoads(consumer, operand.index()), [&](LoadOp load) {
             return !isTotal(load.getMap(), kernel::getExtents(consumer, load.getIndices()),
                             cast<RankedTensorType>(operand.value().getType()));
           });
  });
}

KernelOp Joiner::build(OpBuilder &builder, KernelOp kernel, KernelOp other, Form form,
                       std::string &why) {
  // What a concatenation or a padding takes is computed where it is stored, and nowhere else.
  OwningOpRef<KernelOp> pieces;
  if (form.isProducer && readsPartly(kernel, other)) {
    pieces = cast<KernelOp>(builder.clone(*kernel));
    if (cutAxes(*pieces, patterns))
      kernel = *pieces;
  }
  if (form.isProducer && !canTake(kernel, other, why))
    return nullptr;
  KernelOp joined =
      form.keep ? placeBeside(builder, kernel, other) : cast<KernelOp>(builder.clone(*kernel));
  bool isNamed = false;
  for (unsigned i = joined.getNumOperands(); form.isProducer && i-- > 0;)
    if (joined.getOperand(i).getDefiningOp() == other) {
      if (!isNamed)
        nameAfterProducer(joined, i);
      isNamed = true;
      inlineProducer(joined, i);
    }
  return finish(joined, form.sumsApart, why);
}

/// Looks for an equal case before it builds one.
KernelOp Joiner::joinBefore(KernelOp place, KernelOp kernel, KernelOp other, Form form,
                            std::string &why) {
  SmallVector<Value> operands(kernel.getOperands());
  llvm::append_range(operands, other.getOperands());
  auto location = FusedLoc::get(kernel.getContext(), {other.getLoc(), kernel.getLoc()});
  OpBuilder builder(place);
  auto [it, isNew] = known.try_emplace(describe(kernel, other, form));
  Outcome &outcome = it->second;
  if (!isNew) {
    why = outcome.why;
    if (!outcome.joined)
      return nullptr;
    KernelOp joined = outcome.joined->clone();
    joined->setOperands(
        llvm::map_to_vector(outcome.operands, [&](unsigned operand) { return operands[operand]; }));
    joined->setLoc(location);
    builder.insert(joined);
    return joined;
  }
  KernelOp joined = build(builder, kernel, other, form, why);
  outcome.why = why;
  if (!joined)
    return nullptr;
  for (Value operand : joined.getOperands())
    outcome.operands.push_back(llvm::find(operands, operand) - operands.begin());
  outcome.joined = copyWithoutOperands(joined);
  joined->setLoc(location);
  return joined;
}

/// The axes that a store's element and its place depend on.
static llvm::SmallBitVector getStored(StoreOp store, const AxisSets &sets) {
  llvm::SmallBitVector axes(sets.of(store.getValue()));
  axes.resize(store->getParentOfType<KernelOp>().getNumAxes());
  for (ValueRange values : {ValueRange(store.getIndices()), ValueRange(store.getOffsets())})
    for (Value value : values)
      axes |= sets.of(value);
  return axes;
}

/// Whether calls may settle an axis of one result at no points while another result, which lacks
/// the axis, has elements. Programs of a grid over the axis would store neither.
static bool mayLeaveUnwritten(KernelOp kernel) {
  Operation *function = kernel->getParentOfType<FunctionOpInterface>();
  auto mayBeEmpty = [&](unsigned axis) {
    Extent extent = kernel.getExtent(axis);
    if (extent.isFixed())
      return extent.most == 0;
    return !function || graph::getLeast(extent.size, function).value_or(0) <= 0;
  };
  auto axes = llvm::seq<unsigned>(kernel.getNumAxes());
  if (kernel->getNumResults() < 2 || llvm::none_of(axes, mayBeEmpty))
    return false;
  AxisSets sets(kernel);
  SmallVector<llvm::SmallBitVector> stored;
  llvm::SmallBitVector kept(kernel.getNumAxes());
  for (auto store : kernel.getBody().front().getOps<StoreOp>())
    kept |= stored.emplace_back(getStored(store, sets));
  return llvm::any_of(stored, [&](const llvm::SmallBitVector &own) {
    return llvm::any_of(kept.set_bits(), [&](unsigned axis) {
      return !own[axis] && mayBeEmpty(axis) && llvm::none_of(own.set_bits(), [&](unsigned other) {
        return kernel.getExtent(other).size == kernel.getExtent(axis).size;
      });
    });
  });
}

/// What was joined, unless it may leave a result unwritten. Functions may have the symbols of a
/// known case in other ranges, so this is asked of each.
static KernelOp checkWritten(KernelOp joined, std::string &why) {
  if (!joined || !mayLeaveUnwritten(joined))
    return joined;
  why = "an axis of one result may have no points where another result has elements";
  joined.erase();
  return nullptr;
}

KernelOp Joiner::takeProducer(KernelOp consumer, KernelOp producer, bool keep, std::string &why) {
  why = findObstacle(consumer, producer);
  if (why.empty() && keep && readsThroughOthers(consumer, producer))
    why = "a kernel between them reads the producer";
  if (!why.empty())
    return nullptr;
  return checkWritten(joinBefore(consumer, consumer, producer, {/*isProducer=*/true, keep}, why),
                      why);
}

KernelOp Joiner::takeSibling(KernelOp kernel, KernelOp sibling, std::string &why, bool sumsApart) {
  why = findObstacle(kernel, sibling);
  bool isLater = why.empty() && kernel->isBeforeInBlock(sibling);
  KernelOp first = isLater ? kernel : sibling, last = isLater ? sibling : kernel;
  if (why.empty() && dependsOn(last, first))
    why = "one kernel depends on the other";
  if (!why.empty())
    return nullptr;
  return checkWritten(
      joinBefore(last, kernel, sibling, {/*isProducer=*/false, /*keep=*/true, sumsApart}, why),
      why);
}

/// Whether the points of all axes are a number that the kernel may have.
static bool countsItsPoints(KernelOp kernel) {
  int64_t points = 1;
  return llvm::none_of(kernel.getExtents(), [&](int64_t extent) {
    return llvm::MulOverflow(points, std::max<int64_t>(extent, 1), points);
  });
}

/// Coalesces and checks; erases what cannot be.
KernelOp Joiner::finish(KernelOp joined, bool sumsApart, std::string &why) {
  clean(joined, patterns);
  coalesceAxes(joined, patterns, sumsApart);
  // What one of the kernels reads through a reshape the other may read along its axes.
  while (splitAxes(joined, /*all=*/true)) {
    clean(joined, patterns);
    coalesceAxes(joined, patterns, sumsApart);
  }
  if (reassociate)
    hoistFactors(joined);
  if (joined.getNumOperands() + joined.getNumResults() > maxBindings)
    why = "more operands and results than a launch binds";
  else if (getSize(joined) > maxBodySize)
    why = "the body is too long";
  else if (!countsItsPoints(joined))
    why = "more points than can be counted";
  SmallVector<unsigned> order = AxisGraph(joined).getOrder();
  if (why.empty() && order.size() < joined.getNumAxes())
    why = "no order of loops serves all reductions";
  if (why.empty()) {
    if (!llvm::is_sorted(order))
      permuteAxes(joined, order);
    return joined;
  }
  joined.erase();
  return nullptr;
}
