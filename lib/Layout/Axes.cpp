// Axes: refinement of shapes, splits, strides, vector widths.
#include "tw/Layout/Axes.h"

#include "Arithmetic.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tw::layout;

//===-- Refinement --------------------------------------------------------===//

/// Products of the inner dimensions, from the whole number of elements down to 1.
static std::vector<int64_t> suffixProducts(std::span<const int64_t> extents) {
  std::vector<int64_t> products(extents.size() + 1, 1);
  for (size_t i = extents.size(); i-- > 0;)
    products[i] = products[i + 1] * extents[i];
  return products;
}

Refinement tw::layout::refine(std::span<const int64_t> first, std::span<const int64_t> second) {
  std::vector<int64_t> a = suffixProducts(first), b = suffixProducts(second);
  Refinement result;
  // The boundaries of the axes, as products of what is inside of them, from the outermost.
  std::set<int64_t, std::greater<>> boundaries(a.begin(), a.end()), shared;
  for (int64_t product : b)
    if (boundaries.count(product))
      shared.insert(product);
  boundaries.insert(b.begin(), b.end());
  // Between two shared boundaries either all boundaries divide their outer neighbours or those of
  // the first shape are taken.
  std::vector<int64_t> taken = {a[0]};
  for (auto outer = shared.begin(); std::next(outer) != shared.end(); ++outer) {
    auto begin = boundaries.find(*outer), end = std::next(boundaries.find(*std::next(outer)));
    bool divides = true;
    for (auto it = begin; std::next(it) != end; ++it)
      divides &= *it % *std::next(it) == 0;
    for (auto it = std::next(begin); it != end; ++it)
      if (divides || std::find(a.begin(), a.end(), *it) != a.end())
        taken.push_back(*it);
    result.exact &= divides;
  }
  for (size_t i = 0; i + 1 < taken.size(); ++i)
    result.extents.push_back(taken[i] / taken[i + 1]);
  // The first axis that lies inside of the boundary.
  auto axisOf = [&](int64_t product) {
    return static_cast<unsigned>(
        std::find_if(taken.begin(), taken.end(), [&](int64_t t) { return t <= product; }) -
        taken.begin());
  };
  for (int64_t product : a)
    result.first.push_back(axisOf(product));
  for (int64_t product : b)
    result.second.push_back(axisOf(product));
  return result;
}

//===-- Splits ------------------------------------------------------------===//

/// Collects the divisors of floors of a single dim.
static void collectDivisors(const Expr &expr, std::map<unsigned, std::set<int64_t>> &divisors) {
  for (const Term &term : expr.getTerms()) {
    if (term.atom.isDim())
      continue;
    const Expr &numerator = *term.atom.numerator;
    if (numerator.getTerms().size() == 1 && numerator.getTerms()[0].atom.isDim() &&
        numerator.isDim(numerator.getTerms()[0].atom.dim))
      divisors[numerator.getTerms()[0].atom.dim].insert(term.atom.divisor);
    else
      collectDivisors(numerator, divisors);
  }
}

std::vector<std::vector<int64_t>> tw::layout::splitsOf(std::span<const Expr> exprs,
                                                       std::span<const int64_t> extents) {
  std::map<unsigned, std::set<int64_t>> divisors;
  for (const Expr &expr : exprs)
    collectDivisors(expr, divisors);
  std::vector<std::vector<int64_t>> result;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    std::vector<int64_t> split;
    int64_t inner = 1;
    for (int64_t divisor : divisors[dim])
      if (divisor > inner && divisor < extents[dim] && divisor % inner == 0 &&
          extents[dim] % divisor == 0) {
        split.insert(split.begin(), divisor / inner);
        inner = divisor;
      }
    split.insert(split.begin(), extents[dim] / inner);
    result.push_back(std::move(split));
  }
  return result;
}

//===-- Strides -----------------------------------------------------------===//

std::vector<int64_t> tw::layout::rowMajorStrides(std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t i = extents.size(); i-- > 1;)
    strides[i - 1] = strides[i] * extents[i];
  return strides;
}

Expr tw::layout::linearize(std::span<const Expr> coordinates, std::span<const int64_t> strides) {
  Expr sum;
  for (size_t i = 0; i < coordinates.size(); ++i)
    sum = sum + coordinates[i] * strides[i];
  return sum;
}

std::optional<int64_t> tw::layout::strideAlong(const Expr &expr, unsigned dim) {
  int64_t stride = 0;
  for (const Term &term : expr.getTerms()) {
    if (!term.atom.isDim() && term.atom.numerator->uses(dim))
      return std::nullopt;
    if (term.atom.isDim() && term.atom.dim == dim)
      stride = term.coefficient;
  }
  return stride;
}

int64_t tw::layout::vectorWidth(const Expr &address, unsigned dim, int64_t extent, int64_t widest,
                                bool aligned, DimRanges ranges) {
  int64_t width = 1;
  while (width <= widest / 2 && extent % (width * 2) == 0)
    width *= 2;
  Pieces parts = pieces(address, ranges);
  if (aligned)
    width = commonDivisor(parts.constant, width);
  int64_t stride = 0;
  for (const Piece &piece : parts.summands) {
    bool ofDim = piece.operand.isDim(dim);
    if (!ofDim && piece.operand.uses(dim))
      return 1;
    if (ofDim && piece.kind != Piece::Floor)
      stride += piece.coefficient;
    // A quotient or remainder of the dim itself must not change its course inside of a vector.
    if (ofDim && piece.kind != Piece::Dim)
      width = commonDivisor(piece.divisor, width);
    if (aligned && (!ofDim || piece.kind == Piece::Floor))
      width = commonDivisor(piece.coefficient, width);
  }
  return stride == 1 ? width : 1;
}
