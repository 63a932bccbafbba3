// What a tile program computes between its roots: loads, elementwise ops, indices, masks.
#include "Emitter.h"

#include "tw/Dialect/Tile/Prefetch.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

TileEmitter::Shape TileEmitter::getShape(const llvm::SmallBitVector &axes) const {
  Shape shape(getTileRank(), 1);
  for (auto [d, leaf] : llvm::enumerate(frame))
    if (axes[plan.leaves[leaf].axis])
      shape[d] = getExtent(leaf);
  return shape;
}

/// Dimensions that are reduced stay whole until the last loop is done.
TileEmitter::Shape TileEmitter::getAccumulatorShape(Operation *root) const {
  llvm::SmallBitVector axes = sets.reducedBy(root);
  for (Value operand : root->getOperands())
    axes |= sets.of(operand);
  // The carry of a scan has one element along its axis.
  if (auto scan = dyn_cast<ScanOp>(root))
    axes.reset(cast<BlockArgument>(scan.getAxis()).getArgNumber());
  Shape shape = getShape(axes);
  for (auto [dim, leaf] : llvm::enumerate(frame))
    if (isGroup(root, leaf))
      shape[dim] = 1;
  return shape;
}

/// An operand of a contraction in the type of its sums.
Value TileEmitter::extend(ContractOp contract, Value tile, bool isUnsigned) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type sum = contract.getResult().getType();
  if (type.getElementType() == sum)
    return tile;
  Type wide = type.clone(sum);
  if (isa<FloatType>(sum))
    return arith::ExtFOp::create(builder, contract.getLoc(), wide, tile);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, contract.getLoc(), wide, tile);
  return arith::ExtSIOp::create(builder, contract.getLoc(), wide, tile);
}

llvm::SmallBitVector TileEmitter::getPadded(const llvm::SmallBitVector &axes) const {
  llvm::SmallBitVector result(axes.size());
  for (unsigned axis : axes.set_bits())
    if (padded[axis])
      result.set(axis);
  return result;
}

Value TileEmitter::splat(TypedAttr element, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element.getType());
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, element));
}

Value TileEmitter::broadcast(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::BroadcastOp::create(builder, location,
                                   RankedTensorType::get(shape, type.getElementType()), tile);
}

/// The op on tiles of one shape; arith and math are elementwise on tensors.
Value TileEmitter::cloneOnTiles(Operation *op, ValueRange operands, ArrayRef<int64_t> shape) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(RankedTensorType::get(shape, type));
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != "name")
      state.addAttribute(attribute.getName(), attribute.getValue());
  return builder.create(state)->getResult(0);
}

FailureOr<Value> TileEmitter::getAs(Value value, ArrayRef<int64_t> shape) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    insertIn(innermost());
    return splat(constant.getValue(), shape);
  }
  FailureOr<Emitted> emitted = get(value);
  if (failed(emitted))
    return failure();
  insertIn(innermost());
  return broadcast(emitted->value, shape);
}

FailureOr<TileEmitter::Emitted> TileEmitter::get(Value value) {
  for (unsigned scope = scopes.size(); scope-- > 0;) {
    auto it = scopes[scope].values.find(value);
    if (it != scopes[scope].values.end())
      return Emitted{it->second, scope};
  }
  if (auto axis = dyn_cast<BlockArgument>(value)) {
    Coordinates coordinates;
    AffineExpr expr = getAxisExpr(axis.getArgNumber(), coordinates);
    auto map = AffineMap::get(getTileRank() + coordinates.operands.size(), 0, expr);
    insertIn(coordinates.scope);
    auto type = RankedTensorType::get(getShape(sets.of(value)), builder.getIndexType());
    Value tile = tile::IndexOp::create(builder, location, type, coordinates.operands, map);
    define(value, tile, coordinates.scope);
    return Emitted{tile, coordinates.scope};
  }
  Operation *op = value.getDefiningOp();
  FailureOr<std::optional<Emitted>> staged = getStaged(op);
  if (failed(staged))
    return failure();
  if (*staged)
    return **staged;
  if (auto load = dyn_cast<LoadOp>(op))
    return emitLoad(load);
  if (inResult.contains(op))
    return loadKept(op);
  if (isa<ReduceOp, ContractOp, ScanOp>(op)) {
    // Needed again in another stage: computed again there, when its loops are open.
    for (unsigned leaf = 0; leaf < plan.leaves.size(); ++leaf)
      if (plan.leaves[leaf].role == schedule::Role::Loop && !leafOpen[leaf] &&
          getExtent(leaf) > 1 && sets.of(value)[plan.leaves[leaf].axis])
        return emitError(op->getLoc(), Code::T0311)
               << "the result of this op is needed outside of the loop over '"
               << plan.leaves[leaf].name.getValue()
               << "': order the loops so that it stays inside, or put that axis in grid or tile";
    if (failed(emitRoots(op, 0)))
      return failure();
    return get(value);
  }
  return emitPointwise(op);
}

