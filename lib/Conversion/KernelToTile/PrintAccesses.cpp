// Loads and stores: of tensors, of buffers, and of what is kept between stages.
#include "TilePrinter.h"
#include "WindowCopy.h"

#include "tw/Dialect/Tile/Prefetch.h"
#include "tw/Support/ElementTypes.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// What updates alone is no buffer of its own: it is the result's.
Value TilePrinter::getBuffer(LoadOp load) {
  unsigned operand = cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
  return func.getBuffer(llvm::find(readOperands, operand) - readOperands.begin());
}

Value TilePrinter::getBuffer(StoreOp store) {
  return func.getBuffer(readOperands.size() + store.getResultNumber());
}

AffineMap TilePrinter::getMap(Coordinates &coordinates, ArrayRef<AffineExpr> exprs) {
  return AffineMap::get(coordinates.scope.getTileRank() + coordinates.operands.size(), 0, exprs,
                        builder.getContext());
}

LogicalResult TilePrinter::printLoad(const Node &node) {
  auto load = cast<LoadOp>(node.op);
  Coordinates coordinates(node);
  FailureOr<AffineMap> points = getPoints(load.getIndices(), coordinates);
  if (failed(points))
    return failure();
  auto tensor = cast<RankedTensorType>(load.getSource().getType());
  FailureOr<view::MapAttr> map =
      getTensorMap(tensor, OpenMap(load.getMap().compose(*points)), coordinates);
  if (failed(map))
    return failure();
  auto tile =
      tile::LoadOp::create(builder, load.getLoc(), getType(node, load.getResult().getType()),
                           getBuffer(load), coordinates.operands, *map, getInBounds(tensor));
  if (node.prefetched) {
    tile->setAttr(tile::LoadOp::getAheadAttrName(),
                  builder.getI64IntegerAttr(node.prefetched->ahead));
    if (node.prefetched->stage == 0)
      tile->setAttr(tile::farAttrName, builder.getUnitAttr());
  }
  define(node, tile.getResult());
  return success();
}

/// bf16 and f16 are combined in f32.
Value TilePrinter::combineTiles(arith::AtomicRMWKind kind, Location loc, Value before,
                                Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isNarrow = isNarrowFloat(type.getElementType());
  auto widen = [&](Value tile) -> Value {
    return isNarrow ? arith::ExtFOp::create(builder, loc, type.clone(builder.getF32Type()), tile)
                    : tile;
  };
  Value wide = arith::getReductionOp(kind, builder, loc, widen(before), widen(value));
  return isNarrow ? arith::TruncFOp::create(builder, loc, type, wide) : wide;
}

