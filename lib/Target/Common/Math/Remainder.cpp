// C's fmod, exactly.
//
// Method: long division in steps of half of the precision. With t = |y| 2^k chosen so that r / t
// has at most half as many bits as a float, q = trunc(r / t), computed with an error upwards, is
// the quotient or one above it, and products of q with halves of t are exact. p = q t rounded lies
// within a factor of 2 of r, so r - p is exact (Sterbenz), and so is (r - p) - (q t - p), which is
// a float. One addition repairs the sign. Neither a fused product nor a division that is rounded
// correctly is needed: Vulkan promises neither.
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

/// The upper half of the bits of a, which leaves as many below.
Float upperHalf(Float a) {
  int lowerBits = a.e->isF64() ? 26 : 12;
  return fromBits(toBits(a) & (int64_t(-1) << lowerBits));
}

/// One step; the result is below |y| 2^k.
Float step(Float r, Float divisor) {
  int stride = r.e->isF64() ? 25 : 11;
  Int gap = exponent(r) - exponent(divisor) - stride;
  Int k = select(gap > 0, gap, same(gap, 0));
  // From the least denormal to the largest number is more than two normal factors.
  Int quarter = k >> 2;
  Float factor = powerOfTwo(quarter);
  Float unscaled = divisor * factor * factor * factor * powerOfTwo(k - quarter - quarter - quarter);
  // A product of q one above the quotient stays finite.
  Bool large = r >= 1.0;
  Float scale = select(large, same(r, 0.5), same(r, 1.0));
  Float scaled = r * scale, t = unscaled * scale;
  // More than the 2.5 units in the last place that Vulkan allows a division.
  double upwards = r.e->isF64() ? 0x1p-50 : 0x1p-21;
  Float q = trunc((scaled / t) * (1 + upwards));
  Float product = q * t, high = upperHalf(t);
  Float below = (q * high - product) + q * (t - high);
  Float rest = (scaled - product) - below;
  rest = select(rest < 0.0, rest + t, rest);
  return select(r >= divisor, select(large, rest * 2.0, rest), r);
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
