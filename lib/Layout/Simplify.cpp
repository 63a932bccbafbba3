// Index expressions: floors and mods simplified by ranges of the dims, and ranges of expressions.
#include "tw/Layout/Expr.h"

#include "Arithmetic.h"

#include <algorithm>
#include <cassert>

using namespace tw::layout;

std::vector<Range> tw::layout::rangesOfExtents(std::span<const int64_t> extents) {
  std::vector<Range> ranges;
  for (int64_t extent : extents)
    ranges.push_back(Range::ofExtent(extent));
  return ranges;
}

//===-- Ranges ------------------------------------------------------------===//

namespace {

/// An interval in wider integers, so that sums of products do not overflow. Clamped far outside of
/// 64 bits, where it means unbounded.
struct Interval {
  static constexpr __int128 limit = static_cast<__int128>(1) << 100;
  __int128 min = -limit;
  __int128 max = limit;

  static Interval of(Range range) {
    Interval result;
    if (range.min != INT64_MIN)
      result.min = range.min;
    if (range.max != INT64_MAX)
      result.max = range.max;
    return result;
  }

  void addScaled(int64_t factor, Range range) {
    Interval other = of(range);
    __int128 low = factor < 0 ? other.max : other.min;
    __int128 high = factor < 0 ? other.min : other.max;
    // An unbounded side stays unbounded whatever is added.
    bool noMin = min == -limit || low == -limit || low == limit;
    bool noMax = max == limit || high == -limit || high == limit;
    min = noMin ? -limit : std::clamp(min + low * factor, -limit, limit);
    max = noMax ? limit : std::clamp(max + high * factor, -limit, limit);
  }

  Range get() const {
    if (min > INT64_MAX || max < INT64_MIN)
      return {};
    return {min < INT64_MIN ? INT64_MIN : static_cast<int64_t>(min),
            max > INT64_MAX ? INT64_MAX : static_cast<int64_t>(max)};
  }
};

} // namespace

static Range rangeOfFloor(const Expr &numerator, int64_t divisor, DimRanges ranges) {
  Range range = rangeOf(numerator, ranges);
  if (range.min != INT64_MIN)
    range.min = floorDivide(range.min, divisor);
  if (range.max != INT64_MAX)
    range.max = floorDivide(range.max, divisor);
  return range;
}

static Range rangeOfAtom(const Atom &atom, DimRanges ranges) {
  if (atom.isDim())
    return atom.dim < ranges.size() ? ranges[atom.dim] : Range();
  return rangeOfFloor(*atom.numerator, atom.divisor, ranges);
}

static Range rangeOfMod(const Expr &operand, int64_t divisor, DimRanges ranges) {
  Range range = rangeOf(operand, ranges);
  if (range.min != INT64_MIN && range.max != INT64_MAX &&
      floorDivide(range.min, divisor) == floorDivide(range.max, divisor))
    return {floorModulo(range.min, divisor), floorModulo(range.max, divisor)};
  // 4 * x + 1 mod 8 is 1 or 5.
  int64_t step = divisor;
  for (const Term &term : operand.getTerms())
    step = commonDivisor(term.coefficient, step);
  int64_t first = floorModulo(operand.getConstant(), step);
  return {first, divisor - step + first};
}

static Range sumOfTerms(const Expr &expr, DimRanges ranges) {
  Interval sum{expr.getConstant(), expr.getConstant()};
  for (const Term &term : expr.getTerms())
    sum.addScaled(term.coefficient, rangeOfAtom(term.atom, ranges));
  return sum.get();
}

static bool hasFloor(const Expr &expr) {
  return !expr.isConstant() && !expr.getTerms().back().atom.isDim();
}

/// k * x - k * c * y is k * (x mod c) where the ranges make y floor(x / c), however it is written.
static std::optional<Range> rangeOfHiddenMod(const Piece &x, const Piece &y, DimRanges ranges) {
  if (x.kind == Piece::Mod || y.kind != Piece::Floor || y.coefficient == INT64_MIN ||
      y.coefficient % x.coefficient != 0)
    return std::nullopt;
  int64_t divisor = -(y.coefficient / x.coefficient);
  if (divisor < 2)
    return std::nullopt;
  Expr operand = x.kind == Piece::Floor ? floorDiv(x.operand, x.divisor, ranges) : x.operand;
  if (!(floorDiv(operand, divisor, ranges) == floorDiv(y.operand, y.divisor, ranges)))
    return std::nullopt;
  return rangeOfMod(operand, divisor, ranges);
}

