// erf.
//
// Method: x + x p(x^2) near 0. Elsewhere 1 - erfc(|x|): in f64 erfc = e^(-x^2) q((|x|-3)/(|x|+3)),
// in f32 erfc = e^(|x| q(|x|)); the error of erfc counts for little, as erfc < 0.2 there.
#include "Coefficients.h"
#include "Functions.h"

using namespace tw::math;

Float tw::math::erf(Float x) {
  bool f64 = x.e->isF64();
  Float a = abs(x);
  Float z = a * a;
  Float near = f64 ? fma(a, polynomial(z, erfF64), a) : fma(a, polynomial(z, erfF32), a);
  // From the limit on, erf rounds to 1.
  double limit = f64 ? 6.0 : 4.0;
  Float b = select(a < limit, a, limit);
  Float erfc = f64 ? exp(-(b * b)) * polynomial((b - 3.0) / (b + 3.0), erfcxF64)
                   : exp(b * polynomial(b, erfcF32));
  Float result = select(a < (f64 ? 1.0 : 0.9375), near, 1.0 - erfc);
  return select(isNan(x), x, copySign(result, x));
}
