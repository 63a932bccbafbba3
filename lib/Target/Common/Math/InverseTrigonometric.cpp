// asin, acos, atan.
//
// Method: an odd polynomial on |x| <= 1/2 (asin, acos) or |x| <= tan(pi/8) (atan); elsewhere
// asin x = pi/2 - 2 asin sqrt((1-x)/2), atan x = pi/4 + atan((x-1)/(x+1)) or pi/2 - atan(1/x),
// with pi/2 and the square root in two parts.
#include "Coefficients.h"
#include "Functions.h"

#include <limits>

using namespace tw::math;

namespace {

/// What asin(sqrt(z)) has beyond its leading term: with root = sqrt(z) = s + c,
/// asin(root) = s + rest.
struct Root {
  Float s, rest;
};

Root asinOfRoot(Float z) {
  Float s = sqrt(z);
  Float c = select(z > 0.0, fma(-s, s, z) / (s + s), 0.0);
  return {s, fma(s * z, polynomial(z, asinF64), c)};
}

} // namespace

Float tw::math::asin(Float x) {
  Float a = abs(x);
  Float square = a * a;
  Float near = fma(a * square, polynomial(square, asinF64), a);
  Root root = asinOfRoot((1.0 - a) * 0.5);
  Double difference = fastTwoSum(same(x, halfPiSplit[0]), root.s * -2.0);
  Float far = difference.high + fma(root.rest, -2.0, difference.low + halfPiSplit[1]);
  Float result = copySign(select(a <= 0.5, near, far), x);
  return select(a <= 1.0, result, std::numeric_limits<double>::quiet_NaN());
}

Float tw::math::acos(Float x) {
  Float a = abs(x);
  Float square = x * x;
  Float cubic = x * square * polynomial(square, asinF64);
  Double near = fastTwoSum(same(x, halfPiSplit[0]), -x);
  Float middle = near.high + (near.low + (halfPiSplit[1] - cubic));
  Root root = asinOfRoot((1.0 - a) * 0.5);
  Float right = (root.s + root.rest) * 2.0;
  Double difference = fastTwoSum(same(x, halfPiSplit[0]), -root.s);
  Float left = (difference.high + (difference.low + (halfPiSplit[1] - root.rest))) * 2.0;
  Float result = select(a <= 0.5, middle, select(x > 0.0, right, left));
  return select(a <= 1.0, result, std::numeric_limits<double>::quiet_NaN());
}

Float tw::math::atan(Float x) {
  constexpr double tanPiOver8 = 0x1.a827999fcef32p-2, tan3PiOver8 = 0x1.3504f333f9de6p+1;
  Float a = abs(x);
  Bool high = a > tan3PiOver8, middle = a > tanPiOver8;
  Float numerator = select(high, -1.0, select(middle, a - 1.0, a));
  Float denominator = select(high, a, select(middle, a + 1.0, 1.0));
  Float z = numerator / denominator;
  Float square = z * z;
  Float baseHigh = select(high, halfPiSplit[0], select(middle, same(x, quarterPiSplit[0]), 0.0));
  Float baseLow = select(high, halfPiSplit[1], select(middle, same(x, quarterPiSplit[1]), 0.0));
  Double sum = fastTwoSum(baseHigh, z);
  Float rest = fma(z * square, polynomial(square, atanF64), baseLow);
  Float result = sum.high + (sum.low + rest);
  return select(isNan(x), x, copySign(result, x));
}
