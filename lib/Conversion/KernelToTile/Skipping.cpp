// Loops that end where a comparison masks what is left of a reduced axis, or run as far as a load
// is inside of its tensor, and reductions that advance together with a maximum.
//
// order [jb, jr], online jb, s the value that m is the maximum of:
//   for jb:
//     before = m;  for jr: m = max(m, s)
//     scale = exp(before - m);  l = l * scale;  for jr: l = l + exp(s - m)
#include "Emitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::LeafAxis;
using schedule::SkippedAxis;

/// The mask by which the leaf's loop is shorter. The innermost part of a split axis always runs to
/// its end: it is short.
const SkippedAxis *TileEmitter::findSkipped(unsigned leaf) const {
  const LeafAxis &axis = plan.leaves[leaf];
  if (axis.unroll == 0 || (axis.stride == 1 && !isOutermostPart(leaf)))
    return nullptr;
  auto *it = llvm::find_if(plan.skipped, [&](const SkippedAxis &s) { return s.axis == axis.axis; });
  return it == plan.skipped.end() ? nullptr : it;
}

/// Of the leaf's first `most` iterations, where those end that see a point, or see `all` of their
/// points, from any point of what is not in the grid and no open loop; where those begin that see a
/// point, if the bound rises along the axis.
Value TileEmitter::getSeenBound(unsigned leaf, const SkippedAxis::Bound &bound, bool all,
                                int64_t most) {
  const LeafAxis &own = plan.leaves[leaf];
  SmallVector<Value> operands;
  AffineExpr sum = builder.getAffineConstantExpr(bound.constant);
  for (auto [i, other] : llvm::enumerate(plan.leaves)) {
    int64_t coefficient = bound.coefficients[other.axis] * other.stride;
    if (coefficient == 0)
      continue;
    if (leafValues[i]) {
      sum = sum + builder.getAffineDimExpr(operands.size()) * coefficient;
      operands.push_back(leafValues[i]);
    }
    int64_t reach = coefficient * (other.extent - 1);
    if (other.axis != own.axis && (!leafValues[i] || llvm::is_contained(frame, i)) &&
        (reach > 0) != all)
      sum = sum + reach;
  }
  int64_t step = bound.coefficients[own.axis], width = std::abs(step) * own.stride;
  if (all || step > 0)
    sum = sum + step * (own.stride - 1);
  AffineExpr seenBound = step < 0 ? sum.floorDiv(width) + 1 : (width - 1 - sum).floorDiv(width);
  auto map = AffineMap::get(operands.size(), 0, seenBound);
  Value seen = affine::AffineApplyOp::create(builder, location, map, operands);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, location, value);
  };
  seen = arith::MaxSIOp::create(builder, location, seen, constant(0));
  return arith::MinSIOp::create(builder, location, seen, constant(most));
}

/// The first of the leaf's first `most` iterations that see a point, and the one after the last of
/// them.
std::pair<Value, Value> TileEmitter::getSeen(unsigned leaf, const SkippedAxis &skipped,
                                             int64_t most) {
  Value first, end;
  for (const SkippedAxis::Bound &bound : skipped.bounds) {
    Value seen = getSeenBound(leaf, bound, /*all=*/false, most);
    if (bound.coefficients[skipped.axis] < 0)
      end = end ? Value(arith::MinSIOp::create(builder, location, end, seen)) : seen;
    else
      first = first ? Value(arith::MaxSIOp::create(builder, location, first, seen)) : seen;
  }
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, location, value);
  };
  return {first ? first : constant(0), end ? end : constant(most)};
}

/// Whether the bound is known for each point of a tile once loops are unrolled.
bool TileEmitter::isKnownInTiles(const SkippedAxis::Bound &bound) const {
  return llvm::all_of(plan.leaves, [&](const LeafAxis &leaf) {
    return bound.coefficients[leaf.axis] == 0 || leaf.extent == 1 ||
           leaf.role == schedule::Role::Tile ||
           (leaf.role == schedule::Role::Loop && leaf.unroll == 0);
  });
}

