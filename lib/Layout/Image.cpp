// Images of index maps as products of sets of numbers.
#include "tw/Layout/Image.h"

#include "Arithmetic.h"
#include "Digits.h"

#include <algorithm>
#include <tuple>

using namespace tw::layout;

/// Numbers and factors up to here are multiplied without leaving 64 bits.
static constexpr int64_t most = int64_t(1) << 31;

int64_t NumberSet::last() const {
  int64_t last = first;
  for (const Part &part : parts)
    last += part.step * (part.count - 1);
  return last;
}

/// Whether no value can leave 64 bits on the way: each is some number of elements of a tensor.
static bool isSmall(const Digits &sum) {
  uint64_t reach = magnitude(sum.constant);
  for (const Digit &digit : sum.digits) {
    if (reach > uint64_t(most) * most / 2 || digit.place > most || digit.radix > most)
      return false;
    reach += digit.place * digit.radix;
  }
  return true;
}

/// The values of a sum of digits, of which no two choices have one sum.
static std::optional<NumberSet> getValues(const Digits &sum) {
  NumberSet values{sum.constant, {}};
  int64_t reach = 0; // the largest sum of the digits so far
  for (const Digit &digit : sum.digits) {
    if (digit.radix == 1)
      continue;
    if (digit.place <= reach)
      return std::nullopt;
    reach += digit.place * (digit.radix - 1);
    values.parts.push_back({digit.place, digit.radix});
  }
  return values;
}

std::optional<std::vector<NumberSet>> tw::layout::imageOf(std::span<const Expr> coordinates,
                                                          std::span<const int64_t> extents,
                                                          std::span<const int64_t> shape) {
  if (std::count(extents.begin(), extents.end(), 0))
    return std::vector<NumberSet>(coordinates.size(), NumberSet{0, {{1, 0}}});
  std::vector<DimDigits> used(extents.size());
  std::vector<NumberSet> image;
  for (size_t i = 0; i < coordinates.size(); ++i) {
    std::optional<Digits> sum = findDigits(coordinates[i], extents);
    std::optional<NumberSet> values = sum && isSmall(*sum) ? getValues(*sum) : std::nullopt;
    if (!values || values->first < 0 || values->last() >= shape[i])
      return std::nullopt;
    for (const Digit &digit : sum->digits)
      used[digit.dim].emplace_back(digit.divisor, digit.radix);
    image.push_back(*values);
  }
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (extents[dim] != 1 && !cover(used[dim], extents[dim]))
      return std::nullopt;
  return image;
}

/// A number x with a * x = 1 modulo `modulus`, which has no divisor in common with a.
static int64_t invertModulo(int64_t a, int64_t modulus) {
  int64_t x = 0, next = 1, rest = modulus, divisor = floorModulo(a, modulus);
  while (divisor != 0) {
    int64_t quotient = rest / divisor;
    std::tie(x, next) = std::pair(next, x - quotient * next);
    std::tie(rest, divisor) = std::pair(divisor, rest - quotient * divisor);
  }
  return floorModulo(x, modulus);
}

/// The step of the shortest progression that has all numbers, 0 for a single one.
static int64_t getStep(const NumberSet &set) {
  int64_t step = 0;
  for (const NumberSet::Part &part : set.parts)
    step = std::gcd(step, part.step);
  return step;
}

/// Whether the progressions from the sets' first to their last numbers have no number in common.
static bool haveDisjointHulls(const NumberSet &a, const NumberSet &b) {
  int64_t first = std::max(a.first, b.first), last = std::min(a.last(), b.last());
  if (first > last)
    return true;
  int64_t step = getStep(a), other = getStep(b), distance = b.first - a.first;
  int64_t divisor = std::gcd(step, other);
  if (divisor == 0) // one number each, and the same
    return false;
  if (distance % divisor != 0)
    return true;
  if (step == 0 || other == 0 || step > most || other > most)
    return false;
  // The first number of a that is in b if both went on for ever, then the first from `first` on.
  int64_t modulus = other / divisor, period = step * modulus;
  int64_t steps =
      floorModulo(distance / divisor, modulus) * invertModulo(step / divisor, modulus) % modulus;
  int64_t common = a.first + step * steps;
  return common + floorDivide(first - common + period - 1, period) * period > last;
}

/// The numbers modulo `radix`, and divided by it, if any of those stands with any of these.
static std::optional<std::pair<NumberSet, NumberSet>> divide(const NumberSet &set, int64_t radix) {
  NumberSet low{floorModulo(set.first, radix), {}}, high{floorDivide(set.first, radix), {}};
  for (const NumberSet::Part &part : set.parts) {
    if (part.step < radix)
      low.parts.push_back(part);
    else if (part.step % radix == 0)
      high.parts.push_back({part.step / radix, part.count});
    else
      return std::nullopt;
  }
  return low.last() < radix ? std::optional(std::pair(low, high)) : std::nullopt;
}

static bool isEmpty(const NumberSet &set) {
  return std::any_of(set.parts.begin(), set.parts.end(),
                     [](const NumberSet::Part &part) { return part.count == 0; });
}

bool tw::layout::areDisjoint(const NumberSet &a, const NumberSet &b) {
  if (isEmpty(a) || isEmpty(b) || haveDisjointHulls(a, b))
    return true;
  for (const NumberSet *set : {&a, &b})
    for (const NumberSet::Part &part : set->parts) {
      if (part.step == 1)
        continue;
      auto left = divide(a, part.step), right = divide(b, part.step);
      if (left && right)
        return areDisjoint(left->first, right->first) || areDisjoint(left->second, right->second);
    }
  return false;
}

bool tw::layout::areDisjoint(std::span<const NumberSet> a, std::span<const NumberSet> b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (areDisjoint(a[i], b[i]))
      return true;
  // Without coordinates there is one point.
  return false;
}
