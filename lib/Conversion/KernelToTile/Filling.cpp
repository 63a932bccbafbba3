// How the buffers of staged values are filled.
//
// A group of threads fills a buffer as one tile. One thread with vector registers has loops over
// the buffer, around tiles of kRows x kLanes elements, transposed in registers, where memory is
// read along another dimension than the buffer's last one, else of a row of kRow. Where the last
// dimension is the group of a dot instruction, tiles run along memory for each of its elements. The
// tile of a value that is contracted is that of the buffer's last two dimensions, or of the last
// one, and of an axis that is summed over along memory. Windows are copied (Windows.cpp).
#include "Filling.h"

#include "Emitter.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::StagedValue;

/// The leaves so that the parts of each axis are nested as they were split: how many points of an
/// inner one are left of the axis is known inside of the outer ones.
static SmallVector<unsigned> sortParts(const schedule::Plan &plan, ArrayRef<unsigned> leaves) {
  SmallVector<unsigned> sorted(leaves);
  for (unsigned &first : sorted)
    for (unsigned &second : MutableArrayRef(&first, sorted.end()))
      if (plan.leaves[first].axis == plan.leaves[second].axis &&
          plan.leaves[first].stride < plan.leaves[second].stride)
        std::swap(first, second);
  return sorted;
}

/// Computes the value in the frame of its buffer, at the end of the scope, and stores it there.
/// Nothing that the scopes know is of that frame, so that the filling has a scope of its own.
LogicalResult TileEmitter::fill(const StagedValue &staged, unsigned scope) {
  if (staged.isWindow) {
    fillWindow(staged, scope);
    return success();
  }
  auto *inside = plan.loops.begin();
  if (staged.loop)
    inside = std::next(llvm::find(plan.loops, *staged.loop));
  if (staged.isContracted)
    for (const StagedValue &other : plan.staged) {
      // A loop before this one in the order need not be around what is computed here.
      bool around = !other.loop || (leafOpen[*other.loop] &&
                                    std::find(plan.loops.begin(), inside, *other.loop) != inside);
      if (around && needs(staged.op, other.op) && failed(ensureFilled(other)))
        return failure();
    }
  insertIn(scope);
  Scope own(scopes[scope].block);
  if (builder.getInsertionPoint() != own.block->end())
    own.anchor = &*builder.getInsertionPoint();
  for (const Scope &outer : ArrayRef(scopes).take_front(scope + 1))
    own.filled.insert_range(outer.filled);
  auto outerRest = std::exchange(rest, scopes[scope].rest);
  own.rest = rest;
  auto outerLeafValues = leafValues;
  auto outerLeafOpen = leafOpen;
  auto outerChunks = chunks;
  for (unsigned leaf :
       llvm::concat<const unsigned>(ArrayRef(inside, plan.loops.end()), ArrayRef(plan.tile))) {
    leafValues[leaf] = nullptr;
    leafOpen[leaf] = false;
    chunks[leaf] = 0;
  }
  auto outerScopes = std::exchange(scopes, {});
  scopes.push_back(std::move(own));
  auto outerLeafScopes = std::exchange(leafScopes, SmallVector<unsigned>(plan.leaves.size(), 0));
  auto outerFrame = std::exchange(frame, staged.leaves);
  auto outerPadded = std::exchange(padded, plan.padded);
  for (unsigned leaf = 0; leaf < plan.leaves.size(); ++leaf)
    if (!plan.warps && leafOpen[leaf] && isOutermostPart(leaf))
      padded[plan.leaves[leaf].axis] = outerPadded[plan.leaves[leaf].axis];
  Operation *outerFilling = std::exchange(filling, staged.op);
  bool outerContraction = std::exchange(isFillingContraction, staged.isContracted);
  auto outerLoops = std::exchange(loops, plan.loops);
  unsigned outerGridScope = std::exchange(gridScope, 0);
  bool shares = !plan.team.empty() && !schedule::isOwnInTeam(plan, staged);
  bool outerShareLeft = std::exchange(isShareLeft, shares);

  LogicalResult result = success();
  if (plan.warps) {
    result = fillTile(staged);
  } else if (staged.isContracted) {
    frame = llvm::to_vector(schedule::getContractedTile(plan, staged));
    if (staged.summedLanes)
      frame.push_back(*staged.summedLanes);
    loops.append(staged.summedLoops);
    result = fillLoops(staged, sortParts(plan, staged.leaves));
  } else {
    frame = {staged.leaves.back()};
    // Groups of dot instructions are interleaved: lanes run along memory, groups across.
    if (staged.readLeaf != frame[0])
      frame.insert(plan.leaves[frame[0]].dot ? frame.end() : frame.begin(), staged.readLeaf);
    result = fillLoops(staged, sortParts(plan, staged.leaves));
  }
  scopes = std::move(outerScopes);
  rest = std::move(outerRest);
  leafValues = std::move(outerLeafValues);
  leafOpen = std::move(outerLeafOpen);
  chunks = std::move(outerChunks);
  gridScope = outerGridScope;
  leafScopes = std::move(outerLeafScopes);
  frame = std::move(outerFrame);
  padded = std::move(outerPadded);
  filling = outerFilling;
  isFillingContraction = outerContraction;
  isShareLeft = outerShareLeft;
  loops = std::move(outerLoops);
  return result;
}

