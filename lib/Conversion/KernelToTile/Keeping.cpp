// Values kept between stages, in a result or in local memory, and partial results of reductions
// whose loops enclose loops of their result.
//
// order [io, jo] with i reduced and keep s result:
//   for jo: y[jo] = identity
//   for io: for jo: y[jo] = y[jo] + sum over the tile
#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

std::optional<KeepPlace> TileEmitter::getPlace(Operation *op) const {
  auto name = op->getAttrOfType<StringAttr>("name");
  auto it = name ? plan.keep.find(name.getValue()) : plan.keep.end();
  if (it == plan.keep.end() || it->second == KeepPlace::Recompute)
    return std::nullopt;
  return it->second;
}

/// A kept value that an earlier stage computed: read back.
FailureOr<std::optional<TileEmitter::Emitted>> TileEmitter::getKept(Operation *op) {
  auto it = kept.find(op);
  if (it == kept.end() || it->second == stage)
    return std::optional<Emitted>();
  assert(getPlace(op) != KeepPlace::Register && "a loop lies between the stages");
  FailureOr<Emitted> loaded = loadKept(op);
  if (failed(loaded))
    return failure();
  return std::optional<Emitted>(*loaded);
}

LogicalResult TileEmitter::keep(Operation *op, Value tile, unsigned scope) {
  kept[op] = stage;
  // Known outside of a team's loops where these have one iteration, but not to be written there.
  if (!plan.team.empty() && leafOpen[plan.team.back()])
    scope = std::max(scope, leafScopes[plan.team.back()]);
  return getPlace(op) == KeepPlace::Register ? success() : storeKept(op, tile, scope);
}

/// The memory that holds the value, and the coordinates of the present points in it.
FailureOr<std::pair<Value, AffineMap>> TileEmitter::getKeepingMemory(Operation *op,
                                                                     Coordinates &coordinates) {
  if (getPlace(op) == KeepPlace::Local) {
    SmallVector<AffineExpr> exprs;
    for (unsigned leaf : getKeptLeaves(op)) {
      if (auto *dim = llvm::find(frame, leaf); dim != frame.end()) {
        exprs.push_back(builder.getAffineDimExpr(dim - frame.begin()));
      } else if (!leafValues[leaf]) { // A loop of one iteration.
        exprs.push_back(builder.getAffineConstantExpr(0));
      } else {
        exprs.push_back(builder.getAffineDimExpr(getTileRank() + coordinates.operands.size()));
        coordinates.operands.push_back(leafValues[leaf]);
        coordinates.scope = std::max(coordinates.scope, leafScopes[leaf]);
      }
    }
    if (exprs.empty()) // Varies along the grid alone.
      exprs.push_back(builder.getAffineConstantExpr(0));
    unsigned dims = getTileRank() + coordinates.operands.size();
    return std::pair(buffers[op], AffineMap::get(dims, 0, exprs, builder.getContext()));
  }
  StoreOp store = schedule::findKeepingStore(kernel, plan, op);
  FailureOr<AffineMap> map = getStoreMap(store, coordinates);
  if (failed(map))
    return failure();
  return std::pair<Value, AffineMap>(
      func.getBuffer(kernel->getNumOperands() + store.getResultNumber()), *map);
}

FailureOr<TileEmitter::Emitted> TileEmitter::loadKept(Operation *op) {
  Coordinates coordinates;
  auto memory = getKeepingMemory(op, coordinates);
  if (failed(memory))
    return failure();
  Value result = op->getResult(0);
  insertIn(coordinates.scope);
  auto type = RankedTensorType::get(getShape(sets.of(result)), result.getType());
  Value tile =
      tile::LoadOp::create(builder, op->getLoc(), type, memory->first, coordinates.operands,
                           view::MapAttr::get(memory->second), DenseBoolArrayAttr());
  if (inResult.contains(op) && isScaledOnline(op)) {
    FailureOr<Value> seen = poisonUnseen(op, tile);
    if (failed(seen))
      return failure();
    tile = *seen;
    coordinates.scope = innermost();
  }
  define(result, tile, coordinates.scope);
  return Emitted{tile, coordinates.scope};
}

LogicalResult TileEmitter::storeKept(Operation *op, Value tile, unsigned scope) {
  Coordinates coordinates;
  auto memory = getKeepingMemory(op, coordinates);
  if (failed(memory))
    return failure();
  insertIn(scope);
  tile::StoreOp::create(builder, op->getLoc(), tile, memory->first, coordinates.operands,
                        view::MapAttr::get(memory->second), DenseBoolArrayAttr());
  return success();
}

/// The dimensions of a value's local memory: its loops inside the program and its tile axes. What
/// is kept along an online loop is used in the same iteration.
SmallVector<unsigned> TileEmitter::getKeptLeaves(Operation *op) const {
  SmallVector<unsigned> leaves;
  for (unsigned leaf : llvm::concat<const unsigned>(plan.loops, plan.tile))
    if (sets.of(op->getResult(0))[plan.leaves[leaf].axis] && !isOnline(leaf))
      leaves.push_back(leaf);
  return leaves;
}

