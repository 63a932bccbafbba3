// Tensors on the host: numbers, statistics, comparison.
#include "Tensors.h"
#include "tw/Format/ComplexElements.h"
#include "tw/Format/Element.h"
#include "twrt/twrt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tw::run;

uint32_t Tensor::element() const {
  return uint32_t(tw::format::partOf(tw::format::ElementType(array.element)));
}

size_t Tensor::elementBytes() const { return twrtElementBytes(element()); }

size_t Tensor::count() const {
  size_t bytes = elementBytes();
  return bytes ? array.data.size() / bytes : 0;
}

double Tensor::at(size_t index) const {
  double result = NAN;
  tw::format::visitElement(tw::format::ElementType(element()), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    memcpy(&value, array.data.data() + index * sizeof(T), sizeof(T));
    result = double(value);
  });
  return result;
}

double Tensor::size(size_t index) const {
  return element() == array.element ? at(index) : std::hypot(at(2 * index), at(2 * index + 1));
}

/// Calls `copy` with the first byte of each row in a tensor of `dims` and in one of `storage`.
template <typename Copy>
static void forEachRow(const std::vector<int64_t> &dims, const std::vector<int64_t> &storage,
                       size_t elementBytes, Copy &&copy) {
  size_t rank = dims.size(), rows = 1;
  size_t rowBytes = rank ? size_t(dims[rank - 1]) * elementBytes : elementBytes;
  for (size_t d = 0; d + 1 < rank; ++d)
    rows *= size_t(dims[d]);
  for (size_t row = 0; row < rows; ++row) {
    size_t place = 0, rest = row, scale = rank ? size_t(storage[rank - 1]) * elementBytes : 0;
    for (size_t d = rank - 1; rank && d-- > 0;) {
      place += rest % size_t(dims[d]) * scale;
      rest /= size_t(dims[d]);
      scale *= size_t(storage[d]);
    }
    copy(row * rowBytes, place, rowBytes);
  }
}

std::vector<uint8_t> tw::run::spread(const std::vector<uint8_t> &data,
                                     const std::vector<int64_t> &dims,
                                     const std::vector<int64_t> &storage, size_t elementBytes) {
  size_t bytes = elementBytes;
  for (int64_t dim : storage)
    bytes *= size_t(dim);
  std::vector<uint8_t> all(bytes, 0xff);
  forEachRow(dims, storage, elementBytes, [&](size_t from, size_t to, size_t count) {
    memcpy(all.data() + to, data.data() + from, count);
  });
  return all;
}

std::vector<uint8_t> tw::run::gather(const std::vector<uint8_t> &data,
                                     const std::vector<int64_t> &dims,
                                     const std::vector<int64_t> &storage, size_t elementBytes) {
  size_t bytes = elementBytes;
  for (int64_t dim : dims)
    bytes *= size_t(dim);
  std::vector<uint8_t> part(bytes);
  forEachRow(dims, storage, elementBytes, [&](size_t to, size_t from, size_t count) {
    memcpy(part.data() + to, data.data() + from, count);
  });
  return part;
}

Statistics tw::run::computeStatistics(const Tensor &tensor) {
  Statistics statistics;
  std::vector<double> finite;
  finite.reserve(tensor.count());
  for (size_t i = 0; i < tensor.count(); ++i) {
    double value = tensor.at(i);
    if (std::isnan(value))
      ++statistics.nans;
    else if (std::isinf(value))
      ++statistics.infinities;
    else
      finite.push_back(value);
  }
  if (finite.empty())
    return statistics;
  double sum = 0, squares = 0;
  for (double value : finite)
    sum += value;
  statistics.mean = sum / double(finite.size());
  for (double value : finite)
    squares += (value - statistics.mean) * (value - statistics.mean);
  statistics.deviation = std::sqrt(squares / double(finite.size()));
  auto [least, greatest] = std::minmax_element(finite.begin(), finite.end());
  statistics.min = *least;
  statistics.max = *greatest;
  finite.resize(std::min(finite.size(), kCountedForDistinct));
  std::sort(finite.begin(), finite.end());
  statistics.distinct = size_t(std::unique(finite.begin(), finite.end()) - finite.begin());
  return statistics;
}

std::vector<size_t> tw::run::largest(const Tensor &tensor, size_t count) {
  // Classes may lie in any dimension that is followed by ones only: [1, 1000, 1, 1].
  size_t row = 1;
  for (size_t d = tensor.array.dims.size(); d-- > 0 && row == 1;)
    row = size_t(tensor.array.dims[d]);
  std::vector<size_t> order(
      std::min(row, tensor.count() * tensor.elementBytes() /
                        std::max<size_t>(twrtElementBytes(tensor.array.element), 1)));
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  count = std::min(count, order.size());
  auto key = [&](size_t i) {
    double value = tensor.size(i);
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  };
  std::partial_sort(order.begin(), order.begin() + long(count), order.end(),
                    [&](size_t a, size_t b) {
                      double left = key(a), right = key(b);
                      return left != right ? left > right : a < b;
                    });
  order.resize(count);
  return order;
}

double Comparison::relative() const {
  return maxReference > 0 ? maxError / maxReference : maxError;
}

bool Comparison::holds() const {
  // Both sides of a step are rounded to the type of the numbers.
  constexpr double rounding = 1e-6;
  return relative() <= limit || (step > 0 && maxError <= step + rounding * maxReference);
}

double tw::run::errorLimit(const Options &options, uint32_t element) {
  if (options.maxError >= 0)
    return options.maxError;
  double limit = 0;
  tw::format::visitElement(tw::format::ElementType(element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>)
      limit = 1e-4;
    else if constexpr (!std::is_integral_v<T>)
      limit = T::epsilon(); // one unit in the last place, at worst
  });
  // What fast-math changes of a function and of a sum is a few units in the last place more.
  constexpr double kChanged = 4;
  return options.allows(nullptr) ? kChanged * limit : limit;
}

Comparison tw::run::compare(const Tensor &found, const Tensor &expected, const Options &options) {
  double limit = errorLimit(options, found.element());
  bool noNans = options.allows("nnan"), noInfinities = options.allows("ninf");
  Comparison comparison;
  comparison.limit = limit;
  size_t width = found.elementBytes();
  const auto *info = tw::format::findElement(tw::format::ElementType(expected.array.element));
  bool isInteger = info && (info->kind == tw::format::ElementKind::Signed ||
                            info->kind == tw::format::ElementKind::Unsigned);
  for (size_t i = 0; i < expected.count(); ++i) {
    double want = expected.at(i), have = found.at(i);
    // A program that promises to make none may make anything in their place.
    if ((noNans && std::isnan(want)) || (noInfinities && std::isinf(want)))
      continue;
    if (std::isfinite(want))
      comparison.maxReference = std::max(comparison.maxReference, std::fabs(want));
    if (memcmp(found.array.data.data() + i * width, expected.array.data.data() + i * width,
               width) == 0 ||
        (!isInteger && want == have) || (std::isnan(want) && std::isnan(have)))
      continue;
    // f64 does not tell all integers of 64 bits apart.
    double error = std::max(std::fabs(have - want), isInteger ? 1.0 : 0.0);
    if (std::isnan(error))
      error = std::numeric_limits<double>::infinity();
    if (error > comparison.maxError) {
      comparison.maxError = error;
      comparison.worst = i;
      comparison.expected = want;
      comparison.found = have;
    }
  }
  return comparison;
}
