// Element by element, with the tolerances of ONNX's backend tests and a step of the largest
// element.
#include "Compare.h"

#include "tw/Format/Element.h"
#include "twrt/twrt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace {

/// Of narrow floats at least one step: ONNX's own data of bf16 were cut, not rounded.
constexpr double relativeLimit = 1e-3;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

template <typename T>
std::string compareFloats(const CaseTensor &found, const CaseTensor &expected, double absolute,
                          double step = 0, double relative = relativeLimit) {
  uint64_t different = 0;
  std::string first;
  double largest = 0;
  for (uint64_t i = 0; i < expected.elements(); ++i) {
    T b;
    std::memcpy(&b, expected.data() + i * sizeof(T), sizeof(T));
    if (std::isfinite(b))
      largest = std::max(largest, std::fabs(double(b)));
  }
  double limit = absolute + step * largest;
  for (uint64_t i = 0; i < expected.elements(); ++i) {
    T a, b;
    std::memcpy(&a, found.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&b, expected.data() + i * sizeof(T), sizeof(T));
    // Results that cancel are off by a step of what they are made of.
    bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                (std::isfinite(a) && std::isfinite(b) &&
                 std::fabs(double(a) - double(b)) <= limit + relative * std::fabs(double(b)));
    if (!same && different++ == 0)
      first = "element " + std::to_string(i) + ": expected " + number(b) + ", found " + number(a);
  }
  if (different == 0)
    return "";
  return first + " (" + std::to_string(different) + " of " + std::to_string(expected.elements()) +
         " differ)";
}

std::string compareBytes(const CaseTensor &found, const CaseTensor &expected) {
  size_t width = twrtElementBytes(expected.element);
  for (uint64_t i = 0; i < expected.elements(); ++i) {
    if (std::memcmp(found.data() + i * width, expected.data() + i * width, width) == 0)
      continue;
    int64_t a = 0, b = 0;
    std::memcpy(&a, found.data() + i * width, width);
    std::memcpy(&b, expected.data() + i * width, width);
    return "element " + std::to_string(i) + ": expected " + std::to_string(b) + ", found " +
           std::to_string(a);
  }
  return "";
}

} // namespace

std::string typeName(const CaseTensor &tensor) {
  std::string text;
  for (int64_t dim : tensor.dims)
    text += std::to_string(dim) + "x";
  return text + twrtElementName(tensor.element);
}

std::string compare(const CaseTensor &found, const CaseTensor &stored, double absolute) {
  CaseTensor expected = stored;
  if (found.element == TWRT_BF16 && stored.element == TWRT_U16)
    expected.element = TWRT_BF16;
  if (found.element != expected.element || found.dims != expected.dims)
    return "expected type " + typeName(expected) + ", found " + typeName(found);
  std::string difference;
  bool isFloat = false;
  tw::format::visitElement(tw::format::ElementType(expected.element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    isFloat = !std::is_integral_v<T>;
    if constexpr (std::is_floating_point_v<T>)
      difference =
          compareFloats<T>(found, expected, absolute, double(std::numeric_limits<T>::epsilon()));
    else if constexpr (!std::is_integral_v<T>)
      difference =
          compareFloats<T>(found, expected, absolute, 0, std::max(relativeLimit, T::epsilon()));
  });
  if (isFloat)
    return difference;
  return compareBytes(found, expected);
}
