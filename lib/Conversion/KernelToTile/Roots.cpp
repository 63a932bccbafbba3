// Stores, and what works along axes, inside of their loops.
#include "Emitter.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Whether a step of the root sums over this dimension of its operands' tiles.
bool TileEmitter::isGroup(Operation *root, unsigned leaf) const {
  return plan.leaves[leaf].dot && isa<ContractOp>(root) &&
         sets.reducedBy(root)[plan.leaves[leaf].axis];
}

LogicalResult TileEmitter::emitRoot(Operation *root) {
  if (root == starting)
    return storeIdentity(root);
  if (auto store = dyn_cast<StoreOp>(root))
    return emitStore(store);
  if (auto scan = dyn_cast<ScanOp>(root))
    return emitScan(scan);
  return accumulate(root);
}

LogicalResult TileEmitter::emitStore(StoreOp store) {
  if (Operation *value = store.getValue().getDefiningOp();
      value && inResult.contains(value) && getPlace(value) == KeepPlace::Result)
    if (schedule::findKeepingStore(kernel, plan, value) == store)
      return success();
  llvm::SmallBitVector axes = sets.of(store.getValue());
  for (Value index : store.getIndices())
    axes |= sets.of(index);
  FailureOr<Value> value = getAs(store.getValue(), getShape(axes));
  if (failed(value))
    return failure();
  // Points beyond an axis are dropped: by the bounds of the result where the axis is one of its
  // dimensions, else by a guard, whose indices are dims of the map even if nothing else uses them.
  llvm::SmallBitVector beyond = getPadded(axes);
  Coordinates coordinates;
  for (unsigned axis : beyond.set_bits())
    (void)getAxisExpr(axis, coordinates);
  FailureOr<AffineMap> map = getStoreMap(store, coordinates);
  if (failed(map))
    return failure();
  auto type = cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType());
  SmallVector<view::GuardAttr> guards;
  for (unsigned axis : beyond.set_bits()) {
    auto indices = store.getIndices();
    unsigned i = llvm::find(indices, kernel.getAxis(axis)) - indices.begin();
    bool bounded = llvm::any_of(llvm::enumerate(store.getMap().getResults()), [&](auto it) {
      return i < indices.size() && it.value() == builder.getAffineDimExpr(i) &&
             type.getDimSize(it.index()) == kernel.getExtents()[axis];
    });
    if (bounded)
      continue;
    IntegerSet set =
        IntegerSet::get(map->getNumDims(), 0,
                        kernel.getExtents()[axis] - 1 - getAxisExpr(axis, coordinates), false);
    guards.push_back(view::GuardAttr::get(
        builder.getContext(), set,
        cast<TypedAttr>(builder.getZeroAttr(getScalarType(type.getElementType())))));
  }
  insertIn(innermost());
  tile::StoreOp::create(builder, store.getLoc(), *value,
                        func.getBuffer(kernel->getNumOperands() + store.getResultNumber()),
                        coordinates.operands, view::MapAttr::get(*map, guards),
                        DenseBoolArrayAttr(),
                        llvm::is_contained(plan.streamed, int64_t(store.getResultNumber())));
  return success();
}

/// One step of a reduction or contraction at the innermost loop.
LogicalResult TileEmitter::accumulate(Operation *root) {
  Shape shape = getAccumulatorShape(root);
  llvm::SmallBitVector beyond = getPadded(sets.reducedBy(root));
  auto reduce = dyn_cast<ReduceOp>(root);
  ValueRange inputs =
      reduce ? ValueRange(reduce.getValues()) : ValueRange(root->getOperands().take_front(2));
  SmallVector<Value> values;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    FailureOr<Emitted> emitted = get(input);
    if (failed(emitted))
      return failure();
    Value value = emitted->value;
    Shape own(cast<RankedTensorType>(value.getType()).getShape());
    if (beyond.any()) {
      unsigned scope = 0;
      Value inside = getInside(beyond, scope);
      for (auto [d, extent] : llvm::enumerate(cast<RankedTensorType>(inside.getType()).getShape()))
        own[d] = std::max(own[d], extent);
      insertIn(innermost());
      TypedAttr identity;
      if (!reduce)
        identity = cast<TypedAttr>(builder.getZeroAttr(input.getType()));
      else if (reduce.getKind())
        identity =
            arith::getIdentityValueAttr(*reduce.getKind(), input.getType(), builder, location);
      else
        identity = cast<TypedAttr>((*reduce.getIdentities())[i]);
      Value neutral = splat(identity, own);
      value = arith::SelectOp::create(builder, root->getLoc(), broadcast(inside, own),
                                      broadcast(value, own), neutral);
    }
    insertIn(innermost());
    values.push_back(reduce ? broadcast(value, shape) : value);
  }
  auto it = accumulators.find(root);
  if (!reduce) {
    insertIn(innermost());
    Value before =
        it != accumulators.end()
            ? it->second.values[0]
            : splat(cast<TypedAttr>(builder.getZeroAttr(root->getResultTypes()[0])), shape);
    auto contract = cast<ContractOp>(root);
    bool lhsUnsigned = contract.getLhsUnsigned(), rhsUnsigned = contract.getRhsUnsigned();
    if (llvm::none_of(frame, [&](unsigned leaf) { return isGroup(root, leaf); })) {
      values = {extend(contract, values[0], lhsUnsigned), extend(contract, values[1], rhsUnsigned)};
      lhsUnsigned = rhsUnsigned = false;
    }
    bool skipsZeros = llvm::any_of(plan.skipped, [&](const schedule::SkippedAxis &skipped) {
      return isa<LoadOp>(skipped.mask) && sets.reducedBy(root)[skipped.axis];
    });
    Value after = tile::MmaOp::create(builder, root->getLoc(), before.getType(), values[0],
                                      values[1], before, lhsUnsigned, rhsUnsigned, skipsZeros);
    if (it == accumulators.end())
      return finish(root, after);
    it->second.values[0] = after;
    return success();
  }
  if (it == accumulators.end())
    return finish(root, values);
  FailureOr<SmallVector<Value>> combined = combine(root, it->second.values, values);
  if (failed(combined))
    return failure();
  accumulators[root].values = *combined;
  updateOnline(root);
  return success();
}

