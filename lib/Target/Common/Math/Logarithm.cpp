// log, log2, log10, log1p, and a logarithm of extra precision for pow.
//
// Method (as in FreeBSD's msun e_log.c, with coefficients of our own): x = 2^k (1 + f) with
// sqrt(1/2) <= 1 + f < sqrt 2; s = f / (2 + f); log(1 + f) = f - (f^2/2 - s (f^2/2 + R)),
// R = log((1+s)/(1-s)) / s - 2, a polynomial in s^2.
#include "Coefficients.h"
#include "Functions.h"

#include <cmath>
#include <limits>

using namespace tw::math;

namespace {

struct Scaled {
  /// The exponent as a float, and the mantissa in [sqrt(1/2), sqrt 2).
  Float k, m;
};

/// Splits a positive, finite x, denormal or not.
Scaled split(Float x) {
  Emitter &e = *x.e;
  bool f64 = e.isF64();
  int mantissaBits = f64 ? 52 : 23, bias = f64 ? 1023 : 127;
  int64_t sqrtHalf = f64 ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  int64_t mantissaMask = (int64_t(1) << mantissaBits) - 1;
  Bool denormal = x < (f64 ? 0x1p-1022 : 0x1p-126);
  int boost = mantissaBits + 1;
  Int bits = toBits(select(denormal, x * std::ldexp(1.0, boost), x));
  Int shifted = bits + ((int64_t(bias) << mantissaBits) - sqrtHalf);
  Int k = (shifted >> mantissaBits) - bias;
  k = select(denormal, k - boost, k);
  Float m = fromBits((shifted & mantissaMask) + sqrtHalf);
  return {toFloat(k), m};
}

/// s (f^2/2 + R): the part of log(1 + f) beyond f - f^2/2.
Float tail(Float f, Float halfSquare) {
  Float s = f / (f + 2.0);
  Float z = s * s;
  Float r = z * (f.e->isF64() ? polynomial(z, logF64) : polynomial(z, logF32));
  return s * (halfSquare + r);
}

/// k ln 2 + log(1 + f) + correction.
Float combine(Float k, Float f, Float correction) {
  const double *ln2 = f.e->isF64() ? ln2F64 : ln2F32;
  Float halfSquare = f * f * 0.5;
  Float low = fma(k, ln2[1], correction);
  return k * ln2[0] - ((halfSquare - (tail(f, halfSquare) + low)) - f);
}

Float infinity(Float like) { return same(like, std::numeric_limits<double>::infinity()); }

/// `finite` for positive finite x, and the special values of a logarithm elsewhere.
Float withSpecials(Float x, Float finite) {
  Float positive = select(x == infinity(x), x, finite);
  Float other = select(x == 0.0, -infinity(x), same(x, std::numeric_limits<double>::quiet_NaN()));
  return select(x > 0.0, positive, other);
}

} // namespace

Float tw::math::log(Float x) {
  Scaled scaled = split(x);
  return withSpecials(x, combine(scaled.k, scaled.m - 1.0, same(x, 0.0)));
}

Float tw::math::approximateLog(Float x, mlir::arith::FastMathFlags flags) {
  using Flags = mlir::arith::FastMathFlags;
  Scaled scaled = split(x);
  Float f = scaled.m - 1.0, square = f * f;
  Float rest = fma(square * f, polynomial(f, logShortF32), scaled.k * ln2F32[1]);
  Float finite = fma(scaled.k, ln2F32[0], f - fma(square, 0.5, -rest));
  return bitEnumContainsAll(flags, Flags::nnan | Flags::ninf) ? finite : withSpecials(x, finite);
}

Float tw::math::log2(Float x) {
  Scaled scaled = split(x);
  Float f = scaled.m - 1.0;
  Float halfSquare = f * f * 0.5;
  Float natural = f - (halfSquare - tail(f, halfSquare));
  return withSpecials(x, fma(natural, log2e, scaled.k));
}

Float tw::math::log10(Float x) { return log(x) * log10e; }

Float tw::math::log1p(Float x) {
  Float u = x + 1.0;
  Scaled scaled = split(u);
  // Where 1 + x needs no scaling, f = x without rounding; elsewhere what 1 + x lost, relative to
  // it, is added to the logarithm.
  Bool near = scaled.k == 0.0;
  Float lost = select(x < 1.0, x - (u - 1.0), 1.0 - (u - x)) / u;
  Float f = select(near, x, scaled.m - 1.0);
  Float result = combine(scaled.k, f, select(near, same(x, 0.0), lost));
  return select(x == 0.0, x, withSpecials(u, result));
}

Double tw::math::log2Precise(Float x) {
  Scaled scaled = split(x);
  // s = (m - 1) / (m + 1) to twice the precision.
  Float f = scaled.m - 1.0, g = scaled.m + 1.0;
  Float gLow = scaled.m - (g - 1.0);
  Float sHigh = f / g;
  Float sLow = fma(-sHigh, gLow, fma(-sHigh, g, f)) / g;
  Double s{sHigh, sLow};
  Double z = multiply(s, s);
  // log(m) = 2 s (1 + z/3 + z^2 t(z)).
  Double third{same(x, thirdSplit[0]), same(x, thirdSplit[1])};
  Double inner = multiply(z, third);
  inner = fastTwoSum(inner.high, fma(z.high * z.high, polynomial(z.high, powF64), inner.low));
  Double factor = fastTwoSum(same(x, 1.0), inner.high);
  factor = fastTwoSum(factor.high, factor.low + inner.low);
  Double natural = multiply(Double{s.high * 2.0, s.low * 2.0}, factor);
  Double binary = multiply(natural, Double{same(x, log2eSplit[0]), same(x, log2eSplit[1])});
  Double sum = fastTwoSum(scaled.k, binary.high);
  return fastTwoSum(sum.high, sum.low + binary.low);
}