Range tw::layout::rangeOf(const Expr &expr, DimRanges ranges) {
  Range range = sumOfTerms(expr, ranges);
  if (!hasFloor(expr))
    return range;
  Pieces parts = pieces(expr, ranges);
  Interval sum{parts.constant, parts.constant};
  bool mods = false;
  for (auto y = parts.summands.begin(); y != parts.summands.end();) {
    std::optional<Range> hidden;
    auto x = std::find_if(parts.summands.begin(), parts.summands.end(), [&](const Piece &other) {
      return &other != &*y && (hidden = rangeOfHiddenMod(other, *y, ranges));
    });
    if (x == parts.summands.end()) {
      ++y;
      continue;
    }
    sum.addScaled(x->coefficient, *hidden);
    mods = true;
    parts.summands.erase(std::max(x, y));
    parts.summands.erase(std::min(x, y));
    y = parts.summands.begin();
  }
  for (const Piece &piece : parts.summands) {
    if (piece.kind == Piece::Mod) {
      sum.addScaled(piece.coefficient, rangeOfMod(piece.operand, piece.divisor, ranges));
      mods = true;
    } else if (piece.kind == Piece::Floor) {
      sum.addScaled(piece.coefficient, rangeOfFloor(piece.operand, piece.divisor, ranges));
    } else {
      sum.addScaled(piece.coefficient, sumOfTerms(piece.operand, ranges));
    }
  }
  if (!mods)
    return range;
  Range other = sum.get();
  return {std::max(range.min, other.min), std::min(range.max, other.max)};
}

//===-- Mods --------------------------------------------------------------===//

Expr Piece::value() const {
  switch (kind) {
  case Dim:
    return operand;
  case Floor:
    return floorDiv(operand, divisor);
  case Mod:
    return mod(operand, divisor);
  }
  __builtin_unreachable();
}

/// True when sum contains every term of factor * part, with at least its coefficient.
static bool contains(const Expr &sum, const Expr &part, int64_t factor) {
  for (const Term &term : part.getTerms()) {
    int64_t wanted = wrapMul(term.coefficient, factor);
    int64_t found = sum.coefficientOf(term.atom);
    if (found == 0 || (found < 0) != (wanted < 0) || magnitude(found) < magnitude(wanted))
      return false;
  }
  return true;
}

/// The divisors above 1, largest first; of a very large number only those p and n / p with small p.
static std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t small = 1; small <= 4096 && small <= number / small; ++small)
    if (number % small == 0) {
      divisors.push_back(number / small);
      if (small != 1 && small != number / small)
        divisors.push_back(small);
    }
  std::sort(divisors.rbegin(), divisors.rend());
  if (number == 1)
    divisors.clear();
  return divisors;
}

/// Finds k * (y mod c) in the sum, whose floor term is -k * c * floor(y / c) with y = floor(z / m)
/// and the atom floor(z / (m * c)).
static std::optional<Piece> findMod(const Expr &sum, const Term &floor, DimRanges ranges) {
  const Expr &numerator = *floor.atom.numerator;
  int64_t common = commonDivisor(floor.coefficient, floor.atom.divisor);
  for (int64_t divisor : divisorsOf(common)) {
    int64_t factor = -(floor.coefficient / divisor);
    Expr operand = floorDiv(numerator, floor.atom.divisor / divisor, ranges);
    if (!operand.isConstant() && contains(sum, operand, factor))
      return Piece{Piece::Mod, factor, operand, divisor};
  }
  return std::nullopt;
}

Pieces tw::layout::pieces(const Expr &expr, DimRanges ranges) {
  Pieces result;
  Expr rest = expr;
  if (hasFloor(expr))
    for (const Term &term : expr.getTerms()) {
      if (term.atom.isDim() || rest.coefficientOf(term.atom) != term.coefficient)
        continue;
      if (std::optional<Piece> piece = findMod(rest, term, ranges)) {
        rest = rest - piece->operand * piece->coefficient - Expr::of(term.atom) * term.coefficient;
        result.summands.push_back(std::move(*piece));
      }
    }
  std::vector<Piece> plain;
  for (const Term &term : rest.getTerms()) {
    if (term.atom.isDim())
      plain.push_back({Piece::Dim, term.coefficient, Expr::dim(term.atom.dim)});
    else
      plain.push_back({Piece::Floor, term.coefficient, *term.atom.numerator, term.atom.divisor});
  }
  result.summands.insert(result.summands.begin(), plain.begin(), plain.end());
  result.constant = rest.getConstant();
  return result;
}

//===-- Floors ------------------------------------------------------------===//

/// The one value of floor(expr / divisor), if there is only one.
static std::optional<int64_t> constantFloor(const Expr &expr, int64_t divisor, DimRanges ranges) {
  Range range = rangeOfFloor(expr, divisor, ranges);
  if (range.min == range.max)
    return range.min;
  return std::nullopt;
}

