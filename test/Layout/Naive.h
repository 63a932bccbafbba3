// Tensors of elements moved one by one: what the index maps are compared with.
#pragma once

#include "tw/Layout/IndexMap.h"

#include <functional>
#include <span>
#include <vector>

namespace tw::layout::test {

using Coordinates = std::vector<int64_t>;

/// Each element says which element of the first tensor it is (its row-major number), or, if
/// negative, which fill: -1 - fill.
struct Tensor {
  Coordinates extents;
  std::vector<int64_t> elements;

  static Tensor iota(Coordinates extents);
  int64_t at(const Coordinates &coordinates) const;
};

int64_t product(std::span<const int64_t> extents);
/// All coordinates of the extents, row-major.
void forEach(std::span<const int64_t> extents,
             const std::function<void(const Coordinates &)> &body);

/// A tensor of these extents whose element at c is `source(c)`.
Tensor generate(Coordinates extents, const std::function<int64_t(const Coordinates &)> &source);

/// The tensor that reading iota(map.sourceExtents) through the map gives.
Tensor readThrough(const IndexMap &map);

} // namespace tw::layout::test
