// Affine expressions and #tview.map as lib/Layout has them, and back.
#include "tw/Dialect/View/Algebra.h"
#include "Simplified.h"

#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::view;

//===-- Expressions -------------------------------------------------------===//

/// Far from where 64-bit arithmetic on indices could overflow.
static bool isModest(int64_t value) {
  constexpr int64_t limit = int64_t(1) << 40;
  return value >= -limit && value <= limit;
}

static bool isModest(const layout::Expr &expr) {
  return isModest(expr.getConstant()) &&
         llvm::all_of(expr.getTerms(), [](const layout::Term &term) {
           return isModest(term.coefficient) && isModest(term.atom.divisor) &&
                  (term.atom.isDim() || isModest(*term.atom.numerator));
         });
}

static std::optional<layout::Expr> combine(AffineBinaryOpExpr expr) {
  std::optional<layout::Expr> left = toLayout(expr.getLHS());
  if (!left)
    return std::nullopt;
  std::optional<layout::Expr> right = toLayout(expr.getRHS());
  if (!right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *left + *right;
  if (expr.getKind() == AffineExprKind::Mul && left->isConstant())
    std::swap(left, right);
  if (!right->isConstant())
    return std::nullopt;
  int64_t constant = right->getConstant();
  if (expr.getKind() == AffineExprKind::Mul)
    return *left * constant;
  if (constant <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return layout::floorDiv(*left, constant);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return layout::floorDiv(*left + (constant - 1), constant);
  return layout::mod(*left, constant);
}

std::optional<layout::Expr> tw::view::toLayout(AffineExpr expr) {
  std::optional<layout::Expr> result;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    result = layout::Expr(constant.getValue());
  else if (auto dim = dyn_cast<AffineDimExpr>(expr))
    result = layout::Expr::dim(dim.getPosition());
  else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    result = combine(binary);
  // The work of simplifying grows fast with nested divisions; no sensible map has so many.
  constexpr int64_t maxDivisions = 64;
  return result && isModest(*result) && layout::countDivisions(*result) <= maxDivisions
             ? result
             : std::nullopt;
}

AffineExpr tw::view::toAffine(const layout::Expr &expr, MLIRContext *context,
                              layout::DimRanges ranges) {
  layout::Pieces parts = layout::pieces(expr, ranges);
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const layout::Piece &piece : parts.summands) {
    AffineExpr value;
    switch (piece.kind) {
    case layout::Piece::Dim:
      value = getAffineDimExpr(piece.operand.getTerms()[0].atom.dim, context);
      break;
    case layout::Piece::Floor:
      value = toAffine(piece.operand, context, ranges).floorDiv(piece.divisor);
      break;
    case layout::Piece::Mod:
      value = toAffine(piece.operand, context, ranges) % piece.divisor;
      break;
    }
    sum = sum + value * piece.coefficient;
  }
  return sum + parts.constant;
}

//===-- Maps --------------------------------------------------------------===//

Fills::Fills(Type type) { fills.push_back(Builder(type.getContext()).getZeroAttr(type)); }

int Fills::getNumber(TypedAttr fill) {
  if (!fill)
    return 0;
  auto *found = llvm::find(fills, fill);
  if (found == fills.end()) {
    fills.push_back(fill);
    return fills.size() - 1;
  }
  return found - fills.begin();
}

/// The constraints of a set, or nothing if one cannot be expressed.
static std::optional<std::vector<layout::Constraint>> toConstraints(IntegerSet set) {
  std::vector<layout::Constraint> constraints;
  for (auto [expr, equality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    std::optional<layout::Expr> converted = toLayout(expr);
    if (!converted)
      return std::nullopt;
    constraints.push_back({*converted, equality});
  }
  return constraints;
}

static IntegerSet toSet(ArrayRef<layout::Constraint> constraints, unsigned numDims,
                        MLIRContext *context, layout::DimRanges ranges) {
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> equalities;
  for (const layout::Constraint &constraint : constraints) {
    if (!constraint.equality && constraint.expr.isConstant() && constraint.expr.getConstant() < 0)
      return IntegerSet::getEmptySet(numDims, 0, context);
    exprs.push_back(toAffine(constraint.expr, context, ranges));
    equalities.push_back(constraint.equality);
  }
  if (exprs.empty()) {
    exprs.push_back(getAffineConstantExpr(0, context));
    equalities.push_back(true);
  }
  return IntegerSet::get(numDims, 0, exprs, equalities);
}

std::optional<layout::IndexMap> tw::view::toLayout(MapAttr map, ArrayRef<int64_t> extents,
                                                   ArrayRef<int64_t> sourceExtents, Fills &fills) {
  layout::IndexMap result;
  result.resultExtents.assign(extents.begin(), extents.end());
  result.sourceExtents.assign(sourceExtents.begin(), sourceExtents.end());
  result.outside = fills.getNumber(map.getOutside());
  for (AffineExpr expr : map.getMap().getResults()) {
    std::optional<layout::Expr> converted = toLayout(expr);
    if (!converted)
      return std::nullopt;
    result.exprs.push_back(*converted);
  }
  for (GuardAttr guard : map.getGuards()) {
    std::optional<std::vector<layout::Constraint>> constraints = toConstraints(guard.getSet());
    if (!constraints)
      return std::nullopt;
    result.guards.push_back({std::move(*constraints), fills.getNumber(guard.getFill())});
  }
  return result;
}

MapAttr tw::view::toAttr(const layout::IndexMap &map, MLIRContext *context, const Fills &fills) {
  std::vector<layout::Range> ranges = layout::rangesOfExtents(map.resultExtents);
  unsigned numDims = map.resultExtents.size();
  SmallVector<AffineExpr> exprs;
  for (const layout::Expr &expr : map.exprs)
    exprs.push_back(toAffine(expr, context, ranges));
  SmallVector<GuardAttr> guards;
  for (const layout::Guard &guard : map.guards)
    guards.push_back(GuardAttr::get(context, toSet(guard.constraints, numDims, context, ranges),
                                    fills.getFill(guard.fill)));
  return MapAttr::get(AffineMap::get(numDims, 0, exprs, context), guards,
                      map.outside ? fills.getFill(map.outside) : TypedAttr());
}

//===-- Algebra -----------------------------------------------------------===//

/// What was found before, where the context has the dialect.
static const void *getSimplified(MLIRContext *context, const Simplified::Key &key,
                                 llvm::function_ref<const void *()> make) {
  auto *dialect = context->getLoadedDialect<ViewDialect>();
  return dialect ? dialect->getRegisteredInterface<Simplified>()->get(key, make) : make();
}

static AffineMap makeSimple(AffineMap map, ArrayRef<int64_t> extents) {
  std::vector<layout::Range> ranges = layout::rangesOfExtents(extents);
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults()) {
    std::optional<layout::Expr> converted = toLayout(expr);
    exprs.push_back(converted
                        ? toAffine(layout::simplify(*converted, ranges), map.getContext(), ranges)
                        : expr);
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs, map.getContext());
}

AffineMap tw::view::simplify(AffineMap map, ArrayRef<int64_t> extents) {
  Simplified::Key key{map.getAsOpaquePointer(), nullptr, {}};
  llvm::append_range(key.extents, extents);
  return AffineMap::getFromOpaquePointer(getSimplified(
      map.getContext(), key, [&] { return makeSimple(map, extents).getAsOpaquePointer(); }));
}

static AffineMap makeAddress(AffineMap coordinates, ArrayRef<int64_t> shape) {
  AffineExpr address = getAffineConstantExpr(0, coordinates.getContext());
  for (auto [expr, extent] : llvm::zip_equal(coordinates.getResults(), shape))
    address = address * extent + expr;
  unsigned numDims = coordinates.getNumDims();
  address = simplifyAffineExpr(address, numDims, 0);
  // Of three and more dimensions that are one it takes the algebra.
  SmallVector<int64_t> unknown(numDims, -1);
  AffineMap other = makeSimple(AffineMap::get(numDims, 0, address), unknown);
  return AffineMap::get(numDims, 0, {address, other.getResult(0)}, coordinates.getContext());
}

AffineMap tw::view::getAddress(AffineMap coordinates, ArrayRef<int64_t> shape) {
  static constexpr char kOfAddress = 0;
  Simplified::Key key{coordinates.getAsOpaquePointer(), &kOfAddress, {}};
  llvm::append_range(key.extents, shape);
  return AffineMap::getFromOpaquePointer(getSimplified(coordinates.getContext(), key, [&] {
    return makeAddress(coordinates, shape).getAsOpaquePointer();
  }));
}

IntegerSet tw::view::simplify(IntegerSet set, ArrayRef<int64_t> extents) {
  std::optional<std::vector<layout::Constraint>> constraints = toConstraints(set);
  if (!constraints || set.getNumSymbols() != 0)
    return set;
  std::vector<layout::Range> ranges = layout::rangesOfExtents(extents);
  std::vector<layout::Constraint> kept;
  for (layout::Constraint &constraint : *constraints) {
    layout::Truth truth = layout::simplify(constraint, ranges);
    if (truth == layout::Truth::Never)
      return IntegerSet::getEmptySet(set.getNumDims(), 0, set.getContext());
    if (truth == layout::Truth::Maybe && !llvm::is_contained(kept, constraint))
      kept.push_back(std::move(constraint));
  }
  return toSet(kept, set.getNumDims(), set.getContext(), ranges);
}

static MapAttr makeSimple(MapAttr map, ArrayRef<int64_t> extents, ArrayRef<int64_t> sourceExtents,
                          Type fillType) {
  Fills fills(fillType);
  std::optional<layout::IndexMap> converted = toLayout(map, extents, sourceExtents, fills);
  if (!converted)
    return map;
  layout::normalize(*converted);
  return toAttr(*converted, map.getContext(), fills);
}

MapAttr tw::view::simplify(MapAttr map, ArrayRef<int64_t> extents, ArrayRef<int64_t> sourceExtents,
                           Type fillType) {
  Simplified::Key key{map.getAsOpaquePointer(), fillType.getAsOpaquePointer(), {}};
  llvm::append_range(key.extents, extents);
  key.extents.push_back(-2); // no extent
  llvm::append_range(key.extents, sourceExtents);
  return cast<MapAttr>(Attribute::getFromOpaquePointer(getSimplified(map.getContext(), key, [&] {
    return makeSimple(map, extents, sourceExtents, fillType).getAsOpaquePointer();
  })));
}

MapAttr tw::view::compose(MapAttr outer, ArrayRef<int64_t> extents, MapAttr inner,
                          ArrayRef<int64_t> middleExtents, ArrayRef<int64_t> sourceExtents,
                          Type fillType) {
  auto isUnknown = [](int64_t extent) { return extent < 0; };
  if (llvm::any_of(extents, isUnknown) || llvm::any_of(middleExtents, isUnknown) ||
      llvm::any_of(sourceExtents, isUnknown))
    return {};
  Fills fills(fillType);
  std::optional<layout::IndexMap> first = toLayout(outer, extents, middleExtents, fills);
  std::optional<layout::IndexMap> second = toLayout(inner, middleExtents, sourceExtents, fills);
  if (!first || !second)
    return {};
  std::optional<layout::IndexMap> map = layout::collapse(*first, *second);
  return map ? toAttr(*map, outer.getContext(), fills) : MapAttr();
}

using Divisions = SmallVector<std::pair<AffineBinaryOpExpr, int64_t>, 2>;

/// Adds the expression times `factor` to coefficients of dims, a constant and, where these are
/// wanted, quotients and remainders; false where it is more than a sum of such, or numbers are
/// large.
static bool addLinear(AffineExpr expr, int64_t factor, MutableArrayRef<int64_t> coefficients,
                      int64_t &constant, Divisions *divisions = nullptr) {
  if (!isModest(factor))
    return false;
  auto add = [&](int64_t &to, int64_t more) { return isModest(to += more); };
  if (auto own = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value;
    return !llvm::MulOverflow(own.getValue(), factor, value) && isModest(value) &&
           add(constant, value);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() < coefficients.size() && add(coefficients[dim.getPosition()], factor);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t product;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return addLinear(binary.getLHS(), factor, coefficients, constant, divisions) &&
           addLinear(binary.getRHS(), factor, coefficients, constant, divisions);
  case AffineExprKind::Mul:
    return by && !llvm::MulOverflow(factor, by.getValue(), product) &&
           addLinear(binary.getLHS(), product, coefficients, constant, divisions);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::Mod:
    if (!divisions || !by || by.getValue() <= 0)
      return false;
    divisions->push_back({binary, factor});
    return true;
  default:
    return false;
  }
}

Between tw::view::multiplyOut(Between condition, unsigned numDims) {
  for (;;) {
    SmallVector<int64_t, 16> coefficients(numDims, 0);
    int64_t constant = 0, end;
    Divisions divisions;
    if (!addLinear(condition.expr, 1, coefficients, constant, &divisions) || divisions.size() != 1)
      return condition;
    auto [division, factor] = divisions.front();
    int64_t divisor = cast<AffineConstantExpr>(division.getRHS()).getValue();
    if (division.getKind() != AffineExprKind::FloorDiv || factor != 1 ||
        llvm::MulOverflow(condition.end, divisor, end) || !isModest(end))
      return condition;
    AffineExpr others = condition.expr - division;
    condition = {simplifyAffineExpr(division.getLHS() + others * divisor, numDims, 0), end};
  }
}

namespace {

/// A sum of multiples: `first`, and of each term `step` times a number from 0 to `last`, which is
/// not 0.
struct Multiples {
  struct Term {
    unsigned dim;
    int64_t step, last;
  };
  int64_t first = 0;
  SmallVector<Term, 16> terms;

  /// None beyond 64 bits.
  std::optional<layout::Range> getRange() const {
    layout::Range range{first, first};
    for (const Term &term : terms) {
      int64_t most;
      if (llvm::MulOverflow(term.step, term.last, most) ||
          llvm::AddOverflow(range.min, std::min<int64_t>(most, 0), range.min) ||
          llvm::AddOverflow(range.max, std::max<int64_t>(most, 0), range.max))
        return std::nullopt;
    }
    return range;
  }
};

} // namespace

static std::optional<Multiples> getMultiples(ArrayRef<int64_t> coefficients, int64_t constant,
                                             ArrayRef<DimRange> dims) {
  Multiples sum;
  sum.first = constant;
  for (auto [i, coefficient, dim] : llvm::enumerate(coefficients, dims)) {
    if (!isModest(dim.min) || !isModest(dim.max) || dim.step <= 0)
      return std::nullopt;
    int64_t least, step;
    if (llvm::MulOverflow(coefficient, dim.min, least) ||
        llvm::MulOverflow(coefficient, dim.step, step) ||
        llvm::AddOverflow(sum.first, least, sum.first))
      return std::nullopt;
    int64_t last = std::max<int64_t>(dim.max - dim.min, 0) / dim.step;
    if (step != 0 && last > 0)
      sum.terms.push_back({unsigned(i), step, last});
  }
  return sum;
}

static std::optional<layout::Range> getRangeOfMod(Multiples sum, int64_t divisor) {
  int64_t step = divisor;
  for (Multiples::Term &term : sum.terms) {
    term.step %= divisor;
    step = std::gcd(step, term.step);
  }
  std::optional<layout::Range> range = sum.getRange();
  if (!range)
    return std::nullopt;
  if (llvm::divideFloorSigned(range->min, divisor) == llvm::divideFloorSigned(range->max, divisor))
    return layout::Range{llvm::mod(range->min, divisor), llvm::mod(range->max, divisor)};
  // 4 * x + 1 mod 8 is 1 or 5.
  int64_t first = llvm::mod(sum.first, step);
  return layout::Range{first, divisor - step + first};
}

/// As getRange for sums of dims times constants and of quotients and remainders of such, each of
/// dims of its own, most of all, without the algebra.
static std::optional<layout::Range> getPlainRange(AffineExpr expr, ArrayRef<DimRange> dims) {
  SmallVector<int64_t, 16> coefficients(dims.size(), 0);
  int64_t constant = 0;
  Divisions divisions;
  if (!addLinear(expr, 1, coefficients, constant, &divisions))
    return std::nullopt;
  std::optional<Multiples> sum = getMultiples(coefficients, constant, dims);
  std::optional<layout::Range> range = sum ? sum->getRange() : std::nullopt;
  if (!range || divisions.empty())
    return range;
  llvm::SmallBitVector used(dims.size());
  auto use = [&](const Multiples &own) {
    return llvm::all_of(own.terms, [&](const Multiples::Term &term) {
      bool isFirst = !used[term.dim];
      used.set(term.dim);
      return isFirst;
    });
  };
  use(*sum);
  for (auto [division, factor] : divisions) {
    coefficients.assign(dims.size(), 0);
    constant = 0;
    int64_t divisor = cast<AffineConstantExpr>(division.getRHS()).getValue();
    if (!addLinear(division.getLHS(), 1, coefficients, constant) ||
        !(sum = getMultiples(coefficients, constant, dims)) || !use(*sum))
      return std::nullopt;
    std::optional<layout::Range> own;
    if (division.getKind() == AffineExprKind::Mod)
      own = getRangeOfMod(std::move(*sum), divisor);
    else if ((own = sum->getRange()))
      own = {llvm::divideFloorSigned(own->min, divisor),
             llvm::divideFloorSigned(own->max, divisor)};
    int64_t least, most;
    if (!own || llvm::MulOverflow(own->min, factor, least) ||
        llvm::MulOverflow(own->max, factor, most) ||
        llvm::AddOverflow(range->min, std::min(least, most), range->min) ||
        llvm::AddOverflow(range->max, std::max(least, most), range->max))
      return std::nullopt;
  }
  return range;
}

/// By the algebra.
static std::optional<layout::Range> makeRange(AffineExpr expr, ArrayRef<DimRange> dims) {
  std::optional<layout::Expr> converted = toLayout(expr);
  if (!converted)
    return std::nullopt;
  // A dim of step s is min + s * k.
  std::vector<layout::Expr> values;
  std::vector<layout::Range> ranges;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    int64_t last = std::max<int64_t>(dim.max - dim.min, 0) / dim.step;
    values.push_back(layout::Expr::dim(index) * dim.step + dim.min);
    ranges.push_back({0, last});
  }
  layout::Range range = layout::rangeOf(layout::substitute(*converted, values, ranges), ranges);
  // What the ranges simplify may hide a remainder, which bounds itself.
  if (layout::countDivisions(*converted) > 0) {
    layout::Range given = layout::rangeOf(layout::substitute(*converted, values), ranges);
    range = {std::max(range.min, given.min), std::min(range.max, given.max)};
  }
  if (range.min == INT64_MIN || range.max == INT64_MAX)
    return std::nullopt;
  return range;
}

std::optional<layout::Range> tw::view::getRange(AffineExpr expr, ArrayRef<DimRange> dims) {
  if (std::optional<layout::Range> range = getPlainRange(expr, dims))
    return range;
  if (!llvm::all_of(dims, [](const DimRange &dim) {
        return isModest(dim.min) && isModest(dim.max) && dim.step > 0;
      }))
    return std::nullopt;
  auto *dialect = expr.getContext()->getLoadedDialect<ViewDialect>();
  if (!dialect)
    return makeRange(expr, dims);
  // The dims that the expression has, in order.
  llvm::SmallBitVector used(dims.size());
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part); dim && dim.getPosition() < used.size())
      used.set(dim.getPosition());
  });
  Simplified::Key key{expr.getAsOpaquePointer(), nullptr, {}};
  for (unsigned dim : used.set_bits())
    key.extents.append({dims[dim].min, dims[dim].max, dims[dim].step});
  key.extents.push_back(int64_t(dims.size()));
  return dialect->getRegisteredInterface<Simplified>()->getRange(
      key, [&] { return makeRange(expr, dims); });
}
