// Indices of leaves, what coordinates are made of them, and where loops begin and end.
#include "TilePrinter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

Value TilePrinter::getIndex(const LeafIndex &index) {
  switch (index.from) {
  case LeafIndex::From::Constant:
    return constant(index.value);
  case LeafIndex::From::Program:
    return func.getProgramId(index.value);
  case LeafIndex::From::Loop:
    return indices.at(index.loop)[index.value];
  case LeafIndex::From::Nowhere:
    break;
  }
  llvm_unreachable("a leaf without an index");
}

/// Whether the leaf is an inner part of an axis that a call settles, and the parts around it say
/// where the axis has got to.
bool TilePrinter::isBehindOthers(const Scope &scope, unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  if (plan.warps || !KernelOp(kernel).isSymbolic(own.axis))
    return false;
  for (auto [i, other] : llvm::enumerate(plan.leaves))
    if (other.axis == own.axis && other.stride > own.stride && other.extent > 1 &&
        (!scope.indices[i] || llvm::is_contained(scope.frame, i)))
      return false;
  return true;
}

/// Of the leaf's first `most` iterations, where those end that see a point, or see `all` of their
/// points, from any point of what is not in the grid and no open loop; where those begin that see a
/// point, if the bound rises along the axis. A loop of a filling over another axis counts as not
/// open: a buffer has all that any reader's tile or loop sees.
Value TilePrinter::getSeenBound(const Scope &scope, unsigned leaf, const SkippedAxis::Bound &bound,
                                bool all, int64_t most) {
  const LeafAxis &own = plan.leaves[leaf];
  SmallVector<Value> operands;
  AffineExpr sum = builder.getAffineConstantExpr(bound.constant);
  int64_t step = bound.coefficients[own.axis], width = std::abs(step) * own.stride;
  // Of an axis that a call settles the last points of a tile may be beyond its end, and see
  // nothing.
  std::optional<unsigned> ended;
  AffineExpr beside = builder.getAffineConstantExpr(0);
  for (auto [i, other] : llvm::enumerate(plan.leaves))
    if (step < 0 && !all && !ended && other.axis != own.axis && other.role == Role::Tile &&
        bound.coefficients[other.axis] > 0 && KernelOp(kernel).isSymbolic(other.axis))
      ended = other.axis;
  for (auto [i, other] : llvm::enumerate(plan.leaves)) {
    int64_t coefficient = bound.coefficients[other.axis] * other.stride;
    const LeafIndex &index = scope.indices[i];
    if (coefficient == 0 || (other.role == Role::Fill && !index))
      continue;
    bool isOpen =
        index && (other.axis == own.axis || scope.openInFilling.empty() || !scope.openInFilling[i]);
    AffineExpr &part = ended == other.axis ? beside : sum;
    if (isOpen) {
      part = part + builder.getAffineDimExpr(operands.size()) * coefficient;
      operands.push_back(getIndex(index));
    }
    int64_t reach = coefficient * (other.extent - 1);
    if (other.axis != own.axis && (!isOpen || llvm::is_contained(scope.frame, i)) &&
        (reach > 0) != all)
      part = part + reach;
  }
  if (all || step > 0)
    sum = sum + step * (own.stride - 1);
  auto getBound = [&](AffineExpr sum) {
    AffineExpr seen = step < 0 ? sum.floorDiv(width) + 1 : (width - 1 - sum).floorDiv(width);
    auto map = AffineMap::get(operands.size(), 0, seen);
    return affine::AffineApplyOp::create(builder, location, map, operands).getResult();
  };
  Value seen = getBound(sum + beside);
  if (ended) {
    AffineExpr size = builder.getAffineDimExpr(operands.size());
    operands.push_back(getSize(kernel.getSize(*ended)));
    Value inside = getBound(sum + (size - 1) * bound.coefficients[*ended]);
    seen = arith::MinSIOp::create(builder, location, seen, inside);
  }
  seen = arith::MaxSIOp::create(builder, location, seen, constant(0));
  Value last = own.symbolic                  ? getIterations(leaf, /*isWhole=*/all, most)
               : isBehindOthers(scope, leaf) ? getLeft(scope, leaf, /*isWhole=*/all, most)
                                             : constant(most);
  return arith::MinSIOp::create(builder, location, seen, last);
}

