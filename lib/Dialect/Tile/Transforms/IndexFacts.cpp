// Ranges of indices, and inequalities from the loops and branches around an op.
#include "IndexFacts.h"

#include "tw/Layout/IndexMap.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::tile;

//===-- Comparisons -------------------------------------------------------===//

/// The tile of indices as a function of coordinates and scalars; constants have no indices.
static std::optional<std::pair<AffineExpr, ValueRange>> getIndices(Value tile) {
  while (auto broadcast = tile.getDefiningOp<BroadcastOp>())
    tile = broadcast.getOperand();
  if (auto index = tile.getDefiningOp<IndexOp>())
    return std::pair(index.getMap().getResult(0), ValueRange(index.getIndices()));
  DenseElementsAttr constant;
  if (auto op = tile.getDefiningOp<arith::ConstantOp>())
    constant = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!constant || !constant.isSplat() || !constant.getElementType().isIndex())
    return std::nullopt;
  return std::pair(
      getAffineConstantExpr(constant.getSplatValue<APInt>().getSExtValue(), tile.getContext()),
      ValueRange());
}

/// a < b is b - a - 1 >= 0.
static void compare(arith::CmpIOp op, function_ref<void(const Comparison &)> function) {
  auto type = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!type || !type.getElementType().isIndex())
    return;
  auto lhs = getIndices(op.getLhs()), rhs = getIndices(op.getRhs());
  if (!lhs || !rhs)
    return;
  using enum arith::CmpIPredicate;
  bool falls = op.getPredicate() == slt || op.getPredicate() == sle;
  if (!falls && op.getPredicate() != sgt && op.getPredicate() != sge)
    return;
  auto [small, large] = falls ? std::pair(*lhs, *rhs) : std::pair(*rhs, *lhs);
  int64_t strict = op.getPredicate() == slt || op.getPredicate() == sgt;
  // The indices of the one behind those of the other.
  int64_t rank = type.getRank(), shift = small.second.size();
  SmallVector<Value> indices(small.second);
  indices.append(large.second.begin(), large.second.end());
  AffineExpr upper = large.first.shiftDims(rank + large.second.size(), shift, /*offset=*/rank);
  function({upper - small.first - strict, type, indices});
}

void tw::tile::forEachComparison(Operation *op, function_ref<void(const Comparison &)> function) {
  auto compareSet = [&](IntegerSet set, RankedTensorType tile, ValueRange indices) {
    for (auto [constraint, equality] : llvm::zip(set.getConstraints(), set.getEqFlags()))
      if (!equality)
        function({constraint, tile, indices});
  };
  auto compareAccess = [&](auto access, Value memory, Value value) {
    auto tile = cast<RankedTensorType>(value.getType());
    for (view::GuardAttr guard : access.getMap().getGuards())
      compareSet(guard.getSet(), tile, access.getIndices());
    std::optional<ArrayRef<bool>> inBounds = access.getInBounds();
    ArrayRef<int64_t> extents = cast<MemRefType>(memory.getType()).getShape();
    for (auto [d, coordinate] : llvm::enumerate(access.getMap().getMap().getResults()))
      if (!inBounds || !(*inBounds)[d]) {
        function({coordinate, tile, access.getIndices()});
        function({extents[d] - 1 - coordinate, tile, access.getIndices()});
      }
  };
  if (auto load = dyn_cast<LoadOp>(op))
    compareAccess(load, load.getSource(), load.getResult());
  else if (auto store = dyn_cast<StoreOp>(op))
    compareAccess(store, store.getDestination(), store.getValue());
  else if (auto inside = dyn_cast<InsideOp>(op))
    compareSet(inside.getSet(), inside.getResult().getType(), inside.getIndices());
  else if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    compare(comparison, function);
}

//===-- Ranges ------------------------------------------------------------===//

/// Whether an op runs only where the index has another value: in the else branch of
/// `scf.if (index == value)`.
static bool isExcluded(Value index, int64_t value, Operation *at) {
  for (Operation *parent = at->getParentOp(); parent; at = parent, parent = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    auto condition = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    if (condition && condition.getPredicate() == arith::CmpIPredicate::eq &&
        condition.getLhs() == index && getConstantIntValue(condition.getRhs()) == value &&
        at->getParentRegion() == &branch.getElseRegion())
      return true;
  }
  return false;
}

static std::optional<view::DimRange> getBoundRange(OpFoldResult bound, Operation *at) {
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return view::DimRange{*constant, *constant, 1};
  return getIndexRange(cast<Value>(bound), at);
}

