// Accesses of kernels: index maps simplified by the extents of axes, loads in normal form.
#include "tw/Dialect/Kernel/Access.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

SmallVector<std::optional<int64_t>> kernel::getExtents(KernelOp kernel, ValueRange indices) {
  SmallVector<std::optional<int64_t>> extents;
  for (Value index : indices) {
    auto axis = dyn_cast<BlockArgument>(index);
    bool isAxis = axis && axis.getOwner() == &kernel.getBody().front();
    extents.push_back(isAxis ? std::optional(kernel.getExtents()[axis.getArgNumber()])
                             : std::nullopt);
  }
  return extents;
}

namespace {

using Bounds = std::optional<std::pair<int64_t, int64_t>>;

int64_t floorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// The summands of an expression.
void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add) {
    collectTerms(binary.getLHS(), terms);
    collectTerms(binary.getRHS(), terms);
    return;
  }
  terms.push_back(expr);
}

/// `expr` floordiv or mod `divisor`: multiples of the divisor leave the sum, and what is left goes
/// where its bounds show that it lies in one multiple.
AffineExpr divide(AffineExpr expr, int64_t divisor, bool isMod, Extents extents) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> terms;
  collectTerms(expr, terms);
  AffineExpr quotient = getAffineConstantExpr(0, context), rest = quotient;
  for (AffineExpr term : terms) {
    if (term.isMultipleOf(divisor))
      quotient = quotient + term.floorDiv(divisor);
    else
      rest = rest + term;
  }
  if (Bounds bounds = getBounds(rest, extents)) {
    int64_t low = floorDivide(bounds->first, divisor);
    if (low == floorDivide(bounds->second, divisor))
      return isMod ? rest - low * divisor : quotient + low;
  }
  return isMod ? rest % divisor : quotient + rest.floorDiv(divisor);
}

AffineExpr simplifyDivisions(AffineExpr expr, Extents extents) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = simplifyDivisions(binary.getLHS(), extents);
  AffineExpr rhs = simplifyDivisions(binary.getRHS(), extents);
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  switch (binary.getKind()) {
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod:
    if (divisor && divisor.getValue() > 0)
      return divide(lhs, divisor.getValue(), binary.getKind() == AffineExprKind::Mod, extents);
    [[fallthrough]];
  default:
    return getAffineBinaryOpExpr(binary.getKind(), lhs, rhs);
  }
}

} // namespace

