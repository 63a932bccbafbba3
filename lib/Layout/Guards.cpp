// Index maps: constraints simplified, guards merged, maps composed.
#include "tw/Layout/IndexMap.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cassert>

using namespace tw::layout;

//===-- Constraints -------------------------------------------------------===//

static size_t countFloors(const Expr &expr) {
  std::span<const Term> terms = expr.getTerms();
  return std::count_if(terms.begin(), terms.end(),
                       [](const Term &term) { return !term.atom.isDim(); });
}

/// e >= 0 is floor(e / c) >= 0 for any c: 64 * a + b - 64 >= 0 is a - 1 >= 0 when 0 <= b < 64.
static bool divideOut(Expr &expr, DimRanges ranges) {
  std::vector<int64_t> divisors;
  int64_t common = 0;
  for (const Term &term : expr.getTerms()) {
    int64_t factor = static_cast<int64_t>(magnitude(term.coefficient) & INT64_MAX);
    divisors.push_back(factor);
    common = common ? commonDivisor(factor, common) : factor;
  }
  divisors.push_back(common);
  std::sort(divisors.rbegin(), divisors.rend());
  divisors.erase(std::unique(divisors.begin(), divisors.end()), divisors.end());
  for (int64_t divisor : divisors) {
    if (divisor <= 1)
      break;
    Expr quotient = floorDiv(expr, divisor, ranges);
    if (quotient.getTerms().size() < expr.getTerms().size() ||
        (divisor == common && countFloors(quotient) <= countFloors(expr))) {
      expr = std::move(quotient);
      return true;
    }
  }
  return false;
}

/// floor(z / m) + x >= 0 is z + m * x >= 0; x - floor(z / m) >= 0 is m * x + m - 1 - z >= 0.
static bool multiplyOut(Expr &expr, DimRanges ranges) {
  if (countFloors(expr) != 1)
    return false;
  const Term term = expr.getTerms().back();
  if (term.coefficient != 1 && term.coefficient != -1)
    return false;
  int64_t divisor = term.atom.divisor;
  Expr others = expr - Expr::of(term.atom) * term.coefficient;
  expr = *term.atom.numerator * term.coefficient + others * divisor;
  if (term.coefficient == -1)
    expr = expr + (divisor - 1);
  expr = simplify(expr, ranges);
  return true;
}

static Truth simplifyEquality(Expr &expr, DimRanges ranges) {
  Range range = rangeOf(expr, ranges);
  if (range.min > 0 || range.max < 0)
    return Truth::Never;
  if (expr.isConstant())
    return Truth::Always;
  int64_t common = 0;
  for (const Term &term : expr.getTerms())
    common = commonDivisor(term.coefficient,
                           common ? common
                                  : static_cast<int64_t>(magnitude(term.coefficient) & INT64_MAX));
  if (common > 1) {
    if (expr.getConstant() % common != 0)
      return Truth::Never;
    expr = expr.divideExactly(common);
  }
  if (expr.getTerms()[0].coefficient < 0)
    expr = -expr;
  return Truth::Maybe;
}

Truth tw::layout::simplify(Constraint &constraint, DimRanges ranges) {
  Expr &expr = constraint.expr;
  expr = simplify(expr, ranges);
  if (constraint.equality)
    return simplifyEquality(expr, ranges);
  // Each step makes the expression smaller; the count is a seat belt against wrapped numbers.
  for (int step = 0; step < 64; ++step) {
    Range range = rangeOf(expr, ranges);
    if (range.min >= 0)
      return Truth::Always;
    if (range.max < 0)
      return Truth::Never;
    if (!divideOut(expr, ranges) && !multiplyOut(expr, ranges))
      break;
  }
  return Truth::Maybe;
}

/// True when b holds wherever a does.
static bool implies(const Constraint &a, const Constraint &b, DimRanges ranges) {
  if (a == b)
    return true;
  if (b.equality)
    return false;
  return rangeOf(b.expr - a.expr, ranges).min >= 0 ||
         (a.equality && rangeOf(b.expr + a.expr, ranges).min >= 0);
}

