// Which elements a map writes, and whether two maps write the same one.
//
// A map whose coordinates are sums of dims, or of digits of dims, each of them in one coordinate,
// writes a product of sets of numbers. Two products have no element in common if and only if in
// some coordinate the sets have no number in common. The numbers of a set, of which 1, 3, 5, 7, 17,
// 19, .. are 16*d1 + 2*d0 + 1, are compared as a progression that has them all, 1, 3, 5, .., and
// where they are digits in one radix, 16 here, digit by digit.
#pragma once

#include "tw/Layout/Expr.h"

#include <optional>
#include <span>
#include <vector>

namespace tw::layout {

/// The numbers first + sum of step * k, 0 <= k < count: no two choices of the ks make one number.
struct NumberSet {
  struct Part {
    int64_t step, count;
    bool operator==(const Part &) const = default;
  };

  int64_t first = 0;
  /// With steps above 0, ascending, and counts other than 1. A count of 0 leaves no number.
  std::vector<Part> parts;

  int64_t last() const;
  bool operator==(const NumberSet &) const = default;
};

/// For each coordinate its values, where the dims take all values below the extents. Nothing if two
/// points might have the same coordinates, or a coordinate is not in [0, shape).
std::optional<std::vector<NumberSet>> imageOf(std::span<const Expr> coordinates,
                                              std::span<const int64_t> extents,
                                              std::span<const int64_t> shape);

/// Whether no number is in both; false where that is not found out.
bool areDisjoint(const NumberSet &a, const NumberSet &b);

/// Whether no point is in both products.
bool areDisjoint(std::span<const NumberSet> a, std::span<const NumberSet> b);

} // namespace tw::layout
