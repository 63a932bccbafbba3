// exp, exp2, expm1.
//
// Method: x = n ln2 + r with |r| <= ln2/2 (Cody and Waite's two-part ln 2, with fma), then
// e^r = 1 + r (1 + r q(r)), q a polynomial, then scaling by 2^n in two steps so that a denormal
// result is rounded once.
#include "Coefficients.h"
#include "Functions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>

using namespace mlir;
using namespace tw::math;

namespace {

struct Reduced {
  Int n;
  Float r;
};

/// n = round(x / ln 2), r = x - n ln 2.
Reduced reduce(Float x) {
  const double *ln2 = x.e->isF64() ? ln2F64 : ln2F32;
  auto [n, rounded] = toNearest(x, log2e);
  Float r = fma(rounded, -ln2[0], x);
  return {n, fma(rounded, -ln2[1], r)};
}

/// e^r - 1 for a reduced r.
Float expm1Reduced(Float r) {
  Float q = r.e->isF64() ? polynomial(r, expF64) : polynomialByPairs(r, expm1F32);
  return fma(r * r, q, r);
}

/// p * 2^n for any n that two normal powers of two reach.
Float scale(Float p, Int n) {
  Int half = arithmeticShiftRight(n, same(n, 1));
  return p * powerOfTwo(half) * powerOfTwo(n - half);
}

/// e^r * 2^shift for a reduced r: no bit of the fraction depends on the shift.
Float expReduced(Float r, int shift = 0) {
  SmallVector<double, 16> coefficients{1.0, 1.0};
  llvm::append_range(coefficients, r.e->isF64() ? ArrayRef<double>(expF64) : ArrayRef(expF32));
  for (double &coefficient : coefficients)
    coefficient = std::ldexp(coefficient, shift);
  return polynomial(r, coefficients);
}

/// The n whose power of two is zero by its bits. Where the result is zero in any case, arguments
/// are clamped to it: zero times a number takes a turn, a product of numbers that is smaller than
/// normal ones some 150 cycles on Intel's CPUs, and softmax has e^-inf wherever a mask is.
int powerOfZero(Float x) { return x.e->isF64() ? -1023 : -127; }

} // namespace

Float tw::math::expShifted(Float x, int shift) {
  // Beyond these bounds the result is 0 or infinity for every |shift| <= 2.
  double low = (2 * powerOfZero(x) - shift) * std::log(2.0);
  Float clamped = clamp(x, low, x.e->isF64() ? 720 : 100);
  Reduced reduced = reduce(clamped);
  return scale(expReduced(reduced.r), shift == 0 ? reduced.n : reduced.n + shift);
}

Float tw::math::exp(Float x) { return expShifted(x, 0); }

Float tw::math::expNotPositive(Float x) {
  Reduced reduced = reduce(clampLow(x, powerOfZero(x) * std::log(2.0)));
  return expReduced(reduced.r) * powerOfTwo(reduced.n);
}

Float tw::math::expAdded(Float x) {
  // One power of two scales twice the fraction from the least normal number to beyond the largest.
  double low = (powerOfZero(x) + 2) * std::log(2.0),
         high = -(powerOfZero(x) - 1.25) * std::log(2.0);
  Reduced reduced = reduce(clamp(x, low, high));
  return expReduced(reduced.r, 1) * powerOfTwo(reduced.n - 1);
}

Float tw::math::exp2(Float x) {
  Float clamped = x.e->isF64() ? clamp(x, -1100, 1040) : clamp(x, -160, 140);
  Float n = roundEven(clamped);
  // (x - n) is exact; its product with ln 2 is rounded once.
  Float r = (clamped - n) * (ln2F64[0] + ln2F64[1]);
  return scale(expReduced(r), toInteger(n));
}

Float tw::math::exp2(Double x) {
  Float high = clamp(x.high, -1100, 1040);
  Float low = select(abs(x.high) < 1040.0, x.low, 0.0);
  Float n = roundEven(high);
  Float r = ((high - n) + low) * (ln2F64[0] + ln2F64[1]);
  return scale(expReduced(r), toInteger(n));
}

Float tw::math::expm1(Float x) {
  // Below, the result rounds to -1; above, to infinity.
  Float clamped = x.e->isF64() ? clamp(x, -40, 709.9) : clamp(x, -20, 88.8);
  Reduced reduced = reduce(clamped);
  Float p = expm1Reduced(reduced.r);
  // 2^n (1 + p) - 1 = 2 (s p + (s - 1/2)), s = 2^(n-1): s - 1/2 is exact while it matters.
  Float s = powerOfTwo(reduced.n - 1);
  Float far = fma(s, p, s - 0.5) * 2.0;
  Float result = select(reduced.n == 0, p, far);
  return select(x == 0.0, x, result);
}

BesideOne tw::math::expBesideOne(Float x) {
  Reduced reduced = reduce(x);
  Float p = expm1Reduced(reduced.r), s = powerOfTwo(reduced.n);
  return {fma(s, p, s - 1.0), fma(s, p, s + 1.0)};
}