/// The values of a loop's index where an op inside runs.
static std::optional<view::DimRange>
getLoopRange(Value index, OpFoldResult lower, OpFoldResult upper, OpFoldResult by, Operation *at) {
  std::optional<view::DimRange> low = getBoundRange(lower, at), high = getBoundRange(upper, at);
  std::optional<int64_t> step = getConstantIntValue(by);
  if (!low || !high || !step || *step <= 0 || low->min >= high->max)
    return std::nullopt;
  if (low->min != low->max)
    return view::DimRange{low->min, high->max - 1, 1};
  int64_t last = low->min + (high->max - 1 - low->min) / *step * *step;
  if (low->min < last && high->min == high->max && isExcluded(index, last, at))
    last -= *step;
  return view::DimRange{low->min, last, *step};
}

std::optional<view::DimRange> tw::tile::getIndexRange(Value index, Operation *at) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return view::DimRange{*constant, *constant, 1};
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<FuncOp>(owner)) {
      std::optional<unsigned> dim = kernel.findGridDim(argument);
      if (!dim) {
        std::optional<int64_t> limit = kernel.findSymbolLimit(argument);
        return limit ? std::optional(view::DimRange{0, *limit, 1}) : std::nullopt;
      }
      int64_t extent = kernel.getGrid()[*dim];
      bool isLastExcluded = extent > 1 && isExcluded(index, extent - 1, at);
      return view::DimRange{0, isLastExcluded ? extent - 2 : extent - 1, 1};
    }
    if (auto team = dyn_cast<scf::ForallOp>(owner)) {
      unsigned dim = argument.getArgNumber();
      return getLoopRange(index, team.getMixedLowerBound()[dim], team.getMixedUpperBound()[dim],
                          team.getMixedStep()[dim], at);
    }
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || loop.getInductionVar() != index)
      return std::nullopt;
    return getLoopRange(index, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), at);
  }
  if (Operation *op = index.getDefiningOp(); isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(op)) {
    std::optional<view::DimRange> a = getIndexRange(op->getOperand(0), at);
    std::optional<view::DimRange> b = getIndexRange(op->getOperand(1), at);
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::MinSIOp>(op))
      return view::DimRange{std::min(a->min, b->min), std::min(a->max, b->max), 1};
    return view::DimRange{std::max(a->min, b->min), std::max(a->max, b->max), 1};
  }
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getAffineMap().getNumSymbols() != 0)
    return std::nullopt;
  SmallVector<view::DimRange> operands;
  for (Value operand : apply.getOperands()) {
    std::optional<view::DimRange> range = getIndexRange(operand, at);
    if (!range)
      return std::nullopt;
    operands.push_back(*range);
  }
  auto range = view::getRange(apply.getAffineMap().getResult(0), operands);
  if (!range)
    return std::nullopt;
  return view::DimRange{range->min, range->max, 1};
}

//===-- Facts -------------------------------------------------------------===//

/// Numbers of indices begin where coordinates of tiles end.
static constexpr unsigned kMostDims = 16;

unsigned IndexFacts::getFirstNumber() { return kMostDims; }

IndexFacts::IndexFacts(Operation *at) : at(at), ranges(kMostDims) {
  Operation *child = at;
  for (Operation *parent = at->getParentOp(); parent && !isa<FuncOp>(parent);
       child = parent, parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      layout::Expr index = resolve(loop.getInductionVar());
      addLowerBounds(index, loop.getLowerBound());
      addUpperBounds(index, loop.getUpperBound());
    }
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      if (auto condition = branch.getCondition().getDefiningOp<arith::CmpIOp>();
          condition && condition.getLhs().getType().isIndex())
        addCondition(condition, child->getParentRegion() == &branch.getThenRegion());
  }
  addRests();
}

/// What holds where the condition does, or does not.
void IndexFacts::addCondition(arith::CmpIOp condition, bool holds) {
  layout::Expr lhs = resolve(condition.getLhs());
  switch (condition.getPredicate()) {
  case arith::CmpIPredicate::slt:
    if (holds)
      addUpperBounds(lhs, condition.getRhs());
    break;
  case arith::CmpIPredicate::sle:
    if (!holds)
      add(lhs - resolve(condition.getRhs()) - 1);
    break;
  case arith::CmpIPredicate::eq:
    if (holds)
      addUpperBounds(lhs - 1, condition.getRhs());
    break;
  default:
    break;
  }
}

/// Of an index i that is no more than x floordiv k, and a rest x mod k of r at least: x - k i is no
/// less than r.
void IndexFacts::addRests() {
  SmallVector<layout::Expr> sums;
  for (const layout::Expr &rest : withQuotients)
    for (const layout::Term &term : rest.getTerms()) {
      if (term.atom.isDim() || term.coefficient != -term.atom.divisor)
        continue;
      for (const layout::Expr &last : withQuotients)
        if (last.coefficientOf(term.atom) == 1)
          sums.push_back(rest + last * term.atom.divisor);
    }
  for (layout::Expr &sum : sums)
    add(std::move(sum));
}