/// floor((m * a + b) / m) is a + floor(b / m) where that is constant, with coefficients in b as
/// near to 0 as they can be: 255 * x + y + 127 is 256 * x and what lies between 0 and 255.
static std::optional<Expr> takeNearest(const Expr &expr, int64_t divisor, DimRanges ranges) {
  Expr quotient;
  for (const Term &term : expr.getTerms()) {
    int64_t times = term.coefficient / divisor, rest = term.coefficient % divisor;
    if (magnitude(rest) > static_cast<uint64_t>(divisor) - magnitude(rest))
      times += rest < 0 ? -1 : 1;
    quotient = quotient + Expr::of(term.atom) * times;
  }
  if (quotient.isConstant())
    return std::nullopt;
  std::optional<int64_t> constant = constantFloor(expr - quotient * divisor, divisor, ranges);
  return constant ? std::optional(quotient + *constant) : std::nullopt;
}

/// floor((g * a + b) / (g * m)) is floor((a + floor(b / g)) / m) where floor(b / g) is constant.
static std::optional<Expr> dropSmallTerms(const Expr &expr, int64_t divisor, DimRanges ranges) {
  std::vector<int64_t> candidates;
  int64_t all = divisor;
  for (const Term &term : expr.getTerms()) {
    candidates.push_back(commonDivisor(term.coefficient, divisor));
    all = commonDivisor(term.coefficient, all);
  }
  candidates.push_back(all);
  std::sort(candidates.rbegin(), candidates.rend());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (int64_t factor : candidates) {
    if (factor == 1)
      break;
    Expr large, small = expr;
    for (const Term &term : expr.getTerms())
      if (term.coefficient % factor == 0)
        large = large + Expr::of(term.atom) * term.coefficient;
    small = expr - large;
    if (std::optional<int64_t> constant = constantFloor(small, factor, ranges))
      return floorDiv(large.divideExactly(factor) + *constant, divisor / factor, ranges);
  }
  return std::nullopt;
}

/// floor((floor(a / b) + x) / c) is floor((a + b * x) / (b * c)).
static std::optional<Expr> mergeNested(const Expr &expr, int64_t divisor, DimRanges ranges) {
  const Term *nested = nullptr;
  for (const Term &term : expr.getTerms()) {
    if (term.atom.isDim())
      continue;
    if (nested || term.coefficient != 1)
      return std::nullopt;
    nested = &term;
  }
  int64_t product;
  if (!nested || __builtin_mul_overflow(nested->atom.divisor, divisor, &product))
    return std::nullopt;
  const Expr &inner = *nested->atom.numerator;
  Expr others = expr - Expr::of(nested->atom);
  return floorDiv(inner + others * nested->atom.divisor, product, ranges);
}

Expr tw::layout::floorDiv(const Expr &expr, int64_t divisor, DimRanges ranges) {
  assert(divisor > 0 && "division by a number that is not positive");
  if (divisor == 1)
    return expr;
  // Multiples of the divisor come out, and of the constant all but the remainder.
  Expr quotient(floorDivide(expr.constant, divisor)), rest(floorModulo(expr.constant, divisor));
  for (const Term &term : expr.terms) {
    if (term.coefficient % divisor == 0)
      quotient.terms.push_back({term.atom, term.coefficient / divisor});
    else
      rest.terms.push_back(term);
  }
  // So do multiples within larger coefficients, but not from inside of a mod.
  if (std::any_of(rest.terms.begin(), rest.terms.end(), [&](const Term &term) {
        return magnitude(term.coefficient) > static_cast<uint64_t>(divisor);
      })) {
    for (const Piece &piece : pieces(rest, ranges).summands)
      if (int64_t whole = piece.coefficient / divisor) {
        Expr value = piece.value();
        quotient = quotient + value * whole;
        rest = rest - value * wrapMul(whole, divisor);
      }
    int64_t carry = floorDivide(rest.constant, divisor);
    quotient = quotient + carry;
    rest.constant = floorModulo(rest.constant, divisor);
  }
  if (std::optional<int64_t> constant = constantFloor(rest, divisor, ranges))
    return quotient + *constant;
  if (std::optional<Expr> simpler = takeNearest(rest, divisor, ranges))
    return quotient + *simpler;
  if (std::optional<Expr> simpler = dropSmallTerms(rest, divisor, ranges))
    return quotient + *simpler;
  if (std::optional<Expr> simpler = mergeNested(rest, divisor, ranges))
    return quotient + *simpler;
  return quotient + Expr::of({0, divisor, std::make_shared<const Expr>(std::move(rest))});
}

Expr tw::layout::mod(const Expr &expr, int64_t divisor, DimRanges ranges) {
  return expr - floorDiv(expr, divisor, ranges) * divisor;
}

Expr tw::layout::simplify(const Expr &expr, DimRanges ranges) {
  Expr sum(expr.getConstant());
  for (const Term &term : expr.getTerms()) {
    const Atom &atom = term.atom;
    Range range = rangeOfAtom(atom, ranges);
    if (range.min == range.max)
      sum = sum + wrapMul(term.coefficient, range.min);
    else if (atom.isDim())
      sum = sum + Expr::dim(atom.dim) * term.coefficient;
    else
      sum = sum +
            floorDiv(simplify(*atom.numerator, ranges), atom.divisor, ranges) * term.coefficient;
  }
  return sum;
}
