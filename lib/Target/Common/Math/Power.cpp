// pow with the special cases of C (annex F.10.4.4).
//
// Method: 2^(y log2 |x|) with the logarithm and the product in twice the precision of f64.
#include "Functions.h"

#include <limits>

using namespace tw::math;

Float tw::math::pow(Float x, Float y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Float ax = abs(x), ay = abs(y);
  Double logarithm = log2Precise(ax);
  // |log2 x| is 0 or at least 2^-53: past 2^200 every y overflows or underflows alike.
  constexpr double huge = 0x1p200;
  Float bounded = select(ay < huge, y, copySign(same(y, huge), y));
  Float magnitude = exp2(multiply(logarithm, bounded));

  // |x| is 0 or infinite: 0 or infinity, by the sign of y.
  Bool zero = ax == 0.0, infinite = ax == infinity;
  Bool yNegative = y < 0.0;
  Float limit = select(zero ^ yNegative, same(x, 0.0), same(x, infinity));
  magnitude = select(zero | infinite, limit, magnitude);
  // |y| infinite: 1 at |x| = 1, else 0 or infinity.
  Float atInfinity = select((ax < 1.0) ^ yNegative, same(x, 0.0), same(x, infinity));
  atInfinity = select(ax == 1.0, 1.0, atInfinity);
  magnitude = select(ay == infinity, atInfinity, magnitude);

  // From 2^53 on every y is an even integer.
  Bool integer = (trunc(y) == y) | (ay >= 0x1p53);
  Float half = y * 0.5;
  Bool oddInteger =
      integer & compare(mlir::arith::CmpFPredicate::ONE, trunc(half), half) & (ay < 0x1p53);
  Bool signBit = toBits(x) < 0;
  Float result = select(oddInteger & signBit, -magnitude, magnitude);
  Bool noResult =
      (x < 0.0) & (ax < infinity) & compare(mlir::arith::CmpFPredicate::ONE, trunc(y), y);
  result = select(noResult, std::numeric_limits<double>::quiet_NaN(), result);
  result = select(isNan(x) | isNan(y), std::numeric_limits<double>::quiet_NaN(), result);
  return select((x == 1.0) | (y == 0.0), 1.0, result);
}
