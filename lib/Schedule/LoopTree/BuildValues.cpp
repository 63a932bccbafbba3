// What is computed between roots: loads, elementwise ops, indices, masks.
#include "TreeBuilder.h"

#include "tw/Dialect/Kernel/ValueName.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

llvm::SmallBitVector TreeBuilder::getPadded(const llvm::SmallBitVector &axes) const {
  llvm::SmallBitVector result(axes.size());
  for (unsigned axis : axes.set_bits())
    if (here().padded[axis])
      result.set(axis);
  return result;
}

/// The scopes that know the axis.
void TreeBuilder::visitAxis(unsigned axis, unsigned &depth) const {
  for (auto [i, leaf] : llvm::enumerate(plan.leaves))
    if (const LeafIndex &index = here().indices[i]; leaf.axis == axis && index)
      depth = std::max(depth, index.depth);
}

LogicalResult TreeBuilder::visitIndex(Value index, Node &node, unsigned &depth) {
  if (auto axis = dyn_cast<BlockArgument>(index)) {
    visitAxis(axis.getArgNumber(), depth);
    return success();
  }
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>())
    return visitIndices(apply.getMapOperands(), node, depth);
  if (isa_and_nonnull<arith::ConstantIndexOp, SizeOp>(index.getDefiningOp()))
    return success();
  FailureOr<Placed> placed = get(index);
  if (failed(placed))
    return failure();
  depth = std::max(depth, placed->depth);
  node.uses.push_back({index, placed->ref});
  return success();
}

LogicalResult TreeBuilder::visitIndices(ValueRange indices, Node &node, unsigned &depth) {
  for (Value index : indices)
    if (failed(visitIndex(index, node, depth)))
      return failure();
  return success();
}

/// True where every one of the axes is inside its extent.
Ref TreeBuilder::placeMask(const llvm::SmallBitVector &axes, unsigned &depth) {
  for (unsigned axis : axes.set_bits())
    visitAxis(axis, depth);
  Node &node = place(NodeKind::Mask, depth);
  node.axes = axes;
  node.shape = getShape(axes);
  return {&node, 0};
}

FailureOr<TreeBuilder::Placed> TreeBuilder::get(Value value) {
  for (unsigned depth = scopes.size(); depth-- > 0;) {
    auto it = scopes[depth].values.find(value);
    if (it != scopes[depth].values.end())
      return Placed{it->second, depth};
  }
  if (isa<BlockArgument>(value))
    return placeIndex(value);
  Operation *op = value.getDefiningOp();
  FailureOr<std::optional<Placed>> staged = getStaged(op);
  if (failed(staged))
    return failure();
  if (*staged)
    return **staged;
  if (auto load = dyn_cast<LoadOp>(op))
    return placeLoad(load);
  if (inResult.contains(op))
    return readKept(op);
  if (!isa<ReduceOp, ContractOp, ScanOp>(op))
    return placePointwise(op);
  // Needed again in another stage: computed again there, when its loops are open.
  for (auto [i, leaf] : llvm::enumerate(plan.leaves))
    if (leaf.role == Role::Loop && !here().open[i] && (getExtent(i) > 1 || isSwitched(i)) &&
        sets.of(value).test(leaf.axis))
      return refuse(
          op, "the result of this op is needed outside of the loop over '" + leaf.name.getValue() +
                  "': order the loops so that it stays inside, or put that axis in grid or "
                  "tile");
  if (failed(placeRoots(op, 0)))
    return failure();
  return get(value);
}

FailureOr<TreeBuilder::Placed> TreeBuilder::placeIndex(Value value) {
  Node own(here(), NodeKind::Index, value.getDefiningOp());
  unsigned depth = 0;
  if (failed(visitIndex(value, own, depth)))
    return failure();
  Node &node = place(NodeKind::Index, depth, value.getDefiningOp());
  node.value = value;
  node.uses = own.uses;
  node.shape = getShape(sets.of(value));
  define(value, {&node, 0}, depth);
  return Placed{{&node, 0}, depth};
}

