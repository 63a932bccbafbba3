// C's fmod, exactly.
//
// Method: long division in steps of p - 2 bits (p the precision). With t = |y| 2^k chosen so that
// r / t < 2^(p-1), q = trunc(r / t) is the quotient or one above it, r - q t is exact in one fma,
// and one addition repairs the sign.
#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <limits>

using namespace tw::math;

namespace {

/// The exponent of a positive, finite a, denormal or not.
Int exponent(Float a) {
  bool f64 = a.e->isF64();
  int mantissaBits = f64 ? 52 : 23, bias = f64 ? 1023 : 127;
  Bool small = a < (f64 ? 0x1p-900 : 0x1p-90);
  int boost = f64 ? 200 : 40;
  Int biased = toBits(select(small, a * std::ldexp(1.0, boost), a)) >> mantissaBits;
  return select(small, biased - (bias + boost), biased - bias);
}

/// One step; the result is below |y| 2^k.
Float step(Float r, Float divisor) {
  int stride = r.e->isF64() ? 51 : 22;
  Int gap = exponent(r) - exponent(divisor) - stride;
  Int k = select(gap > 0, gap, same(gap, 0));
  Int half = k >> 1;
  Float t = divisor * powerOfTwo(half) * powerOfTwo(k - half);
  Float rest = fma(-trunc(r / t), t, r);
  rest = select(rest < 0.0, rest + t, rest);
  return select(r >= divisor, rest, r);
}

} // namespace

Float tw::math::remainder(Float x, Float y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Emitter &e = *x.e;
  Float ax = abs(x), ay = abs(y);
  Bool proper = (ax < infinity) & (ay > 0.0) & (ay < infinity);
  Float start = select(proper, ax, 0.0);
  Float divisor = select(proper, ay, 1.0);

  auto loop = mlir::scf::WhileOp::create(
      e.builder, e.location, mlir::TypeRange(e.type), mlir::ValueRange(start.v),
      [&](mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange values) {
        Emitter inner(builder, location, e.type);
        Float r{&inner, values[0]};
        mlir::Value more = anyLane(r >= Float{&inner, divisor.v});
        mlir::scf::ConditionOp::create(builder, location, more, values);
      },
      [&](mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange values) {
        Emitter inner(builder, location, e.type);
        Float rest = step(Float{&inner, values[0]}, Float{&inner, divisor.v});
        mlir::scf::YieldOp::create(builder, location, rest.v);
      });
  Float result = copySign(Float{&e, loop.getResult(0)}, x);
  // An infinite divisor leaves x; no remainder exists for y = 0, infinite x, or NaN.
  Float other =
      select((ay == infinity) & (ax < infinity), x, std::numeric_limits<double>::quiet_NaN());
  return select(proper, result, other);
}
