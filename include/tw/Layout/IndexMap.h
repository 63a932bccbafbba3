// Index maps: where each element of a tensor is read from.
//
// A map takes the coordinates of a result element to coordinates of a source. Guards say where it
// does not read the source at all. What an element is, in this order: the fill of the first guard
// that does not hold; else the source element, if the source coordinates are inside the source's
// extents; else the fill `outside`. Permute, reshape, expand, pad, slice, flip, windows and
// diagonals are all such maps, and so is each chain of them: `compose`.
#pragma once

#include "tw/Layout/Expr.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tw::layout {

/// expr >= 0, or expr == 0.
struct Constraint {
  Expr expr;
  bool equality = false;

  bool operator==(const Constraint &) const = default;
};

/// Holds where all constraints do. A fill is a number given by the owner of the values.
struct Guard {
  std::vector<Constraint> constraints;
  int fill = 0;

  bool operator==(const Guard &) const = default;
};

/// An element of the result: a source element, or a fill.
struct Element {
  bool isFill = false;
  int fill = 0;
  std::vector<int64_t> source;

  bool operator==(const Element &) const = default;
};

/// An extent below 0 is not known; `normalize` accepts such maps, the other functions do not.
struct IndexMap {
  std::vector<int64_t> resultExtents;
  std::vector<int64_t> sourceExtents;
  /// One per source dimension, over the result's dims. Meaningless where a guard does not hold.
  std::vector<Expr> exprs;
  std::vector<Guard> guards;
  int outside = 0;

  bool operator==(const IndexMap &) const = default;
  bool isIdentity() const;
  /// The element at coordinates inside of the result.
  Element evaluate(std::span<const int64_t> coordinates) const;
};

enum class Truth { Never, Maybe, Always };

/// What the ranges say of the constraint; if Maybe it is brought to normal form: divided by common
/// factors, without floors where that is possible.
Truth simplify(Constraint &constraint, DimRanges ranges);

/// Simplifies expressions and guards by the extents. Guards that always hold are dropped, those
/// with equal fills that follow one another are merged, constraints that others imply are dropped,
/// a guard that never holds ends the list (the map is then constant), and a last guard that only
/// says what the source's extents say becomes `outside`.
void normalize(IndexMap &map);

/// One map for outer read through inner: the result of inner is the source of outer. Outer's guards
/// come first, then its bounds, then inner's. Normalized.
IndexMap compose(const IndexMap &outer, const IndexMap &inner);

/// The divisions that an expression, or reading an element through a map and its guards, computes.
int64_t countDivisions(const Expr &expr);
int64_t countDivisions(const IndexMap &map);

/// `compose`, but nothing if the map would have more than 48 divisions: chains of reshapes and
/// permutes whose extents do not divide one another grow with each link, and a tensor in memory is
/// then cheaper than its map.
std::optional<IndexMap> collapse(const IndexMap &outer, const IndexMap &inner);

/// The map back, from source coordinates to result coordinates, if the map is a bijection that
/// permutes, splits, merges and flips axes.
std::optional<IndexMap> invert(const IndexMap &map);

// The movement ops as maps. `extents` are those of the source.

IndexMap identity(std::span<const int64_t> extents);
/// Result dimension i is source dimension permutation[i].
IndexMap permute(std::span<const int64_t> extents, std::span<const int64_t> permutation);
/// Row-major; equal numbers of elements.
IndexMap reshape(std::span<const int64_t> extents, std::span<const int64_t> resultExtents);
/// The same of groups of dimensions, each of which is reshaped by itself.
IndexMap reshape(std::span<const std::vector<int64_t>> groups,
                 std::span<const std::vector<int64_t>> resultGroups);
/// Dimensions of extent 1 repeat.
IndexMap expand(std::span<const int64_t> extents, std::span<const int64_t> resultExtents);
/// Low and high are at least 0; their elements are `fill`.
IndexMap pad(std::span<const int64_t> extents, std::span<const int64_t> low,
             std::span<const int64_t> high, int fill);
IndexMap slice(std::span<const int64_t> extents, std::span<const int64_t> offsets,
               std::span<const int64_t> sizes, std::span<const int64_t> strides);
IndexMap flip(std::span<const int64_t> extents, std::span<const int64_t> dims);
/// Every strides[i]-th element.
IndexMap stride(std::span<const int64_t> extents, std::span<const int64_t> strides);
/// The dimension becomes the number of windows, and a last dimension goes through each window.
IndexMap window(std::span<const int64_t> extents, unsigned dim, int64_t size, int64_t stride,
                int64_t dilation);
/// Two dimensions of one extent become one, where the first was; the second goes.
IndexMap diagonal(std::span<const int64_t> extents, unsigned first, unsigned second);

/// "(4*d0 + d1, d2) if d1 - 1 >= 0 else #1 outside #0", for messages.
std::string toString(const IndexMap &map);

} // namespace tw::layout
