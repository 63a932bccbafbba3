// Sums as digits of dims: (d0 floordiv 4), (d1 mod 8), d2, each with the weight that it has.
#pragma once

#include "tw/Layout/Expr.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tw::layout {

/// (dim floordiv divisor) mod radix, counted downwards if flipped; `place` is its weight in the
/// number.
struct Digit {
  unsigned dim;
  int64_t divisor;
  int64_t radix;
  int64_t place;
  bool flipped;
};

/// A constant and digits, those of the least weight first.
struct Digits {
  int64_t constant = 0;
  std::vector<Digit> digits;
};

/// The digits of a sum of dims with these extents; nothing if it is no sum of digits.
std::optional<Digits> findDigits(const Expr &sum, std::span<const int64_t> extents);

/// The divisors and radices of the digits of one dim.
using DimDigits = std::vector<std::pair<int64_t, int64_t>>;

/// True when the digits of a dim say its value exactly once.
bool cover(DimDigits digits, int64_t extent);

} // namespace tw::layout
