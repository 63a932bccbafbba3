// The rules of fusion: what is taken wherever it is read, and what is where nothing is computed
// twice then.
//
// They decide for all targets at once, before any has a price. What would be computed again, at
// more points or in each of several readers, kernel-join decides, which asks for prices.
#include "FusionRules.h"

#include "FlattenAxes.h"
#include "Inline.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Dialect/Kernel/Pieces.h"

#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Instructions of an elementary function, roughly.
static constexpr unsigned functionCost = 8;

static bool isReduction(Operation *op) { return isa<ReduceOp, ContractOp, ScanOp>(op); }

Character kernel::getCharacter(KernelOp kernel) {
  bool isCopy = true;
  unsigned loads = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (isReduction(&op))
      return Character::Reduction;
    if (auto load = dyn_cast<LoadOp>(op))
      isCopy &= ++loads == 1 && llvm::all_of(load.getIndices(), isAxis);
    else if (isCopy)
      isCopy = isa<StoreOp, arith::ConstantOp, affine::AffineApplyOp, CastOpInterface>(op);
  }
  return isCopy ? Character::Copy : Character::Elementwise;
}

KernelOp kernel::getProducer(KernelOp consumer, unsigned operand) {
  return isUpdated(consumer, operand) ? KernelOp()
                                      : consumer.getOperand(operand).getDefiningOp<KernelOp>();
}

/// Whether the op becomes a polynomial or the like.
static bool isFunction(Operation *op) {
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !isa<math::SqrtOp, math::RsqrtOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
              math::CeilOp, math::RoundEvenOp>(op);
}

unsigned kernel::getSize(KernelOp kernel) {
  unsigned size = 0;
  for (Operation &op : kernel.getBody().front())
    size += isFunction(&op) ? functionCost : 1;
  return size;
}

/// The reductions that a value enters, through ops that are none.
static llvm::SetVector<Operation *> getReductionsOf(Value value) {
  llvm::SetVector<Operation *> reductions;
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (isReduction(user))
        reductions.insert(user);
      else
        open.append(user->result_begin(), user->result_end());
    }
  return reductions;
}

bool kernel::entersReduction(KernelOp consumer, unsigned operand) {
  return llvm::any_of(getLoads(consumer, operand),
                      [](LoadOp load) { return !getReductionsOf(load.getResult()).empty(); });
}

/// Whether an elementwise producer is computed at a load no more often than its result has
/// elements, in the reductions that the load enters, too.
static bool isComputedOnce(Value result, KernelOp consumer, LoadOp load) {
  AxisSets sets(consumer);
  const llvm::SmallBitVector &axes = sets.of(load.getResult());
  double elements = std::max<int64_t>(cast<RankedTensorType>(result.getType()).getNumElements(), 1);
  double overlap = sets.points(axes) / elements;
  if (overlap > 1)
    return false;
  return llvm::none_of(getReductionsOf(load.getResult()), [&](Operation *op) {
    llvm::SmallBitVector enclosing(consumer.getNumAxes());
    for (Value operand : op->getOperands())
      enclosing |= sets.of(operand);
    // What does not vary along a reduced axis is computed once outside of it; the tiles of a
    // contraction visit their operands many times.
    return isa<ContractOp>(op) && overlap * sets.recomputeFactor(load.getResult(), enclosing) > 1;
  });
}

/// Whether the kernel computes functions, or looks up elements at loaded positions, all of it known
/// before any call: what it finds is stored once.
static bool isTable(KernelOp producer, KernelOp consumer, Value result) {
  if (!isMadeOnce(result) || isMadeOnce(consumer.getResult(0)))
    return false;
  return llvm::any_of(producer.getBody().front(), [](Operation &op) {
    auto load = dyn_cast<LoadOp>(op);
    return load ? !llvm::all_of(load.getIndices(), isAxis) : isFunction(&op);
  });
}

/// The kernels that read a value; none when something else uses it too.
static std::optional<llvm::SetVector<Operation *>> getReaders(Value result) {
  llvm::SetVector<Operation *> readers;
  for (Operation *user : result.getUsers()) {
    if (!isa<KernelOp>(user))
      return std::nullopt;
    readers.insert(user);
  }
  return readers;
}

static bool canInlineAll(KernelOp producer, KernelOp consumer, unsigned operand) {
  unsigned number = cast<OpResult>(consumer.getOperand(operand)).getResultNumber();
  if (producer->hasAttr("materialize") || producer->getBlock() != consumer->getBlock())
    return false;
  // A schedule speaks of the axes that its kernel has.
  if (producer.getSchedule() || consumer.getSchedule())
    return false;
  llvm::SmallSetVector<Value, 16> bindings(consumer->operand_begin(), consumer->operand_end());
  bindings.remove(consumer.getOperand(operand));
  bindings.insert(producer->operand_begin(), producer->operand_end());
  if (bindings.size() + consumer->getNumResults() > maxBindings)
    return false;
  if (getSize(producer) + getSize(consumer) > maxBodySize)
    return false;
  return llvm::all_of(getLoads(consumer, operand),
                      [&](LoadOp load) { return canInline(producer, number, load); });
}