/// The ops that carry something along the axis and that the roots need, but no open scope has:
/// those of a stage that is closed. In program order, reductions and scans.
TileEmitter::Missing TileEmitter::findMissing(ArrayRef<Operation *> roots, unsigned axis) {
  Missing missing;
  SmallVector<Operation *> work(roots);
  llvm::DenseSet<Operation *> seen(roots.begin(), roots.end());
  auto isKnown = [&](Operation *op) {
    auto earlier = kept.find(op);
    bool isStaged = llvm::any_of(plan.staged, [&](const schedule::StagedValue &staged) {
      return staged.op == op && (!staged.loop || leafOpen[*staged.loop]);
    });
    return isStaged || accumulators.count(op) || inResult.contains(op) ||
           (earlier != kept.end() && earlier->second != stage) ||
           llvm::any_of(scopes,
                        [&](const Scope &scope) { return scope.values.count(op->getResult(0)); });
  };
  while (!starting && !work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !seen.insert(op).second || isKnown(op))
        continue;
      bool isScan = isa<ScanOp>(op), carries = carriesAlong(op, axis);
      if (carries)
        (isScan ? missing.scans : missing.reductions).push_back(op);
      // A scan runs in the loop that is about to open.
      if (!carries || isScan)
        work.push_back(op);
    }
  for (auto *ops : {&missing.reductions, &missing.scans})
    llvm::sort(*ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return missing;
}

FailureOr<TileEmitter::Emitted> TileEmitter::emitPointwise(Operation *op) {
  FailureOr<std::optional<Emitted>> earlier = getKept(op);
  if (failed(earlier))
    return failure();
  if (*earlier)
    return **earlier;
  Value result = op->getResult(0);
  unsigned scope = 0;
  Value tile;
  if (decided.contains(op)) {
    auto *skipped = llvm::find_if(
        plan.skipped, [&](const schedule::SkippedAxis &axis) { return axis.mask == op; });
    FailureOr<Emitted> seen = get(op->getOperand(skipped->seenByTrue ? 1 : 2));
    if (failed(seen))
      return failure();
    tile = seen->value;
    scope = seen->scope;
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    Coordinates coordinates;
    FailureOr<AffineExpr> expr = getExpr(apply.getResult(), coordinates);
    if (failed(expr))
      return failure();
    auto map = AffineMap::get(getTileRank() + coordinates.operands.size(), 0, *expr);
    scope = coordinates.scope;
    insertIn(scope);
    auto type = RankedTensorType::get(getShape(sets.of(result)), builder.getIndexType());
    tile = tile::IndexOp::create(builder, op->getLoc(), type, coordinates.operands, map);
  } else {
    Shape shape = getShape(sets.of(result));
    SmallVector<Value> sources(op->getOperands().size());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (operand.getDefiningOp<arith::ConstantOp>())
        continue;
      FailureOr<Emitted> emitted = get(operand);
      if (failed(emitted))
        return failure();
      sources[i] = emitted->value;
      scope = std::max(scope, emitted->scope);
    }
    insertIn(scope);
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
        sources[i] = splat(constant.getValue(), shape);
      else
        sources[i] = broadcast(sources[i], shape);
    }
    if (llvm::SmallBitVector beyond = getPadded(sets.of(result));
        schedule::canTrap(op) && beyond.any()) {
      unsigned known = 0;
      Value inside = getInside(beyond, known);
      scope = std::max(scope, known);
      insertIn(scope);
      Value one = splat(builder.getIntegerAttr(op->getOperand(1).getType(), 1), shape);
      sources[1] =
          arith::SelectOp::create(builder, op->getLoc(), broadcast(inside, shape), sources[1], one);
    }
    tile = op->getNumOperands() ? cloneOnTiles(op, sources, shape)
                                : splat(cast<arith::ConstantOp>(op).getValue(), shape);
  }
  define(result, tile, scope);
  if (getPlace(op) && failed(keep(op, tile, scope)))
    return failure();
  return Emitted{tile, scope};
}