LogicalResult TilePrinter::printStore(const Node &node) {
  auto store = cast<StoreOp>(node.op);
  Value value = getAs(node, store.getValue(), node.shape);
  // Points beyond an axis are dropped: by the bounds of the result where the axis is one of its
  // dimensions, else by a guard, whose indices are dims of the map even if nothing else uses them.
  Coordinates coordinates(node);
  for (unsigned axis : node.axes.set_bits())
    (void)getAxisExpr(axis, coordinates);
  FailureOr<AffineMap> points = getPoints(store.getIndices(), coordinates);
  if (failed(points))
    return failure();
  OpenMap map(simplifyAffineMap(store.getMap().compose(*points)));
  for (auto [offset, coordinate] : llvm::zip_first(store.getOffsets(), map.results)) {
    FailureOr<AffineExpr> moved = getExpr(offset, coordinates);
    if (failed(moved))
      return failure();
    coordinate = coordinate + *moved;
  }
  auto type = cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType());
  SmallVector<Extent> extents = kernel::getExtents(type);
  auto fill = cast<TypedAttr>(builder.getZeroAttr(getScalarType(type.getElementType())));
  for (unsigned axis : node.axes.set_bits()) {
    auto indices = store.getIndices();
    unsigned i = llvm::find(indices, kernel.getAxis(axis)) - indices.begin();
    bool bounded = !store.getInto() &&
                   llvm::any_of(llvm::enumerate(store.getMap().getResults()), [&](auto it) {
                     return i < indices.size() && it.value() == builder.getAffineDimExpr(i) &&
                            extents[it.index()] == kernel.getExtent(axis);
                   });
    if (!bounded)
      map.require(getSizeExpr(kernel.getSize(axis), coordinates) - 1 -
                      getAxisExpr(axis, coordinates),
                  fill);
  }
  FailureOr<view::MapAttr> place = getTensorMap(type, map, coordinates);
  if (failed(place))
    return failure();
  if (auto kind = store.getCombine()) {
    Value before = tile::LoadOp::create(builder, store.getLoc(), value.getType(), getBuffer(store),
                                        coordinates.operands, *place, getInBounds(type));
    value = combineTiles(*kind, store.getLoc(), before, value);
  }
  const auto *streamed = llvm::find_if(plan.streamed, [&](StreamAttr stream) {
    return stream.getResult() == int64_t(store.getResultNumber());
  });
  bool isStreamed = streamed != plan.streamed.end();
  auto stored = tile::StoreOp::create(builder, store.getLoc(), value, getBuffer(store),
                                      coordinates.operands, *place, getInBounds(type), isStreamed);
  if (isStreamed && streamed->getFrom())
    stored->setAttr(tile::StoreOp::getStreamingFromAttrName(),
                    builder.getI64IntegerAttr(streamed->getFrom()));
  return success();
}

void TilePrinter::printReadStaged(const Node &node) {
  const StagedValue &staged = *node.staged;
  Coordinates coordinates(node);
  SmallVector<AffineExpr> exprs;
  for (const WindowDim &dim : getBufferDims(plan, staged))
    exprs.push_back(getWindowExpr(dim, /*inside=*/true, coordinates));
  SmallVector<view::GuardAttr> guards;
  if (!staged.isWindow)
    for (unsigned leaf : staged.leaves)
      exprs.push_back(getBufferExpr(leaf, coordinates));
  Type element = node.op->getResult(0).getType();
  SmallVector<AffineExpr> constraints;
  // What is known to be zero need not be multiplied.
  if (staged.isWindow && !staged.isBox)
    for (const SkippedAxis::Bound *bound : getWindowBounds(plan, node.op)) {
      AffineExpr sum = builder.getAffineConstantExpr(bound->constant);
      for (auto [axis, coefficient] : llvm::enumerate(bound->coefficients))
        if (coefficient != 0)
          sum = sum + getAxisExpr(axis, coordinates) * coefficient;
      constraints.push_back(sum);
    }
  AffineMap map = getMap(coordinates, exprs);
  if (!constraints.empty()) {
    SmallVector<bool> isEquality(constraints.size(), false);
    auto set = IntegerSet::get(map.getNumDims(), 0, constraints, isEquality);
    guards.push_back(view::GuardAttr::get(builder.getContext(), set,
                                          TypedAttr(builder.getFloatAttr(element, 0.0))));
  }
  Value tile = tile::LoadOp::create(builder, node.op->getLoc(), getType(node, element),
                                    get({node.memory, 0}), coordinates.operands,
                                    view::MapAttr::get(map, guards), DenseBoolArrayAttr());
  define(node, tile);
}

void TilePrinter::printFillTile(const Node &node) {
  Coordinates coordinates(node);
  const Scope &scope = node.scope;
  SmallVector<AffineExpr> exprs;
  for (unsigned leaf : node.staged->filled) {
    AffineExpr expr = builder.getAffineConstantExpr(0);
    if (auto *dim = llvm::find(scope.frame, leaf); dim != scope.frame.end())
      expr = builder.getAffineDimExpr(dim - scope.frame.begin());
    if (scope.indices[leaf])
      expr = expr + getLeafExpr(leaf, coordinates, scope.getTileRank());
    exprs.push_back(expr);
  }
  Value tile = getAs(node, node.op->getResult(0), node.shape);
  tile::StoreOp::create(builder, node.op->getLoc(), tile, get({node.memory, 0}),
                        coordinates.operands, view::MapAttr::get(getMap(coordinates, exprs)),
                        DenseBoolArrayAttr());
}

