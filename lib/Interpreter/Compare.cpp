// Comparison of tensors element by element, in f64.
//===---------------------------------------------------------------------------------------===//
#include "tw/Interpreter/Compare.h"

#include "TypeSwitch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace tw::interp;

static SmallVector<int64_t> coordinatesOf(int64_t linear, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> coordinates(shape.size());
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    coordinates[d] = linear % shape[d];
    linear /= shape[d];
  }
  return coordinates;
}

/// Between elements that differ: of integers at least 1, where f64 does not tell them apart.
template <typename T> static double getDifference(double x, double y) {
  return std::max(std::fabs(x - y), std::is_integral_v<T> ? 1.0 : 0.0);
}

template <typename T> static Comparison compareAs(const Tensor &got, const Tensor &reference) {
  Comparison result;
  result.elements = reference.getNumElements();
  int64_t first = -1, worst = -1;
  ArrayRef<T> a = got.elements<T>(), b = reference.elements<T>();
  for (int64_t i = 0; i < result.elements; ++i) {
    double x = double(a[i]), y = double(b[i]);
    if (std::isfinite(y))
      result.maxAbsoluteReference = std::max(result.maxAbsoluteReference, std::fabs(y));
    if (a[i] == b[i] || (std::isnan(x) && std::isnan(y)))
      continue;
    ++result.differing;
    if (first < 0) {
      first = i;
      result.firstGot = x;
      result.firstReference = y;
    }
    if (std::isnan(x) || std::isnan(y)) {
      ++result.nanMismatches;
    } else if (std::isinf(x) || std::isinf(y)) {
      ++result.infMismatches;
    } else if (double error = getDifference<T>(x, y);
               error > result.maxAbsoluteError || worst < 0) {
      result.maxAbsoluteError = error;
      worst = i;
    }
  }
  if (first >= 0)
    result.firstDiffering = coordinatesOf(first, reference.getShape());
  if (worst >= 0)
    result.worst = coordinatesOf(worst, reference.getShape());
  return result;
}

Comparison tw::interp::compare(const Tensor &got, const Tensor &reference) {
  assert(got.getShape() == reference.getShape() &&
         got.getElementType() == reference.getElementType());
  return visitStoredType(reference.getElementType(), [&](auto tag) {
    return compareAs<typename decltype(tag)::type>(got, reference);
  });
}

void Comparison::print(llvm::raw_ostream &os) const {
  auto index = [](ArrayRef<int64_t> coordinates) {
    return "[" +
           llvm::join(llvm::map_range(coordinates, [](int64_t c) { return std::to_string(c); }),
                      ", ") +
           "]";
  };
  os << "max error " << llvm::format("%.3g", maxAbsoluteError) << " of "
     << llvm::format("%.3g", maxAbsoluteReference) << " (relative "
     << llvm::format("%.3g", relativeError()) << "), " << differing << " of " << elements
     << " differ";
  if (nanMismatches || infMismatches)
    os << ", NaN mismatches " << nanMismatches << ", infinity mismatches " << infMismatches;
  if (!worst.empty())
    os << ", worst at " << index(worst);
  if (differing)
    os << ", first at " << index(firstDiffering) << ": " << llvm::format("%.9g", firstGot)
       << " against " << llvm::format("%.9g", firstReference);
}
