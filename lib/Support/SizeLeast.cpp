// The least of two sizes, and what sizes are between.
#include "SizeNames.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;

/// A size over a number that all of it is a multiple of.
static Dim divideAll(const Dim &dim, int64_t divisor) {
  Dim quotient(dim.getConstant() / divisor);
  for (auto [name, factor] : dim.getTerms())
    quotient = quotient + Dim::symbol(name, factor / divisor);
  return quotient;
}

Dim tw::takeLeast(const Dim &a, const Dim &b) {
  Dim apart = a - b;
  if (apart.isStatic())
    return apart.getConstant() < 0 ? a : b;
  // Both without what they have in common, so that neither has a negative part.
  Dim left(std::max<int64_t>(apart.getConstant(), 0));
  int64_t common = std::abs(apart.getConstant());
  bool isFraction = false;
  for (auto [name, factor] : apart.getTerms()) {
    common = std::gcd(common, factor);
    isFraction |= name.getValue().contains(overSign);
    if (factor > 0)
      left = left + Dim::symbol(name, factor);
  }
  Dim right = left - apart;
  common = isFraction ? 1 : common;
  std::string first = toString(divideAll(left, common)),
              second = toString(divideAll(right, common));
  if (left.isStatic() || (!right.isStatic() && second < first))
    std::swap(first, second);
  MLIRContext *context = apart.getTerms().front().first.getContext();
  std::string text = "(" + first + leastSign.str() + second + ")";
  return b - right + Dim::symbol(StringAttr::get(context, text), common);
}

Dim tw::takeMost(const Dim &a, const Dim &b) { return a + b - takeLeast(a, b); }

using RangeOf = llvm::function_ref<SizeBounds(StringAttr)>;

/// What the intervals' products are between.
static SizeBounds multiplyBounds(std::pair<int64_t, int64_t> a, std::pair<int64_t, int64_t> b) {
  std::pair<int64_t, int64_t> found = {INT64_MAX, INT64_MIN};
  for (int64_t x : {a.first, a.second})
    for (int64_t y : {b.first, b.second}) {
      int64_t product;
      if (llvm::MulOverflow(x, y, product))
        return std::nullopt;
      found = {std::min(found.first, product), std::max(found.second, product)};
    }
  return found;
}

/// A sum of products of different symbols is most and least at ends of their ranges.
static SizeBounds getBoundsAtEnds(const Dim &dim, RangeOf rangeOf) {
  SmallVector<StringAttr> own;
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  constexpr size_t kMostSymbols = 10;
  for (auto [name, factor] : dim.getTerms()) {
    SmallVector<StringAttr, 2> factors = getFactors(name);
    for (auto [i, each] : llvm::enumerate(factors)) {
      SizeBounds range = rangeOf(each);
      if (!range || llvm::is_contained(ArrayRef(factors).drop_front(i + 1), each))
        return std::nullopt;
      if (llvm::is_contained(own, each))
        continue;
      own.push_back(each);
      ranges.push_back(*range);
      if (own.size() > kMostSymbols)
        return std::nullopt;
    }
  }
  SizeBounds found;
  for (unsigned ends = 0; ends < 1u << own.size(); ++ends) {
    std::optional<int64_t> value = dim.evaluate([&](StringAttr name) -> std::optional<int64_t> {
      size_t place = size_t(llvm::find(own, name) - own.begin());
      if (place == own.size())
        return std::nullopt;
      return ends >> place & 1 ? ranges[place].second : ranges[place].first;
    });
    if (!value)
      return std::nullopt;
    found = found ? std::pair(std::min(found->first, *value), std::max(found->second, *value))
                  : std::pair(*value, *value);
  }
  return found;
}

static SizeBounds getBounds(const Dim &dim, RangeOf rangeOf, unsigned depth);

/// Of a symbol, which may be a product, a quotient or the least of two.
static SizeBounds getEnds(StringAttr name, RangeOf rangeOf, unsigned depth) {
  if (SizeBounds range = rangeOf(name))
    return range;
  if (std::optional<SizeQuotient> quotient = getQuotient(name)) {
    SizeBounds all = getBounds(quotient->numerator, rangeOf, depth);
    if (!all)
      return std::nullopt;
    return std::pair(llvm::divideFloorSigned(all->first, quotient->divisor),
                     llvm::divideFloorSigned(all->second, quotient->divisor));
  }
  if (std::optional<SizeLeast> least = getLeast(name)) {
    SizeBounds a = getBounds(least->first, rangeOf, depth),
               b = getBounds(least->second, rangeOf, depth);
    if (!a || !b)
      return std::nullopt;
    return std::pair(std::min(a->first, b->first), std::min(a->second, b->second));
  }
  SmallVector<StringAttr, 2> factors = getFactors(name);
  if (factors.size() == 1)
    return std::nullopt;
  SizeBounds all = std::pair<int64_t, int64_t>(1, 1);
  for (StringAttr factor : factors) {
    SizeBounds own = all ? getEnds(factor, rangeOf, depth) : std::nullopt;
    all = own ? multiplyBounds(*all, *own) : std::nullopt;
  }
  return all;
}