Bounds kernel::getBounds(AffineExpr expr, Extents extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::pair(constant.getValue(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    std::optional<int64_t> extent = extents[dim.getPosition()];
    if (!extent)
      return std::nullopt;
    return std::pair<int64_t, int64_t>(0, std::max<int64_t>(*extent - 1, 0));
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  Bounds lhs = getBounds(binary.getLHS(), extents), rhs = getBounds(binary.getRHS(), extents);
  if (binary.getKind() == AffineExprKind::Mod && rhs && rhs->first > 0) {
    if (lhs && floorDivide(lhs->first, rhs->first) == floorDivide(lhs->second, rhs->first)) {
      int64_t base = floorDivide(lhs->first, rhs->first) * rhs->first;
      return std::pair(lhs->first - base, lhs->second - base);
    }
    return std::pair<int64_t, int64_t>(0, rhs->second - 1);
  }
  if (!lhs || !rhs)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return std::pair(lhs->first + rhs->first, lhs->second + rhs->second);
  case AffineExprKind::Mul: {
    int64_t a = lhs->first * rhs->first, b = lhs->second * rhs->first;
    return std::pair(std::min(a, b), std::max(a, b));
  }
  case AffineExprKind::FloorDiv:
    if (rhs->first > 0)
      return std::pair(floorDivide(lhs->first, rhs->first), floorDivide(lhs->second, rhs->first));
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

AffineExpr kernel::simplify(AffineExpr expr, unsigned numDims, Extents extents) {
  // An axis of one point is 0.
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < numDims; ++i)
    dims.push_back(extents[i] == 1 ? getAffineConstantExpr(0, expr.getContext())
                                   : getAffineDimExpr(i, expr.getContext()));
  expr = simplifyAffineExpr(expr.replaceDims(dims), numDims, 0);
  return simplifyAffineExpr(simplifyDivisions(expr, extents), numDims, 0);
}

AffineMap kernel::simplify(AffineMap map, Extents extents) {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(simplify(expr, map.getNumDims(), extents));
  return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
}

/// Whether coordinate `expr` is inside [0, extent).
static bool isInside(AffineExpr expr, int64_t extent, Extents extents) {
  Bounds bounds = getBounds(expr, extents);
  return bounds && bounds->first >= 0 && bounds->second < extent;
}

view::MapAttr kernel::simplify(view::MapAttr map, Extents extents, ArrayRef<int64_t> sourceShape) {
  unsigned numDims = map.getNumDims();
  AffineMap exprs = simplify(map.getMap(), extents);
  SmallVector<view::GuardAttr> guards;
  for (view::GuardAttr guard : map.getGuards()) {
    SmallVector<AffineExpr> constraints;
    SmallVector<bool> equalities;
    IntegerSet set = guard.getSet();
    for (auto [constraint, isEquality] : llvm::zip(set.getConstraints(), set.getEqFlags())) {
      AffineExpr expr = simplify(constraint, numDims, extents);
      Bounds bounds = getBounds(expr, extents);
      if (bounds && bounds->first >= 0 && (!isEquality || bounds->first == 0) &&
          (!isEquality || bounds->second == 0))
        continue;
      constraints.push_back(expr);
      equalities.push_back(isEquality);
    }
    if (!constraints.empty())
      guards.push_back(view::GuardAttr::get(
          map.getContext(), IntegerSet::get(numDims, 0, constraints, equalities), guard.getFill()));
  }
  bool inside = llvm::all_of(llvm::zip(exprs.getResults(), sourceShape), [&](auto it) {
    return isInside(std::get<0>(it), std::get<1>(it), extents);
  });
  return view::MapAttr::get(exprs, guards, inside ? TypedAttr() : map.getOutside());
}

bool kernel::isTotal(view::MapAttr map, Extents extents, ArrayRef<int64_t> sourceShape) {
  view::MapAttr simple = simplify(map, extents, sourceShape);
  return !simple.hasGuards() &&
         llvm::all_of(llvm::zip(simple.getMap().getResults(), sourceShape),
                      [&](auto it) { return isInside(std::get<0>(it), std::get<1>(it), extents); });
}

static TypedAttr withScalarType(TypedAttr fill) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(fill))
    return IntegerAttr::get(getScalarType(integer.getType()), integer.getValue());
  return fill;
}

view::MapAttr kernel::withScalarFills(view::MapAttr map) {
  SmallVector<view::GuardAttr> guards;
  for (view::GuardAttr guard : map.getGuards())
    guards.push_back(
        view::GuardAttr::get(map.getContext(), guard.getSet(), withScalarType(guard.getFill())));
  return view::MapAttr::get(map.getMap(), guards, withScalarType(map.getOutside()));
}

/// Folds indices that are `affine.apply` into `map`, whose dims become the new `indices`.
static view::MapAttr foldIndices(view::MapAttr map, SmallVectorImpl<Value> &indices) {
  MLIRContext *context = map.getContext();
  SmallVector<Value> folded;
  SmallVector<AffineExpr> exprs;
  auto dimOf = [&](Value value) {
    auto *it = llvm::find(folded, value);
    AffineExpr dim = getAffineDimExpr(it - folded.begin(), context);
    if (it == folded.end())
      folded.push_back(value);
    return dim;
  };
  for (Value index : indices) {
    auto apply = index.getDefiningOp<affine::AffineApplyOp>();
    auto constant = index.getDefiningOp<arith::ConstantIndexOp>();
    if (constant) {
      exprs.push_back(getAffineConstantExpr(constant.value(), context));
    } else if (apply) {
      SmallVector<AffineExpr> operands;
      for (Value operand : apply.getOperands())
        operands.push_back(dimOf(operand));
      ArrayRef<AffineExpr> all = operands;
      unsigned numDims = apply.getAffineMap().getNumDims();
      exprs.push_back(apply.getAffineMap().getResult(0).replaceDimsAndSymbols(
          all.take_front(numDims), all.drop_front(numDims)));
    } else {
      exprs.push_back(dimOf(index));
    }
  }
  indices = folded;
  return map.compose(AffineMap::get(folded.size(), 0, exprs, context));
}