/// Whether the op is computed from the other one's results.
bool TileEmitter::needs(Operation *op, Operation *producer) {
  SmallVector<Operation *> work{op};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *before = operand.getDefiningOp();
      if (before == producer)
        return true;
      if (before && seen.insert(before).second)
        work.push_back(before);
    }
  }
  return false;
}

/// The staged value whose buffer the kept one can take over, point by point: of the same type and
/// dimensions, and read for the last time where the kept value is computed.
const schedule::StagedValue *TileEmitter::findReplaced(Operation *op) const {
  SmallVector<unsigned> leaves = getKeptLeaves(op);
  for (const schedule::StagedValue &staged : plan.staged) {
    if (!staged.isContracted || leaves != staged.leaves ||
        op->getResult(0).getType() != staged.op->getResult(0).getType())
      continue;
    SmallVector<Operation *> work(staged.op->getUsers());
    llvm::DenseSet<Operation *> seen;
    bool replaces = false, readLater = false;
    while (!work.empty()) {
      Operation *user = work.pop_back_val();
      if (!seen.insert(user).second)
        continue;
      if (user == op)
        replaces = true;
      else if (isa<ReduceOp, ContractOp, ScanOp, StoreOp>(user))
        readLater |= !needs(op, user);
      else
        llvm::append_range(work, user->getUsers());
    }
    if (replaces && !readLater)
      return &staged;
  }
  return nullptr;
}

void TileEmitter::allocateKept() {
  insertIn(0);
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  for (Operation &op : kernel.getBody().front()) {
    if (getPlace(&op) != KeepPlace::Local)
      continue;
    if (const schedule::StagedValue *source = findReplaced(&op)) {
      buffers[&op] = buffers[source->op];
      continue;
    }
    SmallVector<int64_t> shape;
    for (unsigned leaf : getKeptLeaves(&op))
      shape.push_back(plan.leaves[leaf].extent);
    if (shape.empty())
      shape.push_back(1);
    auto type =
        MemRefType::get(shape, op.getResult(0).getType(), MemRefLayoutAttrInterface(), space);
    buffers[&op] = tile::AllocOp::create(builder, op.getLoc(), type);
  }
}

/// Whether loops of the root's result are inside of the loop, over one of its axes: then its
/// partial results are in memory.
bool TileEmitter::hasPartials(Operation *root, unsigned level) const {
  std::optional<KeepPlace> place = getPlace(root);
  if (!isa<ReduceOp, ContractOp>(root) || (place != KeepPlace::Result && place != KeepPlace::Local))
    return false;
  llvm::SmallBitVector reduced = sets.reducedBy(root);
  const llvm::SmallBitVector &axes = sets.of(root->getResult(0));
  return llvm::any_of(ArrayRef(loops).drop_front(level + 1), [&](unsigned leaf) {
    unsigned axis = plan.leaves[leaf].axis;
    // No register holds them from one loop of a team to the next, however short.
    return axes[axis] && !reduced[axis] && (getExtent(leaf) > 1 || isInTeam(leaf));
  });
}

/// Writes the identity wherever partial results will be, in loops over the result's axes alone.
LogicalResult TileEmitter::startPartials(Operation *root, unsigned level) {
  Operation *before = std::exchange(starting, root);
  LogicalResult result = emitRoots(root, level + 1);
  starting = before;
  partial.insert(root);
  return result;
}

LogicalResult TileEmitter::storeIdentity(Operation *root) {
  Type type = root->getResult(0).getType();
  auto reduce = dyn_cast<ReduceOp>(root);
  TypedAttr identity = reduce
                           ? arith::getIdentityValueAttr(*reduce.getKind(), type, builder, location)
                           : cast<TypedAttr>(builder.getZeroAttr(type));
  insertIn(innermost());
  return storeKept(root, splat(identity, getShape(sets.of(root->getResult(0)))), innermost());
}

/// Adds a part of the reduction to the partial result in memory.
LogicalResult TileEmitter::addToPartial(Operation *root, Value value) {
  FailureOr<Emitted> before = loadKept(root);
  if (failed(before))
    return failure();
  insertIn(innermost());
  auto reduce = dyn_cast<ReduceOp>(root);
  arith::AtomicRMWKind kind = reduce ? *reduce.getKind()
                              : isa<FloatType>(root->getResult(0).getType())
                                  ? arith::AtomicRMWKind::addf
                                  : arith::AtomicRMWKind::addi;
  Value after;
  if (isScaledOnline(root)) {
    Value scale = broadcast(onlineScale, cast<RankedTensorType>(value.getType()).getShape());
    after = math::FmaOp::create(builder, root->getLoc(), before->value, scale, value);
  } else {
    after = arith::getReductionOp(kind, builder, root->getLoc(), before->value, value);
  }
  scopes[before->scope].values.erase(root->getResult(0));
  return storeKept(root, after, innermost());
}
