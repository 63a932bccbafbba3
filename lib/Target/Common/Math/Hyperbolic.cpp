// tanh, sinh, cosh and their inverses.
//
// Method: odd polynomials near 0, exponentials elsewhere, but tanh of f32, which is a ratio of
// e^-2|x| - 1 and e^-2|x| + 1 everywhere; inverses through log1p (as in FreeBSD's
// msun s_asinh.c, e_acosh.c, e_atanh.c).
#include "Coefficients.h"
#include "Functions.h"

#include <limits>

using namespace tw::math;

namespace {

/// a + a z p(z), z = a^2.
Float oddPolynomial(Float a, llvm::ArrayRef<double> coefficients) {
  Float z = a * a;
  return fma(a * z, polynomial(z, coefficients), a);
}

/// Gives `magnitude` (a function of |x|) the sign of x, and NaN where x is NaN.
Float odd(Float x, Float magnitude) { return select(isNan(x), x, copySign(magnitude, x)); }

/// Beyond, 1 + x^2 rounds to x^2.
constexpr double large = 0x1p28;

} // namespace

static Float tanhF32Magnitude(Float a) {
  // From here on, the ratio rounds to 1. What is no number stays.
  BesideOne exp = expBesideOne(select(a > 10.0, 10.0, a) * -2.0);
  return exp.below / exp.above;
}

static Float tanhF64Magnitude(Float a) {
  Float near = oddPolynomial(a, tanhF64);
  // 1 - 2 / (e^2a + 1) rounds to 1 from here on.
  Float far = 1.0 - 2.0 / (exp(select(a > 20.0, 20.0, a) * 2.0) + 1.0);
  return select(a < 0.5625, near, far);
}

Float tw::math::tanh(Float x) {
  Float a = abs(x);
  return copySign(x.e->isF64() ? tanhF64Magnitude(a) : tanhF32Magnitude(a), x);
}

Float tw::math::sinh(Float x) {
  Float a = abs(x);
  Float h = expShifted(a, -1);
  return odd(x, select(a <= 1.0, oddPolynomial(a, sinhF64), h - 0.25 / h));
}

Float tw::math::cosh(Float x) {
  Float h = expShifted(abs(x), -1);
  return h + 0.25 / h;
}

Float tw::math::asinh(Float x) {
  Float a = abs(x);
  Bool big = a > large;
  Float safe = select(big, 1.0, a);
  Float square = safe * safe;
  Float near = log1p(safe + square / (sqrt(square + 1.0) + 1.0));
  return odd(x, select(big, log(a) + ln2, near));
}

Float tw::math::acosh(Float x) {
  Bool big = x > large;
  Float t = select(big, 1.0, x - 1.0);
  Float near = log1p(t + sqrt(fma(t, t, t * 2.0)));
  Float result = select(big, log(x) + ln2, near);
  return select(x >= 1.0, result, std::numeric_limits<double>::quiet_NaN());
}

Float tw::math::atanh(Float x) {
  Float a = abs(x), twice = a + a;
  Float ratio = select(a < 0.5, fma(twice, a / (1.0 - a), twice), twice / (1.0 - a));
  Float result = log1p(ratio) * 0.5;
  // At 1 the ratio is infinite, and so is the result; beyond there is none.
  return odd(x, select(a <= 1.0, result, std::numeric_limits<double>::quiet_NaN()));
}