LogicalResult TileEmitter::fillTile(const StagedValue &staged) {
  FailureOr<Emitted> value = get(staged.op->getResult(0));
  if (failed(value))
    return failure();
  Coordinates coordinates;
  SmallVector<AffineExpr> exprs;
  for (unsigned leaf : staged.leaves) {
    AffineExpr expr = builder.getAffineConstantExpr(0);
    if (auto *dim = llvm::find(frame, leaf); dim != frame.end())
      expr = builder.getAffineDimExpr(dim - frame.begin());
    if (leafValues[leaf]) {
      expr = expr + builder.getAffineDimExpr(getTileRank() + coordinates.operands.size());
      coordinates.operands.push_back(leafValues[leaf]);
    }
    exprs.push_back(expr);
  }
  insertIn(innermost());
  Value tile = broadcast(value->value, getShape(sets.of(staged.op->getResult(0))));
  unsigned dims = getTileRank() + coordinates.operands.size();
  auto map = view::MapAttr::get(AffineMap::get(dims, 0, exprs, builder.getContext()));
  tile::StoreOp::create(builder, staged.op->getLoc(), tile, buffers[staged.op],
                        coordinates.operands, map, DenseBoolArrayAttr());
  return success();
}

/// The loops over the dimensions of the buffer that are left, outermost first.
LogicalResult TileEmitter::fillLoops(const StagedValue &staged, ArrayRef<unsigned> loops) {
  if (!loops.empty())
    return fillLoop(staged, loops);
  if (isShareLeft)
    return shareLoop(1, 1, [&](Value) { return fillTile(staged); });
  return fillTile(staged);
}

LogicalResult TileEmitter::fillLoop(const StagedValue &staged, ArrayRef<unsigned> loops) {
  unsigned position = loops.front();
  const schedule::LeafAxis &leaf = plan.leaves[position];
  bool inTile = llvm::is_contained(frame, position);
  int64_t extent = getExtent(position), whole = rest[leaf.axis];
  // A tile takes `step` points of the leaf at once; a loop one, with what is inside of it.
  int64_t step = 1, full = extent, left = 0;
  // What is read is filled: all points of a tile, and the last iteration that is emitted apart,
  // which alone goes beyond the axis. Outside of a tensor all is filled.
  const schedule::SkippedAxis *skipped =
      inTile || leaf.role == schedule::Role::Tile ? nullptr : findSkipped(position);
  if (skipped && !isa<arith::SelectOp>(skipped->mask))
    skipped = nullptr;
  bool masks = !inTile && extent > 1 && isMaskedApart(position);
  if (inTile) {
    int64_t most = frame.size() == 1 ? kRow : position == frame[0] ? kRows : kLanes;
    step = staged.isContracted ? extent : std::min(extent, most);
    full = extent / step;
    left = extent % step;
  } else if (plan.peeled[leaf.axis] && whole > leaf.stride && whole % leaf.stride != 0) {
    full = extent - 1;
    left = whole % leaf.stride;
  } else if (masks) {
    full = extent - 1;
    left = leaf.stride;
  }
  unsigned parent = innermost();
  Operation *anchor = scopes[parent].anchor;
  auto emitPart = [&](Block *block, Value index, int64_t part, bool isLast = false) {
    bool before = std::exchange(padded[leaf.axis], padded[leaf.axis] && !(masks && !isLast));
    scopes.emplace_back(block);
    if (block == scopes[parent].block)
      scopes.back().anchor = anchor;
    leafValues[position] = index;
    leafScopes[position] = innermost();
    leafOpen[position] = true;
    // Inside of a tile are as many points as its first element has.
    if (inTile)
      chunks[position] = part;
    rest[leaf.axis] = std::min(whole, inTile ? leaf.stride : part);
    scopes.back().rest = rest;
    LogicalResult result = fillLoops(staged, loops.drop_front());
    chunks[position] = 0;
    rest[leaf.axis] = whole;
    leafValues[position] = nullptr;
    leafOpen[position] = false;
    scopes.pop_back();
    padded[leaf.axis] = before;
    return result;
  };
  auto constant = [&](int64_t value) {
    insertIn(parent);
    return arith::ConstantIndexOp::create(builder, location, value);
  };
  int64_t part = inTile ? step : leaf.stride;
  if (isShareLeft && full + (left > 0) > 1 && !skipped)
    return shareLoop(full * step + (left > 0), step, [&](Value index) {
      auto emitHere = [&](Value at, int64_t points, bool isLast) {
        return emitPart(scopes[innermost()].block, at, points, isLast);
      };
      if (left == 0)
        return emitHere(index, part, false);
      return branchAt(
          index, full * step, [&](Value last) { return emitHere(last, left, true); },
          [&] { return emitHere(index, part, false); });
    });
  if (full == 1) {
    if (failed(emitPart(scopes[parent].block, constant(0), part)))
      return failure();
  } else if (full > 1) {
    auto emitLoop = [&](Value lower, Value upper) {
      Value increment = constant(step);
      auto loop = scf::ForOp::create(builder, location, lower, upper, increment);
      loop.getBody()->getTerminator()->erase();
      scopes[parent].anchor = loop;
      LogicalResult result = emitPart(loop.getBody(), loop.getInductionVar(), part);
      scopes[parent].anchor = anchor;
      builder.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(builder, location);
      return result;
    };
    Value begin = constant(0), end = constant(full * step);
    if (skipped && !decided.contains(skipped->mask)) {
      end = getSeen(position, *skipped, full).second;
      // First what is seen from everywhere, without the mask.
      if (staged.op == skipped->mask || needs(staged.op, skipped->mask)) {
        Value all = getSeenBound(position, skipped->bounds.front(), /*all=*/true, full);
        decided.insert(skipped->mask);
        LogicalResult result = emitLoop(begin, all);
        decided.erase(skipped->mask);
        if (failed(result))
          return failure();
        begin = all;
      }
    }
    if (failed(emitLoop(begin, end)))
      return failure();
  }
  if (left == 0)
    return success();
  return emitPart(scopes[parent].block, constant(full * step), left, /*isLast=*/true);
}