/// How often the loop over the leaf runs for the size that its axis has, `most` times at most.
Value TilePrinter::getIterations(unsigned leaf, bool isWhole, int64_t most) {
  const LeafAxis &own = plan.leaves[leaf];
  AffineExpr size = builder.getAffineDimExpr(0);
  AffineExpr count = isWhole ? size.floorDiv(own.stride) : size.ceilDiv(own.stride);
  Value settled = affine::AffineApplyOp::create(builder, location, AffineMap::get(1, 0, count),
                                                getSize(kernel.getSize(own.axis)));
  // What analyses take for the range of the loop.
  return arith::MinSIOp::create(builder, location, settled, constant(most));
}

/// How many points the leaf's last, partial iteration has.
Value TilePrinter::getRest(unsigned leaf) {
  const LeafAxis &own = plan.leaves[leaf];
  auto map = AffineMap::get(1, 0, builder.getAffineDimExpr(0) % own.stride);
  return affine::AffineApplyOp::create(builder, location, map, getSize(kernel.getSize(own.axis)));
}

/// The points of an axis from where the iteration of the leaf begins.
Value TilePrinter::getLeft(const BranchNode &node) {
  const LeafAxis &own = plan.leaves[*node.endOf];
  AffineExpr size = builder.getAffineDimExpr(0), index = builder.getAffineDimExpr(1);
  SmallVector<Value> operands{getSize(kernel.getSize(own.axis)), getIndex(node.index)};
  return affine::AffineApplyOp::create(builder, location,
                                       AffineMap::get(2, 0, size - index * own.stride), operands);
}

/// How often the loop over an inner part of an axis runs, `most` times at most, for what is left of
/// the axis behind the parts around it; or how often with all its points.
Value TilePrinter::getLeft(const Scope &scope, unsigned leaf, bool isWhole, int64_t most) {
  const LeafAxis &own = plan.leaves[leaf];
  SmallVector<Value> operands{getSize(kernel.getSize(own.axis))};
  AffineExpr left = builder.getAffineDimExpr(0);
  for (auto [i, other] : llvm::enumerate(plan.leaves)) {
    if (other.axis != own.axis || other.stride <= own.stride || !scope.indices[i])
      continue;
    left = left - builder.getAffineDimExpr(operands.size()) * other.stride;
    operands.push_back(getIndex(scope.indices[i]));
  }
  AffineExpr iterations = isWhole ? left.floorDiv(own.stride) : left.ceilDiv(own.stride);
  Value count = affine::AffineApplyOp::create(
      builder, location, AffineMap::get(operands.size(), 0, iterations), operands);
  count = arith::MaxSIOp::create(builder, location, count, constant(0));
  return arith::MinSIOp::create(builder, location, count, constant(most));
}

Value TilePrinter::getBound(const LoopNode &loop, const LoopBound &bound) {
  if (bound.at == LoopBound::At::Constant)
    return constant(bound.value);
  if (bound.at == LoopBound::At::Left || bound.at == LoopBound::At::WholeLeft)
    return getLeft(loop.scope, *loop.leaf, bound.at == LoopBound::At::WholeLeft, bound.value);
  if (bound.at == LoopBound::At::Whole || bound.at == LoopBound::At::End)
    return getIterations(*loop.leaf, bound.at == LoopBound::At::Whole, bound.value);
  const SkippedAxis &skipped = *loop.skipped;
  if (bound.at == LoopBound::At::EndAllSeen)
    return getSeenBound(loop.scope, *loop.leaf, skipped.bounds.front(), /*all=*/true, bound.value);
  bool isEnd = bound.at == LoopBound::At::EndSeen;
  Value result;
  for (const SkippedAxis::Bound &one : skipped.bounds) {
    if ((one.coefficients[skipped.axis] < 0) != isEnd)
      continue;
    Value seen = getSeenBound(loop.scope, *loop.leaf, one, /*all=*/false, bound.value);
    if (!result)
      result = seen;
    else if (isEnd)
      result = arith::MinSIOp::create(builder, location, result, seen);
    else
      result = arith::MaxSIOp::create(builder, location, result, seen);
  }
  if (result)
    return result;
  if (isEnd && plan.leaves[*loop.leaf].symbolic)
    return getIterations(*loop.leaf, /*isWhole=*/false, bound.value);
  return constant(isEnd ? bound.value : 0);
}

