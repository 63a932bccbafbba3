// Accesses of kernels: index maps simplified by the extents of axes, loads in normal form.
#include "tw/Dialect/Kernel/Access.h"

#include "tw/Dialect/View/Algebra.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// The extent that a size is known to be below, where something of the kernel has it.
static std::optional<Extent> getExtentAround(KernelOp kernel, SizeOp value) {
  auto below = value->getAttrOfType<view::SizesAttr>(belowAttrName);
  if (!below)
    return std::nullopt;
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    for (const Extent &extent :
         getExtents(cast<RankedTensorType>(kernel.getOperandArgument(i).getType())))
      if (extent.size == below.getSizes().front())
        return extent;
  return std::nullopt;
}

SmallVector<std::optional<Extent>> kernel::getExtents(KernelOp kernel, ValueRange indices) {
  SmallVector<std::optional<Extent>> extents;
  for (Value index : indices) {
    if (auto size = index.getDefiningOp<SizeOp>()) {
      extents.push_back(getExtentAround(kernel, size));
      continue;
    }
    auto axis = dyn_cast<BlockArgument>(index);
    bool isAxis = axis && axis.getOwner() == &kernel.getBody().front();
    extents.push_back(isAxis ? std::optional(kernel.getExtent(axis.getArgNumber())) : std::nullopt);
  }
  return extents;
}

/// The ranges of dims, without bounds where the extent is unknown.
static SmallVector<layout::Range> getRanges(Extents extents) {
  SmallVector<layout::Range> ranges;
  for (const std::optional<Extent> &extent : extents)
    ranges.push_back(extent ? layout::Range::ofExtent(extent->most) : layout::Range());
  return ranges;
}

std::optional<std::pair<int64_t, int64_t>> kernel::getBounds(AffineExpr expr, Extents extents) {
  std::optional<layout::Expr> sum = view::toLayout(expr);
  if (!sum)
    return std::nullopt;
  layout::Range range = layout::rangeOf(*sum, getRanges(extents));
  if (range.min == INT64_MIN || range.max == INT64_MAX)
    return std::nullopt;
  return std::pair(range.min, range.max);
}

AffineExpr kernel::simplify(AffineExpr expr, Extents extents) {
  std::optional<layout::Expr> sum = view::toLayout(expr);
  if (!sum)
    return expr;
  SmallVector<layout::Range> ranges = getRanges(extents);
  return view::toAffine(layout::simplify(*sum, ranges), expr.getContext(), ranges);
}

/// Whether coordinate `expr` is inside [0, extent): of a size that a call settles, the axis of
/// that size.
static bool isInside(AffineExpr expr, const Extent &inside, Extents extents) {
  if (!inside.isFixed()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim && extents[dim.getPosition()] == inside;
  }
  int64_t extent = inside.most;
  auto bounds = getBounds(expr, extents);
  return bounds && bounds->first >= 0 && bounds->second < extent;
}

static bool isInside(AffineMap map, Extents extents, ArrayRef<Extent> shape) {
  return llvm::all_of(llvm::zip(map.getResults(), shape),
                      [&](auto it) { return isInside(std::get<0>(it), std::get<1>(it), extents); });
}

/// The map where some indices are data: each expression by itself.
static view::MapAttr simplifyParts(view::MapAttr map, Extents extents, ArrayRef<Extent> shape) {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getMap().getResults())
    exprs.push_back(simplify(expr, extents));
  auto simple = AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
  SmallVector<view::GuardAttr> guards;
  for (view::GuardAttr guard : map.getGuards()) {
    SmallVector<AffineExpr> constraints;
    SmallVector<bool> equalities;
    for (auto [constraint, isEquality] :
         llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags())) {
      auto bounds = getBounds(constraint, extents);
      if (bounds && bounds->first >= 0 &&
          (!isEquality || (bounds->first == 0 && bounds->second == 0)))
        continue;
      constraints.push_back(simplify(constraint, extents));
      equalities.push_back(isEquality);
    }
    if (!constraints.empty())
      guards.push_back(view::GuardAttr::get(
          map.getContext(), IntegerSet::get(map.getNumDims(), 0, constraints, equalities),
          guard.getFill()));
  }
  return view::MapAttr::get(simple, guards,
                            isInside(simple, extents, shape) ? TypedAttr() : map.getOutside());
}

view::MapAttr kernel::simplify(view::MapAttr map, Extents extents, RankedTensorType source) {
  SmallVector<int64_t> known;
  for (const std::optional<Extent> &extent : extents)
    if (extent)
      known.push_back(extent->most);
  if (known.size() != extents.size())
    return simplifyParts(map, extents, getExtents(source));
  map = view::simplify(map, known, view::getKnownShape(source),
                       getScalarType(source.getElementType()));
  if (map.getOutside() && isInside(map.getMap(), extents, getExtents(source)))
    return view::MapAttr::get(map.getMap(), map.getGuards(), TypedAttr());
  return map;
}