/// Where a load of zero outside of its tensor is outside, through a window, whose buffer has it:
/// what is known to be zero need not be multiplied.
SmallVector<view::GuardAttr> TileEmitter::getWindowGuards(Operation *op, Coordinates &coordinates) {
  LoadOp load = schedule::getWindowLoad(op);
  auto number = dyn_cast<FloatAttr>(load.getMap().getOutsideFill(load.getType()));
  if (!number || !number.getValue().isPosZero())
    return {};
  TypedAttr fill = builder.getFloatAttr(op->getResult(0).getType(), 0.0);
  SmallVector<AffineExpr> constraints;
  for (const SkippedAxis &skipped : plan.skipped)
    for (const SkippedAxis::Bound &bound : skipped.bounds) {
      if (skipped.mask != load || !isKnownInTiles(bound))
        continue;
      AffineExpr sum = builder.getAffineConstantExpr(bound.constant);
      for (auto [axis, coefficient] : llvm::enumerate(bound.coefficients))
        if (coefficient != 0)
          sum = sum + getAxisExpr(axis, coordinates) * coefficient;
      constraints.push_back(sum);
    }
  if (constraints.empty())
    return {};
  SmallVector<bool> isEquality(constraints.size(), false);
  auto set =
      IntegerSet::get(getTileRank() + coordinates.operands.size(), 0, constraints, isEquality);
  return {view::GuardAttr::get(builder.getContext(), set, fill)};
}

bool TileEmitter::isScaledOnline(Operation *root) const {
  return plan.online && llvm::any_of(plan.online->sums, [&](const schedule::OnlineLoop::Sum &sum) {
           return sum.scales && sum.op == root;
         });
}

/// An iteration of the online loop begins.
void TileEmitter::startOnline() {
  onlineScope = innermost();
  onlineBefore = accumulators[plan.online->maximum].values[0];
  onlineScale = nullptr;
}

static Value splatFloat(OpBuilder &builder, Location location, Type tile, const APFloat &value) {
  auto type = cast<RankedTensorType>(tile);
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, value));
}

static Value isNegativeInfinity(OpBuilder &builder, Location location, Value tile) {
  const auto &semantics = cast<FloatType>(getElementTypeOrSelf(tile.getType())).getFloatSemantics();
  Value infinity =
      splatFloat(builder, location, tile.getType(), APFloat::getInf(semantics, /*Negative=*/true));
  return arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OEQ, tile, infinity);
}

/// After the maximum of an iteration of the online loop: what follows subtracts it, or 0 where
/// nothing but minus infinity has been seen, and sums up to here are scaled.
void TileEmitter::updateOnline(Operation *root) {
  if (!plan.online || root != plan.online->maximum || onlineScope != innermost())
    return;
  Value after = accumulators[root].values[0];
  insertIn(innermost());
  Value unseen = isNegativeInfinity(builder, location, after);
  Value zero = splat(cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(after.getType()))),
                     cast<RankedTensorType>(after.getType()).getShape());
  Value safe = arith::SelectOp::create(builder, location, unseen, zero, after);
  define(root->getResult(0), safe, innermost());
  Value grown = arith::SubFOp::create(builder, location, onlineBefore, safe);
  onlineScale = math::ExpOp::create(builder, location, grown);
  for (const schedule::OnlineLoop::Sum &sum : plan.online->sums) {
    auto it = accumulators.find(sum.op);
    if (!sum.scales || it == accumulators.end())
      continue;
    Value &value = it->second.values[0];
    Value scale = broadcast(onlineScale, cast<RankedTensorType>(value.getType()).getShape());
    value = arith::MulFOp::create(builder, location, value, scale);
  }
}

/// What the online sum is without online where only minus infinity has been seen: no number.
FailureOr<Value> TileEmitter::poisonUnseen(Operation *root, Value value) {
  if (!isScaledOnline(root))
    return value;
  FailureOr<Emitted> maximum = get(plan.online->maximum->getResult(0));
  if (failed(maximum))
    return failure();
  insertIn(innermost());
  auto type = cast<RankedTensorType>(value.getType());
  Value unseen = broadcast(isNegativeInfinity(builder, location, maximum->value), type.getShape());
  const auto &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  Value nan = splatFloat(builder, location, type, APFloat::getQNaN(semantics));
  return Value(arith::SelectOp::create(builder, location, unseen, nan, value));
}
