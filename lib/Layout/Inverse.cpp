// The inverse of index maps that permute, split, merge and flip axes.
//
// Such a map writes groups of neighbouring source dimensions as numbers in mixed radix whose digits
// are pieces of result dims: (d0 floordiv 4), (d1 mod 8), d2. Reading the digits back and adding
// them up by dim is the inverse.
#include "tw/Layout/IndexMap.h"

#include "Digits.h"

using namespace tw::layout;

/// The digits of an expression with values [0, extent), lowest first.
static std::optional<std::vector<Digit>> digitsOf(const Expr &expr, int64_t extent,
                                                  std::span<const int64_t> extents) {
  std::optional<Digits> found = findDigits(expr, extents);
  if (!found || found->constant != 0)
    return std::nullopt;
  int64_t place = 1;
  for (const Digit &digit : found->digits) {
    if (digit.place != place)
      return std::nullopt;
    place *= digit.radix;
  }
  return place == extent ? std::optional(found->digits) : std::nullopt;
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
  std::vector<DimDigits> used(map.resultExtents.size());
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
      digits = digitsOf(written, extent, map.resultExtents);
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
