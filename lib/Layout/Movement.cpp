// The movement ops as index maps.
#include "tw/Layout/IndexMap.h"

#include <cassert>

using namespace tw::layout;

using Extents = std::span<const int64_t>;

/// A map with no expressions yet.
static IndexMap between(Extents source, Extents result) {
  IndexMap map;
  map.sourceExtents.assign(source.begin(), source.end());
  map.resultExtents.assign(result.begin(), result.end());
  return map;
}

IndexMap tw::layout::identity(Extents extents) {
  IndexMap map = between(extents, extents);
  for (size_t i = 0; i < extents.size(); ++i)
    map.exprs.push_back(Expr::dim(i));
  normalize(map);
  return map;
}

IndexMap tw::layout::permute(Extents extents, Extents permutation) {
  IndexMap map = between(extents, {});
  map.exprs.resize(extents.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    map.resultExtents.push_back(extents[permutation[i]]);
    map.exprs[permutation[i]] = Expr::dim(i);
  }
  normalize(map);
  return map;
}

IndexMap tw::layout::reshape(Extents extents, Extents resultExtents) {
  IndexMap map = between(extents, resultExtents);
  std::vector<Range> ranges = rangesOfExtents(resultExtents);
  Expr linear;
  for (size_t i = 0; i < resultExtents.size(); ++i)
    linear = linear * resultExtents[i] + Expr::dim(i);
  map.exprs.resize(extents.size());
  int64_t inner = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] <= 0)
      continue;
    Expr digit = floorDiv(linear, inner, ranges);
    map.exprs[i] = mod(digit, extents[i], ranges);
    inner *= extents[i];
  }
  normalize(map);
  return map;
}

IndexMap tw::layout::reshape(std::span<const std::vector<int64_t>> groups,
                             std::span<const std::vector<int64_t>> resultGroups) {
  assert(groups.size() == resultGroups.size() && "one group becomes one");
  IndexMap map;
  for (size_t i = 0; i < groups.size(); ++i) {
    IndexMap own = reshape(Extents(groups[i]), Extents(resultGroups[i]));
    std::vector<Expr> dims;
    for (size_t d = 0; d < resultGroups[i].size(); ++d)
      dims.push_back(Expr::dim(map.resultExtents.size() + d));
    map.sourceExtents.insert(map.sourceExtents.end(), groups[i].begin(), groups[i].end());
    map.resultExtents.insert(map.resultExtents.end(), resultGroups[i].begin(),
                             resultGroups[i].end());
    for (const Expr &expr : own.exprs)
      map.exprs.push_back(substitute(expr, dims));
  }
  normalize(map);
  return map;
}

IndexMap tw::layout::expand(Extents extents, Extents resultExtents) {
  IndexMap map = between(extents, resultExtents);
  for (size_t i = 0; i < extents.size(); ++i) {
    assert((extents[i] == 1 || extents[i] == resultExtents[i]) && "only extent 1 expands");
    map.exprs.push_back(extents[i] == 1 ? Expr() : Expr::dim(i));
  }
  normalize(map);
  return map;
}

IndexMap tw::layout::pad(Extents extents, Extents low, Extents high, int fill) {
  IndexMap map = between(extents, {});
  map.outside = fill;
  for (size_t i = 0; i < extents.size(); ++i) {
    assert(low[i] >= 0 && high[i] >= 0 && "padding is not negative");
    map.resultExtents.push_back(low[i] + extents[i] + high[i]);
    map.exprs.push_back(Expr::dim(i) - low[i]);
  }
  normalize(map);
  return map;
}

IndexMap tw::layout::slice(Extents extents, Extents offsets, Extents sizes, Extents strides) {
  IndexMap map = between(extents, sizes);
  for (size_t i = 0; i < extents.size(); ++i)
    map.exprs.push_back(Expr::dim(i) * strides[i] + offsets[i]);
  normalize(map);
  return map;
}

IndexMap tw::layout::flip(Extents extents, Extents dims) {
  IndexMap map = identity(extents);
  for (int64_t dim : dims)
    map.exprs[dim] = -Expr::dim(dim) + (extents[dim] - 1);
  normalize(map);
  return map;
}

IndexMap tw::layout::stride(Extents extents, Extents strides) {
  std::vector<int64_t> offsets(extents.size(), 0), sizes;
  for (size_t i = 0; i < extents.size(); ++i)
    sizes.push_back((extents[i] + strides[i] - 1) / strides[i]);
  return slice(extents, offsets, sizes, strides);
}

IndexMap tw::layout::window(Extents extents, unsigned dim, int64_t size, int64_t stride,
                            int64_t dilation) {
  IndexMap map = identity(extents);
  int64_t span = (size - 1) * dilation + 1;
  map.resultExtents[dim] = extents[dim] < span ? 0 : (extents[dim] - span) / stride + 1;
  map.resultExtents.push_back(size);
  map.exprs[dim] = Expr::dim(dim) * stride + Expr::dim(extents.size()) * dilation;
  normalize(map);
  return map;
}

IndexMap tw::layout::diagonal(Extents extents, unsigned first, unsigned second) {
  assert(first != second && extents[first] == extents[second] && "two dims of one extent");
  IndexMap map = between(extents, {});
  for (size_t i = 0; i < extents.size(); ++i) {
    if (i == second) {
      map.exprs.emplace_back();
      continue;
    }
    map.exprs.push_back(Expr::dim(map.resultExtents.size()));
    map.resultExtents.push_back(extents[i]);
  }
  map.exprs[second] = map.exprs[first];
  normalize(map);
  return map;
}