/// The index of a leaf that is known, as an operand.
AffineExpr TilePrinter::getLeafExpr(unsigned leaf, Coordinates &coordinates, unsigned rank) {
  auto *it = llvm::find(coordinates.leaves, int(leaf));
  AffineExpr expr = builder.getAffineDimExpr(rank + (it - coordinates.leaves.begin()));
  if (it == coordinates.leaves.end()) {
    coordinates.leaves.push_back(leaf);
    coordinates.operands.push_back(getIndex(coordinates.scope.indices[leaf]));
  }
  return expr;
}

/// The axis over tile coordinates and the indices of the grid and of open loops.
AffineExpr TilePrinter::getAxisExpr(unsigned axis, Coordinates &coordinates) {
  const Scope &scope = coordinates.scope;
  SmallVector<AffineExpr> replacements(plan.leaves.size(), builder.getAffineConstantExpr(0));
  for (unsigned leaf = 0; leaf < plan.leaves.size(); ++leaf) {
    if (plan.leaves[leaf].axis != axis)
      continue;
    if (auto *dim = llvm::find(scope.frame, leaf); dim != scope.frame.end())
      replacements[leaf] = builder.getAffineDimExpr(dim - scope.frame.begin());
    // Not used where the axis does not matter, or the tile starts at 0.
    if (scope.indices[leaf])
      replacements[leaf] = replacements[leaf] + getLeafExpr(leaf, coordinates, scope.getTileRank());
  }
  return schedule::getIndex(plan, axis, scope.filling).replaceDims(replacements);
}

/// An index of a load: an axis, an affine function of axes, or a value (then a tile of indices).
FailureOr<AffineExpr> TilePrinter::getExpr(Value index, Coordinates &coordinates) {
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
  if (auto size = index.getDefiningOp<SizeOp>())
    return getSizeExpr(size.getDim(), coordinates);
  auto *use = llvm::find_if(coordinates.node.uses,
                            [&](const Node::Use &use) { return use.value == index; });
  Value tile = get(use->ref);
  auto *it = llvm::find(coordinates.operands, tile);
  AffineExpr expr = builder.getAffineDimExpr(coordinates.scope.getTileRank() +
                                             (it - coordinates.operands.begin()));
  if (it == coordinates.operands.end()) {
    coordinates.operands.push_back(tile);
    coordinates.leaves.push_back(-1);
  }
  return expr;
}

/// The values of indices, over tile coordinates and operands.
FailureOr<AffineMap> TilePrinter::getPoints(ValueRange indices, Coordinates &coordinates) {
  SmallVector<AffineExpr> exprs;
  for (Value index : indices) {
    FailureOr<AffineExpr> expr = getExpr(index, coordinates);
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
  }
  return getMap(coordinates, exprs);
}

/// A coordinate of a window: the sum over the leaves inside of the stage, from its least value on,
/// or over those outside, up to it; then over one dimension of a tile.
AffineExpr TilePrinter::getWindowExpr(const WindowDim &dim, bool inside, Coordinates &coordinates) {
  const Scope &scope = coordinates.scope;
  int64_t constant = inside ? -dim.least : dim.constant + dim.least;
  AffineExpr sum = builder.getAffineConstantExpr(constant);
  for (auto [leaf, coefficient] : llvm::enumerate(dim.coefficients)) {
    // What has one point is open in any scope, and adds nothing.
    if (coefficient == 0 || plan.leaves[leaf].extent == 1 ||
        llvm::is_contained(coordinates.node.staged->leaves, leaf) != inside)
      continue;
    if (auto *tile = llvm::find(scope.frame, leaf); tile != scope.frame.end() && inside)
      sum = sum + builder.getAffineDimExpr(tile - scope.frame.begin()) * coefficient;
    if (scope.indices[leaf]) // Else a loop of one iteration, or the tile's dimension.
      sum = sum + getLeafExpr(leaf, coordinates, inside ? scope.getTileRank() : 1) * coefficient;
  }
  return sum;
}

/// A coordinate in the buffer of a value that has a dimension for the leaf.
AffineExpr TilePrinter::getBufferExpr(unsigned leaf, Coordinates &coordinates) {
  const Scope &scope = coordinates.scope;
  if (auto *dim = llvm::find(scope.frame, leaf); dim != scope.frame.end())
    return builder.getAffineDimExpr(dim - scope.frame.begin());
  if (!scope.indices[leaf]) // A loop of one iteration.
    return builder.getAffineConstantExpr(0);
  return getLeafExpr(leaf, coordinates, scope.getTileRank());
}