/// What a select gives whose mask is decided there, and not outside of the loop for which it is.
FailureOr<Ref> TreeBuilder::getDecided(Operation *op, unsigned &depth) {
  auto *skipped =
      llvm::find_if(plan.skipped, [&](const SkippedAxis &axis) { return axis.mask == op; });
  FailureOr<Placed> seen = get(op->getOperand(skipped->seenByTrue ? 1 : 2));
  if (failed(seen))
    return failure();
  auto *first = llvm::find_if(scopes, [&](const Open &open) { return open.decided.contains(op); });
  unsigned inside = std::min<unsigned>(first - scopes.begin() + 1, scopes.size() - 1);
  depth = std::max(seen->depth, inside);
  return seen->ref;
}

FailureOr<TreeBuilder::Placed> TreeBuilder::placePointwise(Operation *op) {
  FailureOr<std::optional<Placed>> earlier = getKept(op);
  if (failed(earlier))
    return failure();
  if (*earlier)
    return **earlier;
  Value result = op->getResult(0);
  unsigned depth = 0;
  Ref ref;
  if (scopes.back().decided.contains(op)) {
    FailureOr<Ref> decided = getDecided(op, depth);
    if (failed(decided))
      return failure();
    ref = *decided;
  } else if (isa<affine::AffineApplyOp, SizeOp>(op)) {
    FailureOr<Placed> index = placeIndex(result);
    if (failed(index))
      return failure();
    std::tie(ref, depth) = std::pair(index->ref, index->depth);
  } else {
    Node own(here(), NodeKind::Compute, op);
    for (Value operand : op->getOperands()) {
      if (operand.getDefiningOp<arith::ConstantOp>())
        continue;
      FailureOr<Placed> placed = get(operand);
      if (failed(placed))
        return failure();
      own.uses.push_back({operand, placed->ref});
      depth = std::max(depth, placed->depth);
    }
    if (llvm::SmallBitVector beyond = getPadded(sets.of(result)); canTrap(op) && beyond.any()) {
      unsigned known = 0;
      own.mask = placeMask(beyond, known);
      depth = std::max(depth, known);
    }
    Node &node = place(NodeKind::Compute, depth, op);
    node.uses = own.uses;
    node.mask = own.mask;
    node.shape = getShape(sets.of(result));
    ref = {&node, 0};
  }
  define(result, ref, depth);
  if (getPlace(op) && failed(keep(op, ref, depth)))
    return failure();
  return Placed{ref, depth};
}

FailureOr<TreeBuilder::Placed> TreeBuilder::placeLoad(LoadOp load) {
  Node own(here(), NodeKind::Load, load);
  unsigned depth = 0;
  if (failed(visitIndices(load.getIndices(), own, depth)))
    return failure();
  Node &node = place(NodeKind::Load, depth, load);
  node.uses = own.uses;
  node.shape = getShape(sets.of(load.getResult()));
  node.prefetched = getPrefetch(load);
  define(load.getResult(), {&node, 0}, depth);
  return Placed{{&node, 0}, depth};
}

/// How far ahead to fetch: for the next program where the second stage reads what the first one
/// brought to the caches.
const Plan::Prefetched *TreeBuilder::getPrefetch(LoadOp load) {
  StringAttr name = getValueName(load);
  auto it = name ? plan.prefetched.find(name.getValue()) : plan.prefetched.end();
  // Groups of threads fetch ahead by what they stage.
  if (it == plan.prefetched.end() || plan.warps)
    return nullptr;
  SmallVector<Stage> &stages = readingStages[load];
  if (!llvm::is_contained(stages, stage))
    stages.push_back(stage);
  unsigned fetching = it->second.stage;
  return stages.size() > fetching && stages[fetching] == stage ? &it->second : nullptr;
}
