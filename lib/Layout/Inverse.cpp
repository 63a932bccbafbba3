// The inverse of index maps that permute, split, merge and flip axes.
//
// Such a map writes groups of neighbouring source dimensions as numbers in mixed radix whose digits
// are pieces of result dims: (d0 floordiv 4), (d1 mod 8), d2. Reading the digits back and adding
// them up by dim is the inverse.
#include "tw/Layout/IndexMap.h"

#include <algorithm>

using namespace tw::layout;

namespace {

/// (dim floordiv divisor) mod radix, counted downwards if flipped; `place` is its weight in the
/// number.
struct Digit {
  unsigned dim;
  int64_t divisor;
  int64_t radix;
  int64_t place;
  bool flipped;
};

} // namespace

/// The dim and divisor of `dim` or `floor(dim / divisor)`.
static std::optional<std::pair<unsigned, int64_t>> asQuotient(const Expr &expr) {
  if (expr.getConstant() != 0 || expr.getTerms().size() != 1 || expr.getTerms()[0].coefficient != 1)
    return std::nullopt;
  const Atom &atom = expr.getTerms()[0].atom;
  if (atom.isDim())
    return std::pair(atom.dim, int64_t(1));
  std::span<const Term> terms = atom.numerator->getTerms();
  if (terms.size() == 1 && terms[0].atom.isDim() && atom.numerator->isDim(terms[0].atom.dim))
    return std::pair(terms[0].atom.dim, atom.divisor);
  return std::nullopt;
}

/// The digits of an expression with values [0, extent), lowest first.
static std::optional<std::vector<Digit>>
digitsOf(const Expr &expr, int64_t extent, std::span<const int64_t> extents, DimRanges ranges) {
  Pieces parts = pieces(expr, ranges);
  std::vector<Digit> digits;
  int64_t constant = parts.constant;
  for (const Piece &piece : parts.summands) {
    auto quotient = asQuotient(piece.kind == Piece::Floor ? piece.value() : piece.operand);
    if (!quotient)
      return std::nullopt;
    auto [dim, divisor] = *quotient;
    if (extents[dim] % divisor != 0)
      return std::nullopt;
    int64_t radix = piece.kind == Piece::Mod ? piece.divisor : extents[dim] / divisor;
    bool flipped = piece.coefficient < 0;
    // -c * v is c * (radix - 1 - v) - c * (radix - 1).
    if (flipped)
      constant += piece.coefficient * (radix - 1);
    digits.push_back(
        {dim, divisor, radix, flipped ? -piece.coefficient : piece.coefficient, flipped});
  }
  if (constant != 0)
    return std::nullopt;
  std::sort(digits.begin(), digits.end(),
            [](const Digit &a, const Digit &b) { return a.place < b.place; });
  int64_t place = 1;
  for (const Digit &digit : digits) {
    if (digit.place != place)
      return std::nullopt;
    place *= digit.radix;
  }
  return place == extent ? std::optional(digits) : std::nullopt;
}

/// True when the digits of a dim, by divisor, say its value exactly once.
static bool cover(std::vector<std::pair<int64_t, int64_t>> divisorsAndRadices, int64_t extent) {
  std::sort(divisorsAndRadices.begin(), divisorsAndRadices.end());
  int64_t next = 1;
  for (auto [divisor, radix] : divisorsAndRadices) {
    if (divisor != next)
      return false;
    next *= radix;
  }
  return next == extent;
}

std::optional<IndexMap> tw::layout::invert(const IndexMap &map) {
  if (!map.guards.empty())
    return std::nullopt;
  std::vector<Range> dims = rangesOfExtents(map.resultExtents);
  for (size_t i = 0; i < map.exprs.size(); ++i)
    if (Range range = rangeOf(map.exprs[i], dims);
        range.min < 0 || range.max >= map.sourceExtents[i])
      return std::nullopt;
  IndexMap inverse;
  inverse.resultExtents = map.sourceExtents;
  inverse.sourceExtents = map.resultExtents;
  inverse.exprs.resize(map.resultExtents.size());
  std::vector<std::vector<std::pair<int64_t, int64_t>>> used(map.resultExtents.size());
  std::vector<Range> ranges = rangesOfExtents(map.sourceExtents);

  for (size_t begin = 0, end; begin < map.exprs.size(); begin = end) {
    // The shortest group of neighbours that is a number in mixed radix.
    Expr written, read;
    int64_t extent = 1;
    std::optional<std::vector<Digit>> digits;
    for (end = begin; end < map.exprs.size() && !digits; ++end) {
      written = written * map.sourceExtents[end] + map.exprs[end];
      read = read * map.sourceExtents[end] + Expr::dim(end);
      extent *= map.sourceExtents[end];
      digits = digitsOf(written, extent, map.resultExtents, dims);
    }
    if (!digits)
      return std::nullopt;
    for (const Digit &digit : *digits) {
      Expr value = mod(floorDiv(read, digit.place, ranges), digit.radix, ranges);
      if (digit.flipped)
        value = -value + (digit.radix - 1);
      inverse.exprs[digit.dim] = inverse.exprs[digit.dim] + value * digit.divisor;
      used[digit.dim].emplace_back(digit.divisor, digit.radix);
    }
  }
  for (size_t dim = 0; dim < used.size(); ++dim)
    if (!cover(used[dim], map.resultExtents[dim]))
      return std::nullopt;
  normalize(inverse);
  return inverse;
}
