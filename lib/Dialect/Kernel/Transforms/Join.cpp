// Joining two kernels: bodies side by side, inlining, then coalescing of axes.
#include "tw/Dialect/Kernel/Transforms/Join.h"

#include "AxisGraph.h"
#include "Cleaning.h"
#include "Coalesce.h"
#include "FusionRules.h"
#include "Inline.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Whether each axis that the producer scans is one axis where the load reads its result.
static bool keepsScans(KernelOp producer, const Substitution &axes, LoadOp load) {
  return llvm::all_of(producer.getBody().getOps<ScanOp>(), [&](ScanOp scan) {
    AffineExpr expr = axes[cast<BlockArgument>(scan.getAxis()).getArgNumber()];
    auto dim = dyn_cast_or_null<AffineDimExpr>(expr);
    return !expr || (dim && isa<BlockArgument>(load.getIndices()[dim.getPosition()]));
  });
}

/// What forbids to make one kernel of two; empty if nothing does.
static std::string findObstacle(KernelOp kernel, KernelOp other) {
  if (kernel->getBlock() != other->getBlock())
    return "the kernels are not in one block";
  if (kernel->hasAttr("materialize") || other->hasAttr("materialize"))
    return "a result has to be in memory";
  if (kernel.getSchedule() || other.getSchedule())
    return "a kernel has a schedule";
  return "";
}

static bool canTake(KernelOp consumer, KernelOp producer, std::string &why) {
  why = findObstacle(consumer, producer);
  for (auto [i, operand] : llvm::enumerate(consumer.getOperands())) {
    if (!why.empty())
      return false;
    if (operand.getDefiningOp() != producer)
      continue;
    unsigned number = cast<OpResult>(operand).getResultNumber();
    for (LoadOp load : getLoads(consumer, i)) {
      std::optional<Substitution> axes = substituteAxes(producer, number, load);
      if (!axes)
        why = "the producer's points are not the elements of its result";
      else if (!canInline(producer, number, load))
        why = "data says where the result is read";
      else if (!keepsScans(producer, *axes, load))
        why = "a scan is read at another point";
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
  for (auto [i, extent] : llvm::enumerate(other.getExtents()))
    mapping.map(other.getAxis(i), both.addAxis(extent, other.getAxisName(i)));
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

bool kernel::dependsOn(KernelOp kernel, KernelOp other) {
  SmallVector<Operation *> open{kernel};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty())
    for (Value operand : open.pop_back_val()->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer == other)
        return true;
      if (producer && producer->getBlock() == other->getBlock() &&
          other->isBeforeInBlock(producer) && seen.insert(producer).second)
        open.push_back(producer);
    }
  return false;
}

/// Whether the consumer reads the producer through a third kernel.
static bool readsThroughOthers(KernelOp consumer, KernelOp producer) {
  return llvm::any_of(consumer.getOperands(), [&](Value operand) {
    auto other = operand.getDefiningOp<KernelOp>();
    return other && other != producer && dependsOn(other, producer);
  });
}

Joiner::Joiner(MLIRContext *context, bool reassociate)
    : patterns(getCleaningPatterns(context)), reassociate(reassociate) {}

KernelOp Joiner::takeProducer(KernelOp consumer, KernelOp producer, bool keep,
                              std::string &why) const {
  if (!canTake(consumer, producer, why))
    return nullptr;
  if (readsThroughOthers(consumer, producer)) {
    why = "a kernel between them reads the producer";
    return nullptr;
  }
  OpBuilder builder(consumer);
  KernelOp joined =
      keep ? placeBeside(builder, consumer, producer) : cast<KernelOp>(builder.clone(*consumer));
  joined->setLoc(FusedLoc::get(joined.getContext(), {producer.getLoc(), consumer.getLoc()}));
  bool isNamed = false;
  for (unsigned i = joined.getNumOperands(); i-- > 0;)
    if (joined.getOperand(i).getDefiningOp() == producer) {
      if (!isNamed)
        nameAfterProducer(joined, i);
      isNamed = true;
      inlineProducer(joined, i);
    }
  return finish(joined, why);
}

KernelOp Joiner::takeSibling(KernelOp kernel, KernelOp sibling, std::string &why) const {
  why = findObstacle(kernel, sibling);
  bool isLater = why.empty() && kernel->isBeforeInBlock(sibling);
  KernelOp first = isLater ? kernel : sibling, last = isLater ? sibling : kernel;
  if (why.empty() && dependsOn(last, first))
    why = "one kernel depends on the other";
  if (!why.empty())
    return nullptr;
  OpBuilder builder(last);
  KernelOp joined = placeBeside(builder, kernel, sibling);
  joined->setLoc(FusedLoc::get(joined.getContext(), {first.getLoc(), last.getLoc()}));
  return finish(joined, why);
}

/// Coalesces and checks; erases what cannot be.
KernelOp Joiner::finish(KernelOp joined, std::string &why) const {
  clean(joined, patterns);
  coalesceAxes(joined, patterns);
  // What one of the kernels reads through a reshape the other may read along its axes.
  while (splitAxes(joined, /*all=*/true)) {
    clean(joined, patterns);
    coalesceAxes(joined, patterns);
  }
  if (reassociate)
    hoistFactors(joined);
  if (joined.getNumOperands() + joined.getNumResults() > maxBindings)
    why = "more operands and results than a launch binds";
  else if (getSize(joined) > maxBodySize)
    why = "the body is too long";
  else if (!AxisGraph(joined).isOrdered())
    why = "no order of loops serves all reductions";
  if (why.empty())
    return joined;
  joined.erase();
  return nullptr;
}