/// Narrows the ranges of dims to where the constraint can hold; false if that is nowhere.
static bool narrow(const Constraint &constraint, std::vector<Range> &ranges) {
  auto atLeastZero = [&](const Expr &expr) {
    for (const Term &term : expr.getTerms()) {
      if (!term.atom.isDim() || term.atom.dim >= ranges.size())
        continue;
      // coefficient * dim + rest >= 0
      Range &range = ranges[term.atom.dim];
      int64_t rest = rangeOf(expr - Expr::of(term.atom) * term.coefficient, ranges).max;
      if (rest == INT64_MAX || rest == INT64_MIN || term.coefficient == INT64_MIN)
        continue;
      if (term.coefficient > 0)
        range.min = std::max(range.min, -floorDivide(rest, term.coefficient));
      else
        range.max = std::min(range.max, floorDivide(rest, -term.coefficient));
      if (range.min > range.max)
        return false;
    }
    return true;
  };
  return atLeastZero(constraint.expr) && (!constraint.equality || atLeastZero(-constraint.expr));
}

//===-- Guards ------------------------------------------------------------===//

namespace {

/// The constraints that keep the expressions inside of the extents, those that always hold left
/// out.
struct Bounds {
  std::vector<Constraint> constraints;
  bool never = false;
  /// An extent is not known, so that there are bounds besides the constraints.
  bool unknown = false;

  Bounds(std::span<const Expr> exprs, std::span<const int64_t> extents, DimRanges ranges) {
    for (size_t i = 0; i < exprs.size(); ++i) {
      add({exprs[i]}, ranges);
      if (extents[i] < 0)
        unknown = true;
      else
        add({-exprs[i] + (extents[i] - 1)}, ranges);
    }
  }

  bool always() const { return constraints.empty() && !unknown && !never; }

private:
  void add(Constraint constraint, DimRanges ranges) {
    Truth truth = simplify(constraint, ranges);
    never |= truth == Truth::Never;
    if (truth == Truth::Maybe)
      constraints.push_back(std::move(constraint));
  }
};

} // namespace

/// Constraints on single dims first.
static void sortBySize(std::vector<Constraint> &constraints) {
  std::sort(constraints.begin(), constraints.end(), [](const Constraint &a, const Constraint &b) {
    size_t sizeOfA = a.expr.getTerms().size(), sizeOfB = b.expr.getTerms().size();
    return sizeOfA != sizeOfB ? sizeOfA < sizeOfB : compare(a.expr, b.expr) > 0;
  });
}

namespace {

/// Builds the list of guards of a normalized map, one at a time.
struct GuardList {
  std::vector<Guard> guards;
  /// What is known of the dims where all guards hold, and where all but the last do.
  std::vector<Range> ranges, beforeLast;
  /// Some guard never holds.
  bool constant = false;

  explicit GuardList(std::vector<Range> ranges) : ranges(ranges), beforeLast(std::move(ranges)) {}

  void add(Guard guard) {
    // What constraints on single dims say of the dims simplifies the others.
    sortBySize(guard.constraints);
    for (Constraint &constraint : guard.constraints) {
      Truth truth = simplify(constraint, ranges);
      if (truth == Truth::Maybe && !isKnown(constraint)) {
        open(guard.fill);
        replaceWeaker(constraint);
        if (narrow(constraint, ranges))
          guards.back().constraints.push_back(std::move(constraint));
        else
          truth = Truth::Never;
      }
      if (truth == Truth::Never) {
        open(guard.fill);
        guards.back().constraints = {Constraint{Expr(-1)}};
        constant = true;
        return;
      }
    }
  }

private:
  bool isKnown(const Constraint &constraint) const {
    for (const Guard &guard : guards)
      for (const Constraint &held : guard.constraints)
        if (implies(held, constraint, beforeLast))
          return true;
    return false;
  }

  void open(int fill) {
    if (!guards.empty() && guards.back().fill == fill)
      return;
    guards.push_back({{}, fill});
    beforeLast = ranges;
  }

  void replaceWeaker(const Constraint &constraint) {
    std::erase_if(guards.back().constraints, [&](const Constraint &weaker) {
      return implies(constraint, weaker, beforeLast);
    });
  }
};

} // namespace

/// True when the last guard says no more than that the source coordinates are inside the source, so
/// that its fill can be the one outside.
static bool isOnlyBounds(const IndexMap &map, DimRanges beforeLast) {
  const Guard &guard = map.guards.back();
  Bounds inside(map.exprs, map.sourceExtents, beforeLast);
  if (inside.never || inside.unknown)
    return false;
  auto impliedBy = [&](const Constraint &constraint, const std::vector<Constraint> &list) {
    return std::any_of(list.begin(), list.end(), [&](const Constraint &other) {
      return implies(other, constraint, beforeLast);
    });
  };
  for (const Constraint &constraint : guard.constraints)
    if (!impliedBy(constraint, inside.constraints))
      return false;
  return map.outside == guard.fill ||
         std::all_of(inside.constraints.begin(), inside.constraints.end(),
                     [&](const Constraint &constraint) {
                       return impliedBy(constraint, guard.constraints);
                     });
}

