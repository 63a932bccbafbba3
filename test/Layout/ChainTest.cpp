// Random chains of movement ops: the composed map against moving element by element.
#include "Naive.h"

#include "gtest/gtest.h"

#include <chrono>
#include <numeric>
#include <random>

#ifndef TW_CHAINS
#define TW_CHAINS 100000
#endif

using namespace tw::layout;
using namespace tw::layout::test;

namespace {

/// A movement op: its map, and the tensor after it made without the map.
struct Step {
  IndexMap map;
  Tensor after;
  std::string name;
};

class Generator {
public:
  explicit Generator(uint32_t seed) : random(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }

  Coordinates factorize(int64_t number) {
    Coordinates extents;
    while (extents.size() < 4 && (number > 1 || pick(0, 3) == 0)) {
      int64_t factor = pick(1, number);
      while (number % factor != 0)
        --factor;
      if (extents.size() == 3)
        factor = number;
      extents.push_back(factor);
      number /= factor;
    }
    std::shuffle(extents.begin(), extents.end(), random);
    return extents;
  }

  Step step(const Tensor &before) {
    for (;;) {
      Step result = attempt(before);
      int64_t size = product(result.map.resultExtents);
      if (!result.name.empty() && size > 0 && size <= 160 && result.map.resultExtents.size() <= 5)
        return result;
    }
  }

private:
  Step attempt(const Tensor &x);

  std::mt19937 random;
};

} // namespace

Step Generator::attempt(const Tensor &x) {
  const Coordinates &e = x.extents;
  size_t rank = e.size();
  Coordinates a(rank), b(rank), c(rank);
  switch (pick(0, 8)) {
  case 0: {
    Coordinates p(rank);
    std::iota(p.begin(), p.end(), 0);
    std::shuffle(p.begin(), p.end(), random);
    IndexMap map = permute(e, p);
    return {map,
            generate(map.resultExtents,
                     [&](const Coordinates &i) {
                       for (size_t d = 0; d < rank; ++d)
                         a[p[d]] = i[d];
                       return x.at(a);
                     }),
            "permute"};
  }
  case 1:
  case 2: {
    Coordinates to = factorize(product(e));
    if (product(to) != product(e))
      return {};
    return {reshape(e, to), {to, x.elements}, "reshape"};
  }
  case 3: {
    Coordinates to = e;
    for (int64_t &extent : to)
      if (extent == 1)
        extent = pick(1, 4);
    return {expand(e, to),
            generate(to,
                     [&](const Coordinates &i) {
                       for (size_t d = 0; d < rank; ++d)
                         a[d] = e[d] == 1 ? 0 : i[d];
                       return x.at(a);
                     }),
            "expand"};
  }
  case 4: {
    // Padding may be larger than the tensor.
    for (size_t d = 0; d < rank; ++d) {
      a[d] = pick(0, 1) * pick(0, 4);
      b[d] = pick(0, 1) * pick(0, 4);
    }
    int fill = static_cast<int>(pick(0, 2));
    IndexMap map = pad(e, a, b, fill);
    return {map,
            generate(map.resultExtents,
                     [&](const Coordinates &i) {
                       bool inside = true;
                       for (size_t d = 0; d < rank; ++d) {
                         c[d] = i[d] - a[d];
                         inside &= c[d] >= 0 && c[d] < e[d];
                       }
                       return inside ? x.at(c) : -1 - fill;
                     }),
            "pad"};
  }
  case 5: {
    Coordinates sizes(rank);
    for (size_t d = 0; d < rank; ++d) {
      a[d] = pick(0, e[d] - 1);
      b[d] = pick(1, 3);
      sizes[d] = pick(1, (e[d] - 1 - a[d]) / b[d] + 1);
    }
    return {slice(e, a, sizes, b),
            generate(sizes,
                     [&](const Coordinates &i) {
                       for (size_t d = 0; d < rank; ++d)
                         c[d] = a[d] + i[d] * b[d];
                       return x.at(c);
                     }),
            "slice"};
  }
  case 6: {
    Coordinates dims;
    for (size_t d = 0; d < rank; ++d)
      if (pick(0, 1))
        dims.push_back(d);
    return {flip(e, dims),
            generate(e,
                     [&](const Coordinates &i) {
                       a = i;
                       for (int64_t d : dims)
                         a[d] = e[d] - 1 - i[d];
                       return x.at(a);
                     }),
            "flip"};
  }
  case 7: {
    if (rank == 0)
      return {};
    unsigned dim = pick(0, rank - 1);
    int64_t size = pick(1, 3), step = pick(1, 2), dilation = pick(1, 2);
    IndexMap map = window(e, dim, size, step, dilation);
    return {map,
            generate(map.resultExtents,
                     [&](const Coordinates &i) {
                       a.assign(i.begin(), i.end() - 1);
                       a[dim] = i[dim] * step + i.back() * dilation;
                       return x.at(a);
                     }),
            "window"};
  }
  default: {
    if (rank < 2)
      return {};
    unsigned first = pick(0, rank - 1), second = pick(0, rank - 1);
    if (first == second || e[first] != e[second])
      return {};
    IndexMap map = diagonal(e, first, second);
    return {map,
            generate(map.resultExtents,
                     [&](const Coordinates &i) {
                       for (size_t d = 0, from = 0; d < rank; ++d)
                         if (d != second)
                           a[d] = i[from++];
                       a[second] = a[first];
                       return x.at(a);
                     }),
            "diagonal"};
  }
  }
}

