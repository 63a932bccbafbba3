// erf.
//
// Method: in f32 erf = 1 - e^y with y = log(erfc(|x|)) = |x| q(|x|). An error of y counts for as
// much as itself near 0, where e^y - 1 is y, and for less from there on. In f64 x + x p(x^2) near 0
// and 1 - e^(-x^2) q((|x|-3)/(|x|+3)) elsewhere.
#include "Coefficients.h"
#include "Functions.h"

using namespace tw::math;

static Float erfF32Magnitude(Float a) {
  // From here on, erf rounds to 1. What is no number stays.
  Float b = select(a > 4.0, 4.0, a);
  Float slope = polynomialByPairs(b, llvm::ArrayRef(erfF32).drop_front(2));
  Float tail = fma(b, slope, same(b, erfF32[1]));
  return expBesideOne(fma(b, erfF32[0], b * tail)).below;
}

static Float erfF64Magnitude(Float a) {
  Float z = a * a;
  Float near = fma(a, polynomial(z, erfF64), a);
  Float b = select(a > 6.0, 6.0, a);
  Float erfc = exp(-(b * b)) * polynomial((b - 3.0) / (b + 3.0), erfcxF64);
  return select(a < 1.0, near, 1.0 - erfc);
}

Float tw::math::erf(Float x) {
  Float a = abs(x);
  return copySign(x.e->isF64() ? erfF64Magnitude(a) : erfF32Magnitude(a), x);
}