unsigned IndexFacts::getNumber(Value index) {
  auto [it, isNew] = numbers.try_emplace(index, kMostDims + indices.size());
  unsigned number = it->second;
  if (!isNew)
    return number;
  indices.push_back(index);
  std::optional<view::DimRange> range = getIndexRange(index, at);
  ranges.push_back(range ? layout::Range{range->min, range->max} : layout::Range());
  if (auto maximum = index.getDefiningOp<arith::MaxSIOp>())
    addLowerBounds(layout::Expr::dim(number), maximum);
  return number;
}

std::optional<layout::Expr> IndexFacts::resolve(AffineMap map, ValueRange operands) {
  std::optional<layout::Expr> expr = view::toLayout(map.getResult(0));
  if (!expr || map.getNumSymbols() != 0)
    return std::nullopt;
  std::vector<layout::Expr> values;
  for (Value operand : operands)
    values.push_back(resolve(operand));
  return substitute(*expr, values, ranges);
}

/// The index as a sum of numbered ones.
layout::Expr IndexFacts::resolve(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return layout::Expr(*constant);
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>())
    if (auto expr = resolve(apply.getAffineMap(), apply.getOperands()))
      return *expr;
  return layout::Expr::dim(getNumber(index));
}

void IndexFacts::add(layout::Expr expr) {
  if (llvm::any_of(expr.getTerms(), [](const layout::Term &term) { return !term.atom.isDim(); }))
    withQuotients.push_back(expr);
  layout::Constraint constraint{std::move(expr)};
  if (layout::simplify(constraint, ranges) == layout::Truth::Maybe)
    facts.push_back(std::move(constraint.expr));
}

/// Of a minimum one operand is a bound, if the value is known to be below the other.
void IndexFacts::addLowerBounds(const layout::Expr &value, Value bound) {
  if (auto maximum = bound.getDefiningOp<arith::MaxSIOp>()) {
    addLowerBounds(value, maximum.getLhs());
    addLowerBounds(value, maximum.getRhs());
  } else if (auto minimum = bound.getDefiningOp<arith::MinSIOp>()) {
    if (isKnown(resolve(minimum.getRhs()) - value - 1))
      addLowerBounds(value, minimum.getLhs());
    else if (isKnown(resolve(minimum.getLhs()) - value - 1))
      addLowerBounds(value, minimum.getRhs());
  } else {
    add(value - resolve(bound));
  }
}

/// The value is below the bound. Of a maximum one operand is one, if the value is known not to be
/// below the other.
void IndexFacts::addUpperBounds(const layout::Expr &value, Value bound) {
  if (auto minimum = bound.getDefiningOp<arith::MinSIOp>()) {
    addUpperBounds(value, minimum.getLhs());
    addUpperBounds(value, minimum.getRhs());
  } else if (auto maximum = bound.getDefiningOp<arith::MaxSIOp>()) {
    if (isKnown(value - resolve(maximum.getRhs())))
      addUpperBounds(value, maximum.getLhs());
    else if (isKnown(value - resolve(maximum.getLhs())))
      addUpperBounds(value, maximum.getRhs());
  } else {
    add(resolve(bound) - value - 1);
    // Below x ceildiv k is no more than x floordiv k.
    auto apply = bound.getDefiningOp<affine::AffineApplyOp>();
    AffineExpr quotient = apply ? apply.getAffineMap().getResult(0) : AffineExpr();
    if (!quotient || quotient.getKind() != AffineExprKind::CeilDiv)
      return;
    auto division = cast<AffineBinaryOpExpr>(quotient);
    auto most = AffineMap::get(apply.getAffineMap().getNumDims(), 0,
                               division.getLHS().floorDiv(division.getRHS()));
    if (std::optional<layout::Expr> expr = resolve(most, apply.getOperands()))
      add(*expr - value);
  }
}

/// The quotient x floordiv k that is an addend of the expression, once or once less; null if there
/// is none.
static AffineExpr findQuotient(AffineExpr expr, bool &isNegative) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return AffineExpr();
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return constant && constant.getValue() > 0 ? expr : AffineExpr();
  case AffineExprKind::Mul:
    if (!constant || constant.getValue() != -1)
      return AffineExpr();
    isNegative = !isNegative;
    if (AffineExpr found = findQuotient(binary.getLHS(), isNegative))
      return found;
    isNegative = !isNegative;
    return AffineExpr();
  case AffineExprKind::Add:
    if (AffineExpr found = findQuotient(binary.getLHS(), isNegative))
      return found;
    return findQuotient(binary.getRHS(), isNegative);
  default:
    return AffineExpr();
  }
}