/// Whether the consumer alone reads an elementwise result, and nothing is computed twice where it
/// takes the producer.
static bool isFree(KernelOp consumer, unsigned operand) {
  Value result = consumer.getOperand(operand);
  auto readers = getReaders(result);
  return readers && readers->size() == 1 &&
         llvm::all_of(getLoads(consumer, operand),
                      [&](LoadOp load) { return isComputedOnce(result, consumer, load); });
}

/// Whether a store of the kernel comes to an element again along a later axis than this one: what
/// is scanned along this one cannot be in a loop inside of that.
static bool isBeforeOrdered(KernelOp kernel, int axis) {
  AxisSets sets(kernel);
  return llvm::any_of(kernel.getBody().getOps<StoreOp>(),
                      [&](StoreOp store) { return sets.orderedBy(store).find_last() > axis; });
}

static bool isReadByKernels(KernelOp kernel) {
  return llvm::all_of(kernel->getUsers(), [](Operation *user) { return isa<KernelOp>(user); });
}

/// Whether the kernel reads each element of a reduction, and nothing else does, at one point each.
/// With `whole`, also that the reduction's axes become sums of the kernel's axes.
static bool isEpilogueOf(KernelOp producer, KernelOp consumer, unsigned operand, bool whole) {
  auto result = cast<OpResult>(consumer.getOperand(operand));
  auto readers = getReaders(result);
  SmallVector<LoadOp> loads = getLoads(consumer, operand);
  if (!readers || readers->size() != 1 || loads.size() != 1 ||
      getCharacter(consumer) == Character::Reduction)
    return false;
  // Point by point a product reads all of an operand for each row of the result.
  if (isBeforeOrdered(consumer, /*axis=*/-1) && !producer.getBody().getOps<ContractOp>().empty())
    return false;
  LoadOp load = loads[0];
  if (!llvm::all_of(load.getIndices(), isAxis))
    return false;
  // Others read through a copy; rows of many sequences stay rows of one product.
  if (getCharacter(consumer) == Character::Copy && isReadByKernels(consumer) &&
      takesApart(producer, consumer, load))
    return false;
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<std::optional<Extent>> known = getExtents(consumer, load.getIndices());
  int64_t points = 1, all = 1;
  for (const std::optional<Extent> &extent : known)
    points *= extent->most;
  for (int64_t extent : consumer.getExtents())
    all *= extent;
  if (points != type.getNumElements() || points != all || !isTotal(load.getMap(), known, type))
    return false;
  std::optional<Substitution> axes = substituteAxes(producer, result.getResultNumber(), load);
  if (!axes)
    return false;
  if (!whole)
    return true;
  for (AffineExpr expr : *axes)
    if (expr && hasDivisions(expr))
      return false;
  // Only a map without divisions can be checked here for reading each element once.
  SmallVector<int64_t> extents;
  for (const std::optional<Extent> &extent : known)
    extents.push_back(extent->most);
  if (!invert(load.getMap().getMap(), extents, type.getShape()))
    return false;
  // A scanned axis of extent 1 need not be in the producer's store; then it has no place here.
  return llvm::all_of(producer.getBody().getOps<ScanOp>(), [&](ScanOp scan) {
    auto axis = dyn_cast_or_null<AffineDimExpr>(
        (*axes)[cast<BlockArgument>(scan.getAxis()).getArgNumber()]);
    return axis &&
           !isBeforeOrdered(
               consumer, cast<BlockArgument>(load.getIndices()[axis.getPosition()]).getArgNumber());
  });
}

bool kernel::shouldInline(KernelOp consumer, unsigned operand) {
  KernelOp producer = getProducer(consumer, operand);
  if (!producer || !canInlineAll(producer, consumer, operand))
    return false;
  switch (getCharacter(producer)) {
  case Character::Copy:
    return true;
  case Character::Elementwise:
    return !isTable(producer, consumer, consumer.getOperand(operand)) && isFree(consumer, operand);
  case Character::Reduction:
    return isEpilogueOf(producer, consumer, operand, /*whole=*/true);
  }
  llvm_unreachable("all characters are listed");
}

bool kernel::wantsWholeAxes(KernelOp consumer) {
  for (unsigned i = 0; i < consumer.getNumOperands(); ++i)
    if (KernelOp producer = getProducer(consumer, i);
        producer && getCharacter(producer) == Character::Reduction &&
        canInlineAll(producer, consumer, i) && isEpilogueOf(producer, consumer, i, /*whole=*/false))
      return true;
  return false;
}