void TilePrinter::printFillWindow(const Node &node) {
  const StagedValue &staged = *node.staged;
  LoadOp load = getWindowLoad(staged.op);
  auto tensor = cast<RankedTensorType>(load.getSource().getType());
  Coordinates outside(node);
  SmallVector<WindowCopy::Dim> dims;
  for (auto [dim, whole] : llvm::zip(staged.window, tensor.getShape())) {
    AffineExpr corner = getWindowExpr(dim, /*inside=*/false, outside);
    WindowCopy::Dim copied{dim.extent, whole, dim.constant + dim.least, dim.constant + dim.least,
                           corner};
    for (auto [leaf, coefficient] : llvm::enumerate(dim.coefficients))
      if (node.scope.indices[leaf] && !llvm::is_contained(staged.leaves, leaf))
        (coefficient < 0 ? copied.least : copied.most) +=
            coefficient * (plan.leaves[leaf].extent - 1);
    dims.push_back(copied);
  }
  if (staged.groupDim)
    dims[*staged.groupDim].group = plan.leaves[staged.groupLeaf].extent;
  WindowCopy(builder, load, staged.op->getResult(0), getBuffer(load), get({node.memory, 0}), dims,
             outside.operands, !plan.team.empty() && !isOwnInTeam(plan, staged))
      .emit();
}

/// The memory that holds the value, and a map to the present points in it.
FailureOr<TilePrinter::Kept> TilePrinter::getKeepingMemory(const Node &node,
                                                           Coordinates &coordinates) {
  if (node.memory) {
    SmallVector<AffineExpr> exprs;
    for (unsigned leaf : getKeptLeaves(tree, node.op))
      exprs.push_back(getBufferExpr(leaf, coordinates));
    if (exprs.empty()) // Varies along the grid alone.
      exprs.push_back(builder.getAffineConstantExpr(0));
    return Kept{get({node.memory, 0}), view::MapAttr::get(getMap(coordinates, exprs)), {}};
  }
  StoreOp store = findKeepingStore(kernel, plan, node.op);
  FailureOr<AffineMap> points = getPoints(store.getIndices(), coordinates);
  if (failed(points))
    return failure();
  auto type = cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType());
  FailureOr<view::MapAttr> map =
      getTensorMap(type, OpenMap(simplifyAffineMap(store.getMap().compose(*points))), coordinates);
  if (failed(map))
    return failure();
  return Kept{getBuffer(store), *map, getInBounds(type)};
}

LogicalResult TilePrinter::printReadKept(const Node &node) {
  Coordinates coordinates(node);
  FailureOr<Kept> kept = getKeepingMemory(node, coordinates);
  if (failed(kept))
    return failure();
  auto type = getType(node, node.op->getResult(0).getType());
  Value tile = tile::LoadOp::create(builder, node.op->getLoc(), type, kept->memory,
                                    coordinates.operands, kept->map, kept->inBounds);
  define(node, tile);
  return success();
}

LogicalResult TilePrinter::printWriteKept(const Node &node) {
  Value tile =
      node.before.empty() ? splat(getIdentity(node.op, 0), node.shape) : get(node.before.front());
  Coordinates coordinates(node);
  FailureOr<Kept> kept = getKeepingMemory(node, coordinates);
  if (failed(kept))
    return failure();
  tile::StoreOp::create(builder, node.op->getLoc(), tile, kept->memory, coordinates.operands,
                        kept->map, kept->inBounds);
  return success();
}
