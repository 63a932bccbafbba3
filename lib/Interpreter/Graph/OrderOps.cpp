// arg_sort and random, written on their own.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "Graph.h"

#include <numeric>

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

namespace {

/// NaN is greater than all numbers, and as great as itself.
template <typename T> bool isBelow(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a || b != b)
      return a == a;
  return a < b;
}

template <typename T> Tensor argSort(ArgSortOp op, const Tensor &x) {
  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<int64_t> shape = x.getShape();
  int64_t dim = op.getDim(), count = shape[dim], inner = 1;
  int64_t first = result.getShape()[size_t(dim)];
  for (int64_t size : shape.drop_front(dim + 1))
    inner *= size;
  int64_t outer = 1;
  for (int64_t size : shape.take_front(dim))
    outer *= size;
  ArrayRef<T> in = x.elements<T>();
  auto out = result.elements<int64_t>();
  // Where fewer are there than are asked for, the places behind them follow.
  std::vector<int64_t> places(static_cast<size_t>(std::max(count, first)));
  for (int64_t row = 0; row < outer * inner; ++row) {
    auto at = [&](int64_t i) { return in[(row / inner * count + i) * inner + row % inner]; };
    std::iota(places.begin(), places.end(), 0);
    llvm::sort(MutableArrayRef(places).take_front(size_t(count)), [&](int64_t a, int64_t b) {
      bool isBefore = isBelow<T>(at(a), at(b)), isAfter = isBelow<T>(at(b), at(a));
      return isBefore == isAfter ? a < b : isBefore != op.getDescending();
    });
    for (int64_t i = 0; i < first; ++i)
      out[(row / inner * first + i) * inner + row % inner] = places[size_t(i)];
  }
  return result;
}

using Words = std::array<uint32_t, 4>;

/// Philox 4x32-10, as its paper gives it.
Words philox(Words x, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p = uint64_t(0xD2511F53) * x[0], q = uint64_t(0xCD9E8D57) * x[2];
    x = {uint32_t(q >> 32) ^ x[1] ^ key[0], uint32_t(q), uint32_t(p >> 32) ^ x[3] ^ key[1],
         uint32_t(p)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return x;
}

double toUniform(const Words &words, int64_t i, bool isDouble) {
  if (!isDouble)
    return std::ldexp(double(words[size_t(i)] >> 8), -24);
  uint64_t bits = uint64_t(words[size_t(2 * i + 1)]) << 32 | words[size_t(2 * i)];
  return std::ldexp(double(bits >> 11), -53);
}

template <typename T> Tensor random(RandomOp op, uint64_t key, uint64_t counter) {
  Tensor result = Tensor::allocate(resultType(op));
  auto out = result.elements<T>();
  constexpr bool isDouble = std::is_same_v<T, double>;
  int64_t each = isDouble ? 2 : 4;
  for (int64_t i = 0; i < int64_t(out.size()); ++i) {
    uint64_t at = counter + uint64_t(i / each);
    Words words =
        philox({uint32_t(at), uint32_t(at >> 32), 0, 0}, {uint32_t(key), uint32_t(key >> 32)});
    if (op.getKind() == RandomKind::Bits) {
      out[size_t(i)] = T(words[size_t(i % 4)]);
      continue;
    }
    int64_t place = i % each;
    double value = toUniform(words, place, isDouble);
    if (op.getKind() == RandomKind::Normal) {
      double u = toUniform(words, place / 2 * 2, isDouble);
      double v = toUniform(words, place / 2 * 2 + 1, isDouble);
      double radius = std::sqrt(-2 * std::log(1 - u)), angle = 2 * M_PI * v;
      value = radius * (place % 2 ? std::sin(angle) : std::cos(angle));
    }
    out[size_t(i)] = T(value);
  }
  return result;
}

} // namespace

Tensor tw::interp::evaluateOrder(Operation *op, ArrayRef<Tensor> x) {
  if (auto sort = dyn_cast<ArgSortOp>(op))
    return visitElementType(x[0].getElementType(), [&](auto tag) {
      return argSort<typename decltype(tag)::type>(sort, x[0]);
    });
  auto numbers = dyn_cast<RandomOp>(op);
  if (!numbers)
    return Tensor();
  uint64_t key = x[0].elements<uint64_t>()[0], counter = x[1].elements<uint64_t>()[0];
  Type type = resultType(op).getElementType();
  if (numbers.getKind() == RandomKind::Bits)
    return random<uint32_t>(numbers, key, counter);
  return type.isF64() ? random<double>(numbers, key, counter)
                      : random<float>(numbers, key, counter);
}
