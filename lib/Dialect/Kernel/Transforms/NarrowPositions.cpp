// 64-bit positions of reductions as 32-bit ones.
//
//   %p = index_cast %j : index to i64           %p = index_cast %j : index to i32
//   %m:2 = reduce %v, %p : f32, i64       ->    %m:2 = reduce %v, %p : f32, i32
//                                               %w = extsi %m#1 : i32 to i64
#include "tw/Dialect/Kernel/Transforms/NarrowPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace tw::kernel;

using Narrow = std::numeric_limits<int32_t>;

/// A position along an axis of fewer points than the largest number of 32 bits, which stays free
/// for an identity.
static arith::IndexCastOp getPosition(KernelOp kernel, Value value) {
  auto position = value.getDefiningOp<arith::IndexCastOp>();
  auto axis = position ? dyn_cast<BlockArgument>(position.getIn()) : BlockArgument();
  if (!axis || axis.getOwner() != &kernel.getBody().front() || !value.getType().isInteger(64) ||
      axis.getArgNumber() >= kernel.getNumAxes() ||
      kernel.getExtents()[axis.getArgNumber()] >= Narrow::max())
    return {};
  return position;
}

/// What the i-th accumulator and value become in the region, if they are only compared with each
/// other and selected.
static FailureOr<SetVector<Value>> findPositions(ReduceOp reduce, unsigned i) {
  Block &block = reduce.getCombine().front();
  unsigned count = reduce.getNumResults();
  SetVector<Value> found;
  found.insert(block.getArgument(i));
  found.insert(block.getArgument(count + i));
  for (size_t next = 0; next < found.size(); ++next)
    for (Operation *user : found[next].getUsers())
      if (auto select = dyn_cast<arith::SelectOp>(user))
        found.insert(select.getResult());
  auto isPosition = [&](Value value) { return found.contains(value); };
  for (Value position : found) {
    if (auto select = position.getDefiningOp<arith::SelectOp>())
      if (!isPosition(select.getTrueValue()) || !isPosition(select.getFalseValue()))
        return failure();
    for (OpOperand &use : position.getUses()) {
      Operation *user = use.getOwner();
      auto compare = dyn_cast<arith::CmpIOp>(user);
      bool isCompared = compare && compare.getPredicate() < arith::CmpIPredicate::ult &&
                        isPosition(compare.getLhs()) && isPosition(compare.getRhs());
      bool isYielded = isa<YieldOp>(user) && use.getOperandNumber() == i;
      if (!isCompared && !isYielded && !isa<arith::SelectOp>(user))
        return failure();
    }
  }
  if (!isPosition(block.getTerminator()->getOperand(i)))
    return failure();
  return found;
}

static void narrowPosition(KernelOp kernel, ReduceOp reduce, unsigned i) {
  arith::IndexCastOp position = getPosition(kernel, reduce.getValues()[i]);
  if (!position)
    return;
  FailureOr<SetVector<Value>> inside = findPositions(reduce, i);
  if (failed(inside))
    return;
  OpBuilder builder(position);
  Type type = builder.getI32Type();
  Location loc = reduce.getLoc();
  reduce.getValuesMutable().slice(i, 1).assign(
      arith::IndexCastOp::create(builder, position.getLoc(), type, position.getIn()).getResult());
  for (Value value : *inside)
    value.setType(type);
  SmallVector<Attribute> identities(reduce.getIdentitiesAttr().getValue());
  int64_t identity = cast<IntegerAttr>(identities[i]).getInt();
  int32_t narrowed = int32_t(std::clamp<int64_t>(identity, Narrow::min(), Narrow::max()));
  identities[i] = builder.getI32IntegerAttr(narrowed);
  reduce.setIdentitiesAttr(builder.getArrayAttr(identities));
  Value result = reduce.getResult(i);
  result.setType(type);
  builder.setInsertionPointAfter(reduce);
  Value wide = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), result);
  SmallPtrSet<Operation *, 3> own{wide.getDefiningOp()};
  if (identity != narrowed) {
    Value none = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(narrowed));
    Value before = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(identity));
    auto isNone = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, result, none);
    own.insert(isNone);
    wide = arith::SelectOp::create(builder, loc, isNone, before, wide);
  }
  result.replaceAllUsesExcept(wide, own);
  if (position->use_empty())
    position->erase();
}

void tw::kernel::narrowPositions(KernelOp kernel) {
  for (auto reduce : llvm::to_vector(kernel.getBody().getOps<ReduceOp>()))
    // What is alone may be kept in a result of its own type.
    if (!reduce.getKind() && reduce.getNumResults() > 1)
      for (unsigned i = 0; i < reduce.getNumResults(); ++i)
        narrowPosition(kernel, reduce, i);
}