TEST(Chain, ComposedMapsReadWhatMovingElementsGives) {
  constexpr uint32_t seed = 20260101;
  Generator generator(seed);
  auto start = std::chrono::steady_clock::now();
  int64_t withGuards = 0, withFloors = 0, inverted = 0, elements = 0;
  for (int64_t chain = 0; chain < TW_CHAINS; ++chain) {
    Coordinates extents = generator.factorize(generator.pick(1, 48));
    Tensor tensor = Tensor::iota(extents);
    std::vector<IndexMap> maps;
    std::string names;
    for (int64_t length = generator.pick(1, 6); length > 0; --length) {
      Step step = generator.step(tensor);
      ASSERT_EQ(readThrough(step.map).extents, step.after.extents) << step.name;
      maps.push_back(step.map);
      tensor = step.after;
      names += " " + step.name;
    }
    // Composition is associative: half of the chains are composed from the far end.
    IndexMap map = maps[0];
    if (chain % 2 == 0) {
      for (size_t i = 1; i < maps.size(); ++i)
        map = compose(maps[i], map);
    } else {
      map = maps.back();
      for (size_t i = maps.size() - 1; i-- > 0;)
        map = compose(map, maps[i]);
    }
    Tensor read = readThrough(map);
    ASSERT_EQ(read.extents, tensor.extents);
    ASSERT_EQ(read.elements, tensor.elements)
        << "seed " << seed << " chain " << chain << ":" << names << "\n"
        << toString(map);
    IndexMap again = map;
    normalize(again);
    ASSERT_EQ(again, map) << toString(map) << "  ->  " << toString(again);
    if (std::optional<IndexMap> inverse = invert(map)) {
      ++inverted;
      Tensor back = readThrough(*inverse);
      for (size_t i = 0; i < back.elements.size(); ++i)
        ASSERT_EQ(read.elements[back.elements[i]], static_cast<int64_t>(i)) << toString(map);
    }
    withGuards += !map.guards.empty();
    withFloors += toString(map).find("floordiv") != std::string::npos ||
                  toString(map).find("mod") != std::string::npos;
    elements += static_cast<int64_t>(tensor.elements.size());
  }
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  std::cout << "seed " << seed << ": " << TW_CHAINS << " chains, " << elements << " elements, "
            << withGuards << " maps with guards, " << withFloors << " with divisions, " << inverted
            << " inverted, " << milliseconds.count() << " ms\n";
  EXPECT_GT(withGuards, TW_CHAINS / 50);
  EXPECT_GT(inverted, TW_CHAINS / 50);
}