/// Both hold.
static void narrow(SizeBounds &all, std::pair<int64_t, int64_t> other) {
  all = all ? std::pair(std::max(all->first, other.first), std::min(all->second, other.second))
            : other;
}

/// What follows where one term is looked into, beside the others: the least of two is one of both
/// and not above either; a quotient is what it divides, up to a rest.
static void lookInto(const Dim &dim, const Dim::Term &term, RangeOf rangeOf, unsigned depth,
                     SizeBounds &all) {
  auto [name, factor] = term;
  Dim rest = dim - Dim::symbol(name, factor);
  if (std::optional<SizeLeast> least = getLeast(name)) {
    SizeBounds a = getBounds(rest + least->first * factor, rangeOf, depth),
               b = getBounds(rest + least->second * factor, rangeOf, depth);
    if (!a || !b)
      return;
    if (factor > 0)
      narrow(all, {std::min(a->first, b->first), std::min(a->second, b->second)});
    else
      narrow(all, {std::max(a->first, b->first), std::max(a->second, b->second)});
    return;
  }
  std::optional<SizeQuotient> quotient = getQuotient(name);
  if (!quotient || quotient->isExact)
    return;
  int64_t by = quotient->divisor, off;
  SizeBounds whole = getBounds(rest * by + quotient->numerator * factor, rangeOf, depth);
  if (!whole || llvm::MulOverflow(factor, by - 1, off) ||
      llvm::SubOverflow(whole->first, std::max<int64_t>(off, 0), whole->first) ||
      llvm::SubOverflow(whole->second, std::min<int64_t>(off, 0), whole->second))
    return;
  narrow(all,
         {llvm::divideCeilSigned(whole->first, by), llvm::divideFloorSigned(whole->second, by)});
}

/// The same where all terms have a factor: n * n - 5 * (n floordiv 5) * n is n times what is left
/// of it.
static void lookIntoFactors(const Dim &dim, RangeOf rangeOf, unsigned depth, SizeBounds &all) {
  ArrayRef<Dim::Term> terms = dim.getTerms();
  if (dim.getConstant() != 0 || terms.size() < 2)
    return;
  for (StringAttr common : getFactors(terms.front().first)) {
    Dim rest(0);
    bool isCommon = true;
    for (auto [name, factor] : terms) {
      SmallVector<StringAttr, 2> factors = getFactors(name);
      auto *own = llvm::find(factors, common);
      isCommon &= own != factors.end();
      if (!isCommon)
        break;
      factors.erase(own);
      Dim product(factor);
      for (StringAttr each : factors)
        product = multiply(product, Dim::symbol(each));
      rest = rest + product;
    }
    SizeBounds own = isCommon ? getEnds(common, rangeOf, depth) : std::nullopt,
               other = own ? getBounds(rest, rangeOf, depth) : std::nullopt;
    if (SizeBounds product = other ? multiplyBounds(*own, *other) : std::nullopt)
      narrow(all, *product);
  }
}

static SizeBounds getBounds(const Dim &dim, RangeOf rangeOf, unsigned depth) {
  if (SizeBounds found = getBoundsAtEnds(dim, rangeOf))
    return found;
  SizeBounds all = std::pair(dim.getConstant(), dim.getConstant());
  for (auto [name, factor] : dim.getTerms()) {
    SizeBounds own = getEnds(name, rangeOf, depth);
    own = own ? multiplyBounds(*own, {factor, factor}) : own;
    if (!own || !all || llvm::AddOverflow(all->first, own->first, all->first) ||
        llvm::AddOverflow(all->second, own->second, all->second))
      all = std::nullopt;
  }
  if (depth != 0)
    for (const Dim::Term &term : dim.getTerms())
      if (!rangeOf(term.first))
        lookInto(dim, term, rangeOf, depth - 1, all);
  if (depth != 0)
    lookIntoFactors(dim, rangeOf, depth - 1, all);
  return all;
}

SizeBounds tw::getBounds(const Dim &dim, RangeOf rangeOf) {
  // So many symbols are looked into.
  constexpr unsigned kDeepest = 4;
  return ::getBounds(dim, rangeOf, kDeepest);
}