static void normalizeOnce(IndexMap &map) {
  GuardList list(rangesOfExtents(map.resultExtents));
  for (Guard &guard : map.guards) {
    list.add(std::move(guard));
    if (list.constant)
      break;
  }
  if (!list.constant) {
    for (Expr &expr : map.exprs)
      expr = simplify(expr, list.ranges);
    Bounds inside(map.exprs, map.sourceExtents, list.ranges);
    if (inside.never)
      list.add({{Constraint{Expr(-1)}}, map.outside});
    else if (inside.always())
      map.outside = 0;
  }
  map.guards = std::move(list.guards);
  for (Guard &guard : map.guards)
    sortBySize(guard.constraints);
  if (list.constant) {
    map.exprs.assign(map.exprs.size(), Expr());
    map.outside = 0;
  } else if (!map.guards.empty() && isOnlyBounds(map, list.beforeLast)) {
    map.outside = map.guards.back().fill;
    map.guards.pop_back();
  }
}

void tw::layout::normalize(IndexMap &map) {
  // What one constraint says of a dim may simplify one that came before it.
  for (int round = 0; round < 8; ++round) {
    std::vector<Guard> before = map.guards;
    normalizeOnce(map);
    if (map.guards == before)
      break;
  }
}

IndexMap tw::layout::compose(const IndexMap &outer, const IndexMap &inner) {
  assert(outer.sourceExtents == inner.resultExtents && "outer must read what inner gives");
  std::vector<Range> ranges = rangesOfExtents(outer.resultExtents);
  IndexMap map;
  map.resultExtents = outer.resultExtents;
  map.sourceExtents = inner.sourceExtents;
  map.outside = inner.outside;
  map.guards = outer.guards;
  Guard inside{{}, outer.outside};
  for (size_t i = 0; i < outer.exprs.size(); ++i) {
    inside.constraints.push_back({outer.exprs[i]});
    inside.constraints.push_back({-outer.exprs[i] + (outer.sourceExtents[i] - 1)});
  }
  map.guards.push_back(std::move(inside));
  for (const Guard &guard : inner.guards) {
    Guard substituted{{}, guard.fill};
    for (const Constraint &constraint : guard.constraints)
      substituted.constraints.push_back(
          {substitute(constraint.expr, outer.exprs, ranges), constraint.equality});
    map.guards.push_back(std::move(substituted));
  }
  for (const Expr &expr : inner.exprs)
    map.exprs.push_back(substitute(expr, outer.exprs, ranges));
  normalize(map);
  return map;
}

//===-- Cost --------------------------------------------------------------===//

/// The floors in an expression. `ofDim` counts for each occurrence of a dim.
template <typename OfDim> static int64_t countFloors(const Expr &expr, OfDim ofDim) {
  int64_t count = 0;
  for (const Term &term : expr.getTerms())
    count +=
        term.atom.isDim() ? ofDim(term.atom.dim) : 1 + countFloors(*term.atom.numerator, ofDim);
  return count;
}

template <typename OfDim> static int64_t countFloors(const IndexMap &map, OfDim ofDim) {
  int64_t count = 0;
  for (const Expr &expr : map.exprs)
    count += countFloors(expr, ofDim);
  for (const Guard &guard : map.guards)
    for (const Constraint &constraint : guard.constraints)
      count += countFloors(constraint.expr, ofDim);
  return count;
}

static int64_t zero(unsigned) { return 0; }

int64_t tw::layout::countDivisions(const Expr &expr) { return countFloors(expr, zero); }

int64_t tw::layout::countDivisions(const IndexMap &map) { return countFloors(map, zero); }

std::optional<IndexMap> tw::layout::collapse(const IndexMap &outer, const IndexMap &inner) {
  constexpr int64_t limit = 48;
  // What composing would have to simplify; beyond this there is little hope and much work.
  constexpr int64_t limitBefore = 20 * limit;
  std::vector<int64_t> floors;
  for (const Expr &expr : outer.exprs)
    floors.push_back(countDivisions(expr));
  if (countFloors(inner, [&](unsigned dim) { return floors[dim]; }) > limitBefore)
    return std::nullopt;
  IndexMap map = compose(outer, inner);
  return countDivisions(map) <= limit ? std::optional(std::move(map)) : std::nullopt;
}