/// One step of a scan: along the loop, and along a dimension of the tile.
LogicalResult TileEmitter::emitScan(ScanOp scan) {
  unsigned axis = cast<BlockArgument>(scan.getAxis()).getArgNumber();
  Shape shape = getShape(sets.of(scan.getResult()));
  FailureOr<Value> value = getAs(scan.getValue(), shape);
  if (failed(value))
    return failure();
  auto it = accumulators.find(scan);
  std::optional<Value> before;
  if (it != accumulators.end())
    before = it->second.values[0];
  auto combine = [&](Value left, Value right) {
    insertIn(innermost());
    return arith::getReductionOp(scan.getKind(), builder, scan.getLoc(), left, right);
  };
  std::optional<int64_t> dim;
  for (auto [d, leaf] : llvm::enumerate(frame))
    if (plan.leaves[leaf].axis == axis && plan.leaves[leaf].extent > 1)
      dim = d;
  if (!dim) {
    if (!before)
      return emitError(scan.getLoc(), Code::T0311)
             << "expected the scanned axis to be a loop of extent above 1 or of the kernel";
    Value after = combine(*before, *value);
    accumulators[scan].values[0] = after;
    define(scan.getResult(), scan.getExclusive() ? *before : after, innermost());
    return success();
  }
  // From the end, the points beyond the axis come first.
  if (padded[axis] && scan.getReverse()) {
    llvm::SmallBitVector axes(kernel.getNumAxes());
    unsigned scope = 0;
    Value inside = getInside(axes.set(axis), scope);
    insertIn(innermost());
    TypedAttr identity =
        arith::getIdentityValueAttr(scan.getKind(), scan.getResult().getType(), builder, location);
    value = Value(arith::SelectOp::create(builder, scan.getLoc(), broadcast(inside, shape), *value,
                                          splat(identity, shape)));
  }
  insertIn(innermost());
  auto type = cast<RankedTensorType>(value->getType());
  auto scanned =
      tile::ScanOp::create(builder, scan.getLoc(), type,
                           RankedTensorType::get(getAccumulatorShape(scan), type.getElementType()),
                           *value, scan.getKind(), *dim, scan.getExclusive(), scan.getReverse());
  Value result = scanned.getResult();
  if (before) {
    result = combine(broadcast(*before, shape), result);
    accumulators[scan].values[0] = combine(*before, scanned.getTotal());
  }
  define(scan.getResult(), result, innermost());
  return success();
}

/// Combines the dimensions of the tile that are reduced and defines the root's results.
LogicalResult TileEmitter::finish(Operation *root, ArrayRef<Value> values) {
  llvm::SmallBitVector reduced = sets.reducedBy(root);
  SmallVector<int64_t> dims;
  for (auto [d, leaf] : llvm::enumerate(frame))
    if (reduced[plan.leaves[leaf].axis] && getExtent(leaf) > 1 && !isGroup(root, leaf))
      dims.push_back(d);
  SmallVector<Value> results(values);
  if (!dims.empty()) {
    SmallVector<Type> types;
    for (Value value : values) {
      auto type = cast<RankedTensorType>(value.getType());
      Shape shape(type.getShape());
      for (int64_t d : dims)
        shape[d] = 1;
      types.push_back(RankedTensorType::get(shape, type.getElementType()));
    }
    insertIn(innermost());
    arith::AtomicRMWKindAttr kind;
    ArrayAttr identities;
    auto reduce = dyn_cast<ReduceOp>(root);
    if (reduce) {
      kind = reduce.getKindAttr();
      identities = reduce.getIdentitiesAttr();
    } else {
      kind = arith::AtomicRMWKindAttr::get(builder.getContext(),
                                           isa<FloatType>(root->getResultTypes()[0])
                                               ? arith::AtomicRMWKind::addf
                                               : arith::AtomicRMWKind::addi);
    }
    auto combined = tile::ReduceOp::create(builder, root->getLoc(), types, ValueRange(values),
                                           builder.getDenseI64ArrayAttr(dims), kind, identities,
                                           /*within=*/StringAttr());
    if (reduce && !kind) {
      IRMapping mapping;
      Block *from = &reduce.getCombine().front();
      Block *to = builder.createBlock(&combined.getCombine());
      for (BlockArgument argument : from->getArguments())
        mapping.map(argument, to->addArgument(argument.getType(), argument.getLoc()));
      for (Operation &op : from->without_terminator()) {
        for (Value operand : op.getOperands())
          if (!mapping.contains(operand)) {
            auto *producer = operand.getDefiningOp();
            if (!producer || !isa<arith::ConstantOp>(producer))
              return emitError(op.getLoc(), Code::T0311)
                     << "expected the combining region to use its arguments and constants only";
            builder.clone(*producer, mapping);
          }
        builder.clone(op, mapping);
      }
      SmallVector<Value> yielded;
      for (Value value : from->getTerminator()->getOperands())
        yielded.push_back(mapping.lookup(value));
      tile::YieldOp::create(builder, root->getLoc(), yielded);
    }
    results.assign(combined.getResults().begin(), combined.getResults().end());
  }
  if (partial.contains(root))
    return addToPartial(root, results.front());
  inResult.erase(root);
  for (auto [result, value] : llvm::zip(root->getResults(), results))
    define(result, value, innermost());
  return success();
}
