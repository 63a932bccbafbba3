// Tensors of elements moved one by one.
#include "Naive.h"

#include <numeric>

using namespace tw::layout;
using namespace tw::layout::test;

int64_t tw::layout::test::product(std::span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

void tw::layout::test::forEach(std::span<const int64_t> extents,
                               const std::function<void(const Coordinates &)> &body) {
  Coordinates coordinates(extents.size(), 0);
  for (int64_t left = product(extents); left > 0; --left) {
    body(coordinates);
    for (size_t i = extents.size(); i-- > 0;) {
      if (++coordinates[i] < extents[i])
        break;
      coordinates[i] = 0;
    }
  }
}

static int64_t number(const Coordinates &coordinates, const Coordinates &extents) {
  int64_t result = 0;
  for (size_t i = 0; i < extents.size(); ++i)
    result = result * extents[i] + coordinates[i];
  return result;
}

Tensor Tensor::iota(Coordinates extents) {
  Tensor tensor{extents, std::vector<int64_t>(product(extents))};
  std::iota(tensor.elements.begin(), tensor.elements.end(), 0);
  return tensor;
}

int64_t Tensor::at(const Coordinates &coordinates) const {
  return elements[number(coordinates, extents)];
}

Tensor tw::layout::test::generate(Coordinates extents,
                                  const std::function<int64_t(const Coordinates &)> &source) {
  Tensor tensor{extents, {}};
  forEach(extents, [&](const Coordinates &c) { tensor.elements.push_back(source(c)); });
  return tensor;
}

Tensor tw::layout::test::readThrough(const IndexMap &map) {
  return generate(map.resultExtents, [&](const Coordinates &c) {
    Element element = map.evaluate(c);
    return element.isFill ? -1 - element.fill : number(element.source, map.sourceExtents);
  });
}