FailureOr<TileEmitter::Emitted> TileEmitter::emitLoad(LoadOp load) {
  Coordinates coordinates;
  FailureOr<AffineMap> points = getPoints(load.getIndices(), coordinates);
  if (failed(points))
    return failure();
  view::MapAttr map = load.getMap().compose(*points);
  unsigned buffer = cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
  insertIn(coordinates.scope);
  auto type =
      RankedTensorType::get(getShape(sets.of(load.getResult())), load.getResult().getType());
  auto tile = tile::LoadOp::create(builder, load.getLoc(), type, func.getBuffer(buffer),
                                   coordinates.operands, map, DenseBoolArrayAttr());
  if (const schedule::Plan::Prefetched *prefetched = getPrefetch(load)) {
    tile->setAttr(tile::LoadOp::getAheadAttrName(), builder.getI64IntegerAttr(prefetched->ahead));
    if (prefetched->stage == 0)
      tile->setAttr(tile::farAttrName, builder.getUnitAttr());
  }
  define(load.getResult(), tile, coordinates.scope);
  return Emitted{tile, coordinates.scope};
}

/// How far ahead to fetch: for the next program where the second stage reads what the first one
/// brought to the caches.
const schedule::Plan::Prefetched *TileEmitter::getPrefetch(LoadOp load) {
  auto name = load->getAttrOfType<StringAttr>("name");
  auto it = name ? plan.prefetched.find(name.getValue()) : plan.prefetched.end();
  if (it == plan.prefetched.end())
    return nullptr;
  SmallVector<Stage> &stages = readingStages[load];
  if (!llvm::is_contained(stages, stage))
    stages.push_back(stage);
  unsigned fetching = it->second.stage;
  return stages.size() > fetching && stages[fetching] == stage ? &it->second : nullptr;
}

/// The coordinates that a store writes, over tile coordinates and operands.
FailureOr<AffineMap> TileEmitter::getStoreMap(StoreOp store, Coordinates &coordinates) {
  FailureOr<AffineMap> points = getPoints(store.getIndices(), coordinates);
  if (failed(points))
    return failure();
  return simplifyAffineMap(store.getMap().compose(*points));
}

/// The values of indices, over tile coordinates and operands.
FailureOr<AffineMap> TileEmitter::getPoints(ValueRange indices, Coordinates &coordinates) {
  SmallVector<AffineExpr> exprs;
  for (Value index : indices) {
    FailureOr<AffineExpr> expr = getExpr(index, coordinates);
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
  }
  unsigned dims = getTileRank() + coordinates.operands.size();
  return AffineMap::get(dims, 0, exprs, builder.getContext());
}

/// The axis over tile coordinates and the indices of the grid and of open loops.
AffineExpr TileEmitter::getAxisExpr(unsigned axis, Coordinates &coordinates) {
  SmallVector<AffineExpr> replacements(plan.leaves.size(), builder.getAffineConstantExpr(0));
  for (unsigned leaf = 0; leaf < plan.leaves.size(); ++leaf) {
    if (plan.leaves[leaf].axis != axis)
      continue;
    if (auto *dim = llvm::find(frame, leaf); dim != frame.end())
      replacements[leaf] = builder.getAffineDimExpr(dim - frame.begin());
    Value index = leafValues[leaf];
    if (!index)
      continue; // not used where the axis does not matter, or the tile starts at 0
    auto *it = llvm::find(coordinates.operands, index);
    replacements[leaf] =
        replacements[leaf] +
        builder.getAffineDimExpr(getTileRank() + (it - coordinates.operands.begin()));
    if (it == coordinates.operands.end())
      coordinates.operands.push_back(index);
    coordinates.scope = std::max(coordinates.scope, leafScopes[leaf]);
  }
  return plan.index[axis].replaceDims(replacements);
}