bool kernel::isTotal(view::MapAttr map, Extents extents, RankedTensorType source) {
  view::MapAttr simple = simplify(map, extents, source);
  return !simple.hasGuards() && isInside(simple.getMap(), extents, getExtents(source));
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
  llvm::SmallPtrSet<Value, 8> seen;
  if (llvm::all_of(indices, [&](Value index) {
        return !index.getDefiningOp<affine::AffineApplyOp>() &&
               !index.getDefiningOp<arith::ConstantIndexOp>() && seen.insert(index).second;
      }))
    return map;
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

view::MapAttr kernel::normalizeAccess(KernelOp kernel, Value source, view::MapAttr map,
                                      SmallVectorImpl<Value> &indices) {
  MLIRContext *context = map.getContext();
  map = foldIndices(withScalarFills(map), indices);
  map = simplify(map, getExtents(kernel, indices), cast<RankedTensorType>(source.getType()));
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
  if (order.size() == indices.size() && llvm::is_sorted(order))
    return map;
  SmallVector<AffineExpr> onto(indices.size(), getAffineConstantExpr(0, context));
  SmallVector<Value> kept;
  for (auto [position, index] : llvm::enumerate(order)) {
    onto[index] = getAffineDimExpr(position, context);
    kept.push_back(indices[index]);
  }
  indices.assign(kept);
  return map.compose(AffineMap::get(kept.size(), 0, onto, context));
}

LoadOp kernel::createLoad(OpBuilder &builder, Location loc, KernelOp kernel, Value source,
                          view::MapAttr map, ValueRange indexRange) {
  SmallVector<Value> indices(indexRange);
  map = normalizeAccess(kernel, source, map, indices);
  return LoadOp::create(builder, loc, source, indices, map);
}

Value kernel::createIndex(OpBuilder &builder, Location loc, KernelOp kernel, AffineExpr expr,
                          ValueRange indices) {
  expr = simplify(expr, getExtents(kernel, indices));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  AffineMap map = AffineMap::get(indices.size(), 0, expr);
  SmallVector<Value> operands(indices);
  affine::canonicalizeMapAndOperands(&map, &operands);
  return affine::AffineApplyOp::create(builder, loc, map, operands);
}

std::optional<SmallVector<view::GuardAttr>> kernel::getAllGuards(view::MapAttr map, Extents extents,
                                                                 RankedTensorType source) {
  SmallVector<view::GuardAttr> guards(map.getGuards());
  SmallVector<AffineExpr> inside;
  for (auto [expr, extent] : llvm::zip(map.getMap().getResults(), getExtents(source))) {
    if (!extent.isFixed()) {
      if (!isInside(expr, extent, extents))
        return std::nullopt;
      continue;
    }
    auto bounds = getBounds(expr, extents);
    if (!bounds || bounds->first < 0)
      inside.push_back(expr);
    if (!bounds || bounds->second >= extent.most)
      inside.push_back(extent.most - 1 - expr);
  }
  if (!inside.empty())
    guards.push_back(view::GuardAttr::get(
        map.getContext(),
        IntegerSet::get(map.getNumDims(), 0, inside, SmallVector<bool>(inside.size(), false)),
        map.getOutsideFill(getScalarType(source.getElementType()))));
  return guards;
}

/// An expression that is a dim, or its negative, and a constant.
struct Shifted {
  unsigned dim;
  bool isNegative;
  int64_t constant;
};

static std::optional<Shifted> getShifted(AffineExpr expr) {
  std::optional<layout::Expr> sum = view::toLayout(expr);
  if (!sum || sum->getTerms().size() != 1)
    return std::nullopt;
  const layout::Term &term = sum->getTerms().front();
  if (!term.atom.isDim() || std::abs(term.coefficient) != 1)
    return std::nullopt;
  return Shifted{term.atom.dim, term.coefficient < 0, sum->getConstant()};
}

/// Whether the expression varies with an index that is no axis.
static bool dependsOnData(AffineExpr expr, ValueRange indices) {
  return llvm::any_of(llvm::enumerate(indices), [&](auto index) {
    return !isa<BlockArgument>(index.value()) && expr.isFunctionOfDim(index.index());
  });
}

bool kernel::canSelect(ArrayRef<view::GuardAttr> guards, ValueRange indices) {
  return llvm::all_of(guards, [&](view::GuardAttr guard) {
    return llvm::all_of(guard.getSet().getConstraints(), [&](AffineExpr expr) {
      return !dependsOnData(expr, indices) || getShifted(expr);
    });
  });
}

/// Whether a constraint of a guard holds. Data is compared as it is: no index is computed of it.
static Value createHolds(OpBuilder &builder, Location loc, KernelOp kernel, AffineExpr expr,
                         bool isEquality, ValueRange indices) {
  auto predicate = isEquality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  Value left;
  int64_t right = 0;
  if (std::optional<Shifted> data =
          dependsOnData(expr, indices) ? getShifted(expr) : std::nullopt) {
    left = indices[data->dim];
    right = data->isNegative ? data->constant : -data->constant;
    if (!isEquality && data->isNegative)
      predicate = arith::CmpIPredicate::sle;
  } else {
    left = createIndex(builder, loc, kernel, expr, indices);
  }
  Value bound = arith::ConstantIndexOp::create(builder, loc, right);
  return arith::CmpIOp::create(builder, loc, predicate, left, bound);
}

Value kernel::createGuarded(OpBuilder &builder, Location loc, KernelOp kernel, Value value,
                            ArrayRef<view::GuardAttr> guards, ValueRange indices) {
  for (view::GuardAttr guard : llvm::reverse(guards)) {
    Value holds;
    for (auto [expr, isEquality] :
         llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags())) {
      Value one = createHolds(builder, loc, kernel, expr, isEquality, indices);
      holds = holds ? arith::AndIOp::create(builder, loc, holds, one).getResult() : one;
    }
    Value fill = arith::ConstantOp::create(builder, loc, guard.getFill());
    value = arith::SelectOp::create(builder, loc, holds, value, fill);
  }
  return value;
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

/// The summands of an expression.
static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  collectTerms(binary.getLHS(), terms);
  collectTerms(binary.getRHS(), terms);
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

bool kernel::hasDivisions(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr part) {
    found |= part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::Mod;
  });
  return found;
}
