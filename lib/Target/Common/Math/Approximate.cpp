// Shorter forms of functions on f32, for operations with the flag `afn`.
//
// Method: odd functions that end at 1 as x P(x^2) / Q(x^2), where others divide as often but take
// an exponential besides; logarithms without a division, in Logarithm.cpp; exponentials by the
// target's instruction for powers of two. All keep NaN, and infinities as arguments.
#include "Coefficients.h"
#include "Functions.h"

#include <cmath>

using namespace mlir;
using namespace tw::math;

namespace {

/// x P(x^2) / Q(x^2), which is 1 from the limit on.
Float oddRatio(Float x, double limit, ArrayRef<double> top, ArrayRef<double> bottom,
               arith::FastMathFlags flags) {
  Float b = clamp(x, -limit, limit), z = b * b;
  Float ratio = divide(b * polynomial(z, top), polynomial(z, bottom), flags);
  // What rounding takes beyond 1 is no value of the function.
  return clamp(ratio, -1.0, 1.0);
}

} // namespace

Float tw::math::approximateTanh(Float x, arith::FastMathFlags flags) {
  return oddRatio(x, 9.02, tanhRatioTop, tanhRatioBottom, flags);
}

Float tw::math::approximateErf(Float x, arith::FastMathFlags flags) {
  return oddRatio(x, 3.93, erfRatioTop, erfRatioBottom, flags);
}

Float tw::math::expByPower(Float x, arith::FastMathFlags) {
  // Beyond, the result is 0 or infinity; what is infinite has no rest.
  Float b = clamp(x, -110, 100);
  Float power = b * log2e;
  // What the product has lost, as a factor: for large x it is many units in the last place.
  float head = float(log2e);
  Float rest = fma(b, log2e - double(head), fma(b, double(head), -power));
  return approximatePower(power) * fma(rest, ln2, same(x, 1.0));
}

Float tw::math::fractionByPower(Float x, arith::FastMathFlags) {
  // The product is wrong by |x| 2^-24 at most, which is less of e^x where that is small: below
  // 2^-25 of 1 for every x. Minus infinity gives 0.
  return approximatePower(x * log2e);
}

Float tw::math::logByPower(Float x, arith::FastMathFlags) { return approximateLog2(x) * ln2; }