/// An index of a load: an axis, an affine function of axes, or a value (then a tile of indices).
FailureOr<AffineExpr> TileEmitter::getExpr(Value index, Coordinates &coordinates) {
  if (auto axis = dyn_cast<BlockArgument>(index))
    return getAxisExpr(axis.getArgNumber(), coordinates);
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>()) {
    SmallVector<AffineExpr> dims;
    for (Value operand : apply.getMapOperands()) {
      FailureOr<AffineExpr> expr = getExpr(operand, coordinates);
      if (failed(expr))
        return failure();
      dims.push_back(*expr);
    }
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(dims);
    return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                  all.drop_front(map.getNumDims()));
  }
  if (auto constant = index.getDefiningOp<arith::ConstantIndexOp>())
    return builder.getAffineConstantExpr(constant.value());
  FailureOr<Emitted> emitted = get(index);
  if (failed(emitted))
    return failure();
  coordinates.scope = std::max(coordinates.scope, emitted->scope);
  auto *it = llvm::find(coordinates.operands, emitted->value);
  AffineExpr expr = builder.getAffineDimExpr(getTileRank() + (it - coordinates.operands.begin()));
  if (it == coordinates.operands.end())
    coordinates.operands.push_back(emitted->value);
  return expr;
}

/// True where every one of the axes is inside its extent.
Value TileEmitter::getInside(const llvm::SmallBitVector &axes, unsigned &scope) {
  Coordinates coordinates;
  SmallVector<AffineExpr> constraints;
  for (unsigned axis : axes.set_bits())
    constraints.push_back(kernel.getExtents()[axis] - 1 - getAxisExpr(axis, coordinates));
  SmallVector<bool> isEquality(constraints.size(), false);
  auto set =
      IntegerSet::get(getTileRank() + coordinates.operands.size(), 0, constraints, isEquality);
  scope = coordinates.scope;
  insertIn(scope);
  auto type = RankedTensorType::get(getShape(axes), builder.getI1Type());
  return tile::InsideOp::create(builder, location, type, coordinates.operands, set);
}

FailureOr<SmallVector<Value>> TileEmitter::combine(Operation *root, ValueRange accumulators,
                                                   ValueRange values) {
  auto reduce = cast<ReduceOp>(root);
  insertIn(innermost());
  if (reduce.getKind())
    return SmallVector<Value>{arith::getReductionOp(*reduce.getKind(), builder, root->getLoc(),
                                                    accumulators[0], values[0])};
  Shape shape(cast<RankedTensorType>(accumulators[0].getType()).getShape());
  Block &region = reduce.getCombine().front();
  llvm::DenseMap<Value, Value> tiles;
  for (auto [argument, value] :
       llvm::zip(region.getArguments(),
                 llvm::concat<Value>(SmallVector<Value>(accumulators), SmallVector<Value>(values))))
    tiles[argument] = value;
  for (Operation &op : region.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      tiles[constant.getResult()] = splat(constant.getValue(), shape);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      auto it = tiles.find(operand);
      if (it != tiles.end()) {
        operands.push_back(it->second);
        continue;
      }
      FailureOr<Value> outer = getAs(operand, shape);
      if (failed(outer))
        return failure();
      operands.push_back(*outer);
    }
    insertIn(innermost());
    tiles[op.getResult(0)] = cloneOnTiles(&op, operands, shape);
  }
  SmallVector<Value> results;
  for (Value value : region.getTerminator()->getOperands()) {
    auto it = tiles.find(value);
    if (it == tiles.end())
      return emitError(root->getLoc(), Code::T0311)
             << "expected the region to yield its own values";
    results.push_back(it->second);
  }
  return results;
}