LoadOp kernel::createLoad(OpBuilder &builder, Location loc, KernelOp kernel, Value source,
                          view::MapAttr map, ValueRange indexRange) {
  MLIRContext *context = builder.getContext();
  SmallVector<Value> indices(indexRange);
  map = foldIndices(withScalarFills(map), indices);
  map = simplify(map, getExtents(kernel, indices),
                 cast<RankedTensorType>(source.getType()).getShape());
  llvm::SmallBitVector used(indices.size());
  auto note = [&](AffineExpr expr) {
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        used.set(dim.getPosition());
    });
  };
  for (AffineExpr expr : map.getMap().getResults())
    note(expr);
  for (view::GuardAttr guard : map.getGuards())
    for (AffineExpr expr : guard.getSet().getConstraints())
      note(expr);
  SmallVector<unsigned> order(used.set_bits());
  auto rank = [&](unsigned i) {
    auto axis = dyn_cast<BlockArgument>(indices[i]);
    return axis ? axis.getArgNumber() : kernel.getNumAxes() + i;
  };
  llvm::sort(order, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  SmallVector<AffineExpr> onto(indices.size(), getAffineConstantExpr(0, context));
  SmallVector<Value> kept;
  for (auto [position, index] : llvm::enumerate(order)) {
    onto[index] = getAffineDimExpr(position, context);
    kept.push_back(indices[index]);
  }
  map = map.compose(AffineMap::get(kept.size(), 0, onto, context));
  return LoadOp::create(builder, loc, source, kept, map);
}

Value kernel::createIndex(OpBuilder &builder, Location loc, KernelOp kernel, AffineExpr expr,
                          ValueRange indices) {
  expr = simplify(expr, indices.size(), getExtents(kernel, indices));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  AffineMap map = AffineMap::get(indices.size(), 0, expr);
  SmallVector<Value> operands(indices);
  affine::canonicalizeMapAndOperands(&map, &operands);
  return affine::AffineApplyOp::create(builder, loc, map, operands);
}

TypedAttr kernel::getSplatScalar(Value tensor) {
  DenseElementsAttr dense;
  if (!matchPattern(tensor, m_Constant(&dense)) || !dense.isSplat())
    return {};
  Type scalar = getScalarType(dense.getElementType());
  if (isa<FloatType>(scalar))
    return FloatAttr::get(scalar, dense.getSplatValue<APFloat>());
  if (isa<IntegerType>(scalar))
    return IntegerAttr::get(scalar, dense.getSplatValue<APInt>());
  return {};
}

std::optional<SmallVector<AffineExpr>> kernel::invert(AffineMap map, ArrayRef<int64_t> extents,
                                                      ArrayRef<int64_t> shape) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> inverse(extents.size());
  for (auto [i, extent] : llvm::enumerate(extents))
    if (extent == 1)
      inverse[i] = getAffineConstantExpr(0, context);
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    SmallVector<AffineExpr> terms;
    collectTerms(expr, terms);
    SmallVector<std::pair<int64_t, unsigned>> digits; // stride and dim
    for (AffineExpr term : terms) {
      int64_t stride = 1;
      if (auto product = dyn_cast<AffineBinaryOpExpr>(term);
          product && product.getKind() == AffineExprKind::Mul)
        if (auto factor = dyn_cast<AffineConstantExpr>(product.getRHS())) {
          stride = factor.getValue();
          term = product.getLHS();
        }
      if (auto constant = dyn_cast<AffineConstantExpr>(term); constant && constant.getValue() == 0)
        continue;
      auto dim = dyn_cast<AffineDimExpr>(term);
      if (!dim)
        return std::nullopt;
      if (extents[dim.getPosition()] != 1)
        digits.emplace_back(stride, dim.getPosition());
    }
    llvm::sort(digits);
    int64_t radix = 1;
    AffineExpr coordinate = getAffineDimExpr(position, context);
    for (auto [i, digit] : llvm::enumerate(digits)) {
      auto [stride, dim] = digit;
      if (stride != radix || inverse[dim])
        return std::nullopt;
      AffineExpr value = stride == 1 ? coordinate : coordinate.floorDiv(stride);
      inverse[dim] = i + 1 == digits.size() ? value : value % extents[dim];
      radix *= extents[dim];
    }
    if (radix != shape[position])
      return std::nullopt;
  }
  if (llvm::is_contained(inverse, AffineExpr()))
    return std::nullopt;
  return inverse;
}