/// An expression that is at least 0 exactly where the given one is: r + x floordiv k where r k + x
/// is, and r - x floordiv k where r k + k - 1 - x is.
static AffineExpr dropQuotients(AffineExpr expr, unsigned numDims) {
  bool isNegative = false;
  AffineExpr quotient = findQuotient(expr, isNegative);
  if (!quotient)
    return expr;
  auto binary = cast<AffineBinaryOpExpr>(quotient);
  AffineExpr x = binary.getLHS(), k = binary.getRHS();
  AffineExpr rest = isNegative ? expr + quotient : expr - quotient;
  AffineExpr result = isNegative ? rest * k + k - 1 - x : rest * k + x;
  return simplifyAffineExpr(result, numDims, 0);
}

std::optional<IndexFacts::Form> IndexFacts::getForm(const Comparison &comparison) {
  unsigned rank = comparison.tile.getRank();
  std::optional<layout::Expr> expr =
      view::toLayout(dropQuotients(comparison.expr, rank + unsigned(comparison.indices.size())));
  if (!expr || rank > kMostDims)
    return std::nullopt;
  std::vector<layout::Expr> dims;
  std::vector<layout::Range> extents;
  for (auto [d, extent] : llvm::enumerate(comparison.tile.getShape())) {
    dims.push_back(extent == 1 ? layout::Expr(0) : layout::Expr::dim(d));
    extents.push_back(layout::Range::ofExtent(extent));
  }
  for (auto [i, index] : llvm::enumerate(comparison.indices)) {
    if (!index.getType().isIndex() && expr->uses(rank + i))
      return std::nullopt;
    dims.push_back(index.getType().isIndex() ? resolve(index) : layout::Expr(0));
  }
  std::vector<layout::Range> known(ranges);
  std::copy(extents.begin(), extents.end(), known.begin());
  Form form;
  layout::Expr lanes;
  layout::Expr whole = substitute(*expr, dims, known);
  form.scalar = layout::Expr(whole.getConstant());
  for (const layout::Term &term : whole.getTerms()) {
    layout::Expr part = layout::Expr::of(term.atom) * term.coefficient;
    bool hasLanes = false, hasScalars = false;
    for (unsigned d = 0; d < known.size(); ++d)
      if (part.uses(d))
        (d < kMostDims ? hasLanes : hasScalars) = true;
    if (hasLanes && hasScalars)
      return std::nullopt;
    (hasLanes ? lanes : form.scalar) = (hasLanes ? lanes : form.scalar) + part;
  }
  form.lanes = layout::rangeOf(lanes, extents);
  return form;
}

/// Whether the sum of indices is known to be at least 0.
bool IndexFacts::isKnown(layout::Expr expr) {
  layout::Constraint constraint{std::move(expr)};
  layout::Truth truth = layout::simplify(constraint, ranges);
  if (truth != layout::Truth::Maybe)
    return truth == layout::Truth::Always;
  return llvm::any_of(facts, [&](const layout::Expr &fact) {
    return layout::rangeOf(constraint.expr - fact, ranges).min >= 0;
  });
}

bool IndexFacts::isAtMost(Value low, Value high) {
  if (auto maximum = low.getDefiningOp<arith::MaxSIOp>())
    return isAtMost(maximum.getLhs(), high) && isAtMost(maximum.getRhs(), high);
  if (auto minimum = high.getDefiningOp<arith::MinSIOp>())
    return isAtMost(low, minimum.getLhs()) && isAtMost(low, minimum.getRhs());
  if (auto minimum = low.getDefiningOp<arith::MinSIOp>())
    return isAtMost(minimum.getLhs(), high) || isAtMost(minimum.getRhs(), high);
  if (auto maximum = high.getDefiningOp<arith::MaxSIOp>())
    return isAtMost(low, maximum.getLhs()) || isAtMost(low, maximum.getRhs());
  return isKnown(resolve(high) - resolve(low));
}

layout::Truth IndexFacts::decide(const Comparison &comparison) {
  std::optional<Form> form = getForm(comparison);
  if (!form || form->lanes.min == INT64_MIN || form->lanes.max == INT64_MAX)
    return layout::Truth::Maybe;
  if (isKnown(form->scalar + form->lanes.min))
    return layout::Truth::Always;
  if (isKnown(-form->scalar - form->lanes.max - 1))
    return layout::Truth::Never;
  return layout::Truth::Maybe;
}
