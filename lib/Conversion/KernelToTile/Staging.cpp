// Values in local memory: their buffers are filled where the loop of the stage begins, and read
// inside.
#include "Emitter.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::StagedValue;

void TileEmitter::allocateBuffers() {
  insertIn(0);
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  for (const StagedValue &staged : plan.staged) {
    SmallVector<int64_t> shape, strides(staged.leaves.size(), 1);
    for (unsigned leaf : staged.leaves)
      shape.push_back(plan.leaves[leaf].extent);
    for (size_t d = shape.size() - 1; d-- > 0;)
      strides[d] = d + 2 == shape.size() ? staged.rowStride : strides[d + 1] * shape[d + 1];
    bool isPadded = shape.size() > 1 && staged.rowStride != shape.back();
    auto layout =
        isPadded
            ? MemRefLayoutAttrInterface(StridedLayoutAttr::get(builder.getContext(), 0, strides))
            : MemRefLayoutAttrInterface();
    auto type = MemRefType::get(shape, staged.op->getResult(0).getType(), layout, space);
    buffers[staged.op] = tile::AllocOp::create(builder, staged.op->getLoc(), type);
  }
}

/// The value read from its buffer, which is filled first where that has not happened yet; nothing
/// when it is not in local memory here.
FailureOr<std::optional<TileEmitter::Emitted>> TileEmitter::getStaged(Operation *op) {
  auto *staged = llvm::find_if(plan.staged, [&](const StagedValue &s) { return s.op == op; });
  if (staged == plan.staged.end() || op == filling || (staged->loop && !leafOpen[*staged->loop]))
    return std::optional<Emitted>();
  unsigned scope = staged->loop ? leafScopes[*staged->loop] : 0;
  if (scopes[scope].filled.insert(op).second && failed(fill(*staged, scope)))
    return failure();
  Coordinates coordinates;
  coordinates.scope = scope;
  SmallVector<AffineExpr> exprs;
  for (unsigned leaf : staged->leaves) {
    if (auto *dim = llvm::find(frame, leaf); dim != frame.end()) {
      exprs.push_back(builder.getAffineDimExpr(dim - frame.begin()));
      continue;
    }
    exprs.push_back(builder.getAffineDimExpr(getTileRank() + coordinates.operands.size()));
    coordinates.operands.push_back(leafValues[leaf]);
    coordinates.scope = std::max(coordinates.scope, leafScopes[leaf]);
  }
  insertIn(coordinates.scope);
  Value result = op->getResult(0);
  unsigned dims = getTileRank() + coordinates.operands.size();
  auto map = view::MapAttr::get(AffineMap::get(dims, 0, exprs, builder.getContext()));
  auto type = RankedTensorType::get(getShape(sets.of(result)), result.getType());
  Value tile = tile::LoadOp::create(builder, op->getLoc(), type, buffers[op], coordinates.operands,
                                    map, DenseBoolArrayAttr());
  define(result, tile, coordinates.scope);
  return std::optional<Emitted>(Emitted{tile, coordinates.scope});
}

/// Computes the value in the frame of its buffer, at the end of the scope, and stores it there.
/// Nothing that the scopes know is of that frame, so that the filling has a scope of its own.
LogicalResult TileEmitter::fill(const StagedValue &staged, unsigned scope) {
  insertIn(scope);
  Scope own(scopes[scope].block);
  if (builder.getInsertionPoint() != own.block->end())
    own.anchor = &*builder.getInsertionPoint();
  auto outerScopes = std::exchange(scopes, {});
  scopes.push_back(std::move(own));
  auto outerLeafScopes = std::exchange(leafScopes, SmallVector<unsigned>(plan.leaves.size(), 0));
  auto outerFrame = std::exchange(frame, staged.leaves);
  auto outerPadded = std::exchange(padded, plan.padded);
  Operation *outerFilling = std::exchange(filling, staged.op);

  FailureOr<Emitted> value = get(staged.op->getResult(0));
  if (succeeded(value)) {
    insertIn(0);
    auto map = view::MapAttr::get(builder.getMultiDimIdentityMap(staged.leaves.size()));
    tile::StoreOp::create(builder, staged.op->getLoc(), value->value, buffers[staged.op],
                          ValueRange(), map, DenseBoolArrayAttr());
  }
  scopes = std::move(outerScopes);
  leafScopes = std::move(outerLeafScopes);
  frame = std::move(outerFrame);
  padded = std::move(outerPadded);
  filling = outerFilling;
  return failure(failed(value));
}

/// The reduced axes beyond whose extents the buffer of a staged load holds zeros: those of the
/// contractions that use it and nothing else does.
llvm::SmallBitVector TileEmitter::getFilledAxes(Operation *op) const {
  llvm::SmallBitVector axes(padded.size());
  if (!isa<LoadOp>(op))
    return axes;
  for (Operation *user : op->getUsers()) {
    if (!isa<ContractOp>(user))
      return llvm::SmallBitVector(padded.size());
    axes |= sets.reducedBy(user);
  }
  axes &= sets.of(op->getResult(0));
  return axes;
}

/// Whether the value is read from a buffer that holds zeros beyond the extents of the axes.
bool TileEmitter::isFilledBeyond(Value value, const llvm::SmallBitVector &axes) const {
  Operation *op = value.getDefiningOp();
  auto *staged = llvm::find_if(plan.staged, [&](const StagedValue &s) { return s.op == op; });
  return staged != plan.staged.end() && (!staged->loop || leafOpen[*staged->loop]) &&
         !axes.test(getFilledAxes(op));
}

view::MapAttr TileEmitter::guardFill(LoadOp load, view::MapAttr map, Coordinates &coordinates) {
  llvm::SmallBitVector axes = getPadded(getFilledAxes(load));
  if (axes.none())
    return map;
  SmallVector<AffineExpr> constraints;
  for (unsigned axis : axes.set_bits())
    constraints.push_back(kernel.getExtents()[axis] - 1 - getAxisExpr(axis, coordinates));
  SmallVector<bool> equalities(constraints.size(), false);
  unsigned dims = getTileRank() + coordinates.operands.size();
  auto set = IntegerSet::get(dims, 0, constraints, equalities);
  auto zero = cast<TypedAttr>(builder.getZeroAttr(load.getResult().getType()));
  SmallVector<view::GuardAttr> guards{view::GuardAttr::get(builder.getContext(), set, zero)};
  guards.append(map.getGuards().begin(), map.getGuards().end());
  return view::MapAttr::get(map.getMap(), guards, map.getOutside());
}
