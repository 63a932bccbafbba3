// The rules of fusion: what is computed again is weighed against what is stored and read back.
//
// They decide for all targets at once, before any has a price, and what they leave kernel-join may
// still take, which asks for prices. It has no move that computes a kernel again in each of its
// readers, so that is decided here; without these numbers networks are slower
// (rationale/fusion.md).
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

/// Points read per element of the producer up to which computing some of them twice is nothing.
static constexpr double smallOverlap = 1.25;
/// The same for bodies of `cheapCost`.
static constexpr double cheapOverlap = 4;
static constexpr unsigned cheapCost = 3;
static constexpr unsigned functionCost = 8;
/// What one of two, or of more, consumers may compute again instead of loading it.
static constexpr unsigned costForTwo = 12, costForMany = 4;
/// Bytes read per byte of the result up to which reading is no dearer than reading the result.
static constexpr double equalBytes = 1.5;

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

/// Roughly the additions that a body is worth, per point.
static unsigned getCost(KernelOp kernel) {
  unsigned cost = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<arith::ConstantOp, StoreOp, affine::AffineApplyOp, CastOpInterface>(op))
      continue;
    if (isa<arith::DivFOp, arith::RemFOp, math::SqrtOp, math::RsqrtOp>(op))
      cost += 4;
    else
      cost += isFunction(&op) ? functionCost : 1;
  }
  return cost;
}

/// Bytes that a kernel reads: of each operand at most all.
static int64_t getBytesRead(KernelOp kernel) {
  AxisSets sets(kernel);
  int64_t bytes = 0;
  for (auto load : kernel.getBody().getOps<LoadOp>()) {
    auto type = cast<RankedTensorType>(load.getSource().getType());
    int64_t points = std::min(sets.points(sets.of(load.getResult())), type.getNumElements());
    bytes += points * std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  }
  return bytes;
}

static int64_t getBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getNumElements() * std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
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

/// Whether computing an elementwise producer at a load costs less than loading what it stored: in
/// reductions nothing may be computed twice; elsewhere a little may.
static bool isWorthInlining(KernelOp producer, Value result, KernelOp consumer, LoadOp load) {
  AxisSets sets(consumer);
  const llvm::SmallBitVector &axes = sets.of(load.getResult());
  double elements = std::max<int64_t>(cast<RankedTensorType>(result.getType()).getNumElements(), 1);
  double overlap = sets.points(axes) / elements;
  llvm::SetVector<Operation *> reductions = getReductionsOf(load.getResult());
  for (Operation *op : reductions) {
    llvm::SmallBitVector enclosing(consumer.getNumAxes());
    for (Value operand : op->getOperands())
      enclosing |= sets.of(operand);
    // What does not vary along a reduced axis is computed once outside of it; the tiles of a
    // contraction visit their operands many times.
    if (isa<ContractOp>(op) && overlap * sets.recomputeFactor(load.getResult(), enclosing) > 1)
      return false;
    if (overlap > 1)
      return false;
  }
  return overlap <= smallOverlap || (overlap <= cheapOverlap && getCost(producer) <= cheapCost);
}

/// Whether the kernel looks up elements at loaded positions, all of them known before any call:
/// what it finds is stored once.
static bool isTable(KernelOp producer, Value result) {
  return isMadeOnce(result) && llvm::any_of(producer.getBody().getOps<LoadOp>(), [](LoadOp load) {
           return !llvm::all_of(load.getIndices(), isAxis);
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

/// Whether an elementwise producer is worth inlining into all loads of an operand.
static bool isWorthInlining(KernelOp producer, KernelOp consumer, unsigned operand) {
  return llvm::all_of(getLoads(consumer, operand), [&](LoadOp load) {
    return isWorthInlining(producer, consumer.getOperand(operand), consumer, load);
  });
}

/// Whether several consumers of an elementwise producer compute it again rather than read it: all
/// of them can, it is cheap, and it reads hardly more than its result.
static bool isCheapForAll(KernelOp producer, Value result) {
  auto readers = getReaders(result);
  if (!readers)
    return false;
  if (readers->size() == 1)
    return true;
  if (getCost(producer) > (readers->size() == 2 ? costForTwo : costForMany) ||
      getBytesRead(producer) > equalBytes * getBytes(result))
    return false;
  return llvm::all_of(*readers, [&](Operation *op) {
    auto reader = cast<KernelOp>(op);
    unsigned operand = llvm::find(reader.getOperands(), result) - reader.getOperands().begin();
    return canInlineAll(producer, reader, operand) && isWorthInlining(producer, reader, operand);
  });
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
    return !isTable(producer, consumer.getOperand(operand)) &&
           isWorthInlining(producer, consumer, operand) &&
           isCheapForAll(producer, consumer.getOperand(operand));
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
