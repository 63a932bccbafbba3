// Axes: how reshapes split them, what stride an expression has along them, how wide a vector may
// be.
#pragma once

#include "tw/Layout/Expr.h"

#include <optional>
#include <span>
#include <vector>

namespace tw::layout {

/// Two factorizations of one number of elements as groups of one list of extents.
///
/// {32} and {4, 8} give {4, 8}; {4, 8} and {16, 2} give {4, 4, 2}: axes with these extents address
/// both shapes with no division. Dimension i of the first shape is the product of
/// `extents[first[i]]` up to `extents[first[i + 1]]`; `second` likewise. Where strides do not
/// divide one another (6x4 and 8x3) there is no refinement: the axes there are the dimensions of
/// the first shape, `exact` is false, and entries of `second` strictly between shared boundaries
/// mean nothing.
struct Refinement {
  std::vector<int64_t> extents;
  std::vector<unsigned> first, second;
  bool exact = true;
};

/// The shapes have equal, positive numbers of elements. Axes of extent 1 are left out.
Refinement refine(std::span<const int64_t> first, std::span<const int64_t> second);

/// For each dim the extents, outermost first, into which it must be split so that no expression
/// divides it: {4, 4} for a dim of 16 that occurs as d floordiv 4 and d mod 4. A dim that need not
/// be split has its own extent. Divisions of sums of several dims, and by numbers that do not
/// divide the extent, remain.
std::vector<std::vector<int64_t>> splitsOf(std::span<const Expr> exprs,
                                           std::span<const int64_t> extents);

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> extents);

/// The sum of coordinates times strides.
Expr linearize(std::span<const Expr> coordinates, std::span<const int64_t> strides);

/// By how much the value grows from one value of the dim to the next, if that is one number.
std::optional<int64_t> strideAlong(const Expr &expr, unsigned dim);

/// The widest power of two w, at most `widest` and a divisor of the dim's extent, for which the
/// elements of `address` at w neighbours of the dim, starting at a multiple of w, are neighbours in
/// memory; if `aligned`, also the first of them is at a multiple of w. 1 if there is none.
int64_t vectorWidth(const Expr &address, unsigned dim, int64_t extent, int64_t widest, bool aligned,
                    DimRanges ranges = {});

} // namespace tw::layout
