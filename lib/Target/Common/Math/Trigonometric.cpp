// sin, cos, tan.
//
// Method: x = q pi/2 + r, |r| <= pi/4, r in two parts. Up to 2^20 with pi/2 cut in three (Cody and
// Waite, Software Manual for the Elementary Functions); beyond, and where that cancels too much,
// with the bits of 2/pi that matter (Payne and Hanek, 1983) in integers, which is exact to 2^-117.
// Then odd and even polynomials (the evaluation follows FreeBSD's msun k_sin.c and k_cos.c).
#include "Coefficients.h"
#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>

using namespace tw::math;
using llvm::SmallVector;

namespace {

constexpr int64_t wordMask = 0xffffffff;
constexpr unsigned windowWords = 6;

/// The 192 bits of 2/pi from table bit `position` on, six words of 32, highest first.
SmallVector<Int> windowOfTwoOverPi(Int position) {
  Emitter &e = *position.e;
  SmallVector<Int> words;
  for (uint32_t word : twoOverPiBits)
    words.push_back(integer(e, word));
  Int index = position >> 5, shift = position & 31;
  // A barrel shift by whole words: 32, 16 ... 1.
  for (unsigned stride = 32; stride != 0; stride /= 2) {
    Bool move = (index & stride) != 0;
    unsigned keep = windowWords + stride;
    SmallVector<Int> moved;
    for (unsigned i = 0; i < keep && i < words.size(); ++i)
      moved.push_back(i + stride < words.size() ? select(move, words[i + stride], words[i])
                                                : words[i]);
    words = std::move(moved);
  }
  SmallVector<Int> window;
  for (unsigned i = 0; i < windowWords; ++i)
    window.push_back(((((words[i] << 32) | words[i + 1]) << shift) >> 32) & wordMask);
  return window;
}

/// x * 2/pi modulo 4 as a fixed-point number: two bits before the point, 126 behind.
struct Fixed {
  Int high, low;
};

Fixed timesTwoOverPi(Float x) {
  Int bits = toBits(x);
  // x = mantissa 2^(biased - 1075). Bits of 2/pi of weight 2^2 / mantissa unit and above give
  // multiples of 4; the window starts behind them. The table begins with 64 zeros.
  Int biased = (bits >> 52) & 0x7ff;
  SmallVector<Int> window = windowOfTwoOverPi(biased - (1075 - 62));
  Int mantissa = (bits & ((int64_t(1) << 52) - 1)) | integer(*x.e, int64_t(1) << 52);
  Int m0 = mantissa & wordMask, m1 = mantissa >> 32;
  // mantissa * window modulo 2^192, word by word from the lowest.
  SmallVector<Int> low, high;
  for (unsigned j = 0; j < windowWords; ++j) {
    low.push_back(m0 * window[windowWords - 1 - j]);
    high.push_back(m1 * window[windowWords - 1 - j]);
  }
  SmallVector<Int> product;
  Int carry = integer(*x.e, 0);
  for (unsigned j = 0; j < windowWords; ++j) {
    Int sum = (low[j] & wordMask) + carry;
    if (j >= 1)
      sum = sum + (low[j - 1] >> 32) + (high[j - 1] & wordMask);
    if (j >= 2)
      sum = sum + (high[j - 2] >> 32);
    product.push_back(sum & wordMask);
    carry = sum >> 32;
  }
  return {(product[5] << 32) | product[4], (product[3] << 32) | product[2]};
}

/// The fraction high:low / 2^128 as an unevaluated sum.
Double fractionOf(Int high, Int low) {
  Float a3 = toFloat(high >> 32) * 0x1p-32, a2 = toFloat(high & wordMask) * 0x1p-64;
  Float a1 = toFloat(low >> 32) * 0x1p-96, a0 = toFloat(low & wordMask) * 0x1p-128;
  Double top = fastTwoSum(a3, a2);
  return fastTwoSum(top.high, top.low + (a1 + a0));
}

/// Any finite x of magnitude at least 1/2.
Quadrant reduceFar(Float x) {
  Float a = abs(x);
  Fixed product = timesTwoOverPi(a);
  Int quadrant = (product.high + (int64_t(1) << 61)) >> 62;
  // What is left is a signed fraction in [-1/2, 1/2).
  Int high = (product.high << 2) | (product.low >> 62), low = product.low << 2;
  Bool negative = high < 0;
  Int zero = integer(*x.e, 0);
  Int lowNegated = zero - low;
  Int borrow = select(low == 0, zero, integer(*x.e, 1));
  Int highNegated = zero - high - borrow;
  Double fraction =
      fractionOf(select(negative, highNegated, high), select(negative, lowNegated, low));
  Double rest = multiply(fraction, Double{same(x, halfPiSplit[0]), same(x, halfPiSplit[1])});
  Bool flip = negative ^ (x < 0.0);
  Int signedQuadrant = select(x < 0.0, zero - quadrant, quadrant);
  return {signedQuadrant, {select(flip, -rest.high, rest.high), select(flip, -rest.low, rest.low)}};
}

Quadrant reduceNear(Float x) {
  Float n = roundEven(x * twoOverPi);
  Float first = fma(n, -halfPiReduction[0], x);
  Float second = n * halfPiReduction[1];
  Float difference = first - second;
  // Two-sum: either part can be the larger.
  Float back = first - difference;
  Float low = (first - (difference + back)) + (back - second);
  low = fma(n, -halfPiReduction[2], low);
  Double rest = fastTwoSum(difference, low);
  return {toInteger(n), rest};
}

Quadrant reduceToQuadrant(Float x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Emitter &e = *x.e;
  Bool finite = abs(x) < infinity;
  Float safe = select(finite, x, 0.0);
  Bool large = abs(safe) > 0x1p20;
  Quadrant near = reduceNear(select(large, 0.0, safe));
  Bool cancelled = (abs(near.rest.high) < 0x1p-20) & (near.quadrant != 0);
  Bool far = large | cancelled;
  auto branch = mlir::scf::IfOp::create(
      e.builder, e.location, anyLane(far),
      [&](mlir::OpBuilder &builder, mlir::Location location) {
        Emitter inner(builder, location, e.type);
        Quadrant other = reduceFar(Float{&inner, safe.v});
        Bool use{&inner, far.v};
        Int quadrant = select(use, other.quadrant, Int{&inner, near.quadrant.v});
        Float high = select(use, other.rest.high, Float{&inner, near.rest.high.v});
        Float low = select(use, other.rest.low, Float{&inner, near.rest.low.v});
        mlir::scf::YieldOp::create(builder, location, mlir::ValueRange{quadrant.v, high.v, low.v});
      },
      [&](mlir::OpBuilder &builder, mlir::Location location) {
        mlir::scf::YieldOp::create(
            builder, location,
            mlir::ValueRange{near.quadrant.v, near.rest.high.v, near.rest.low.v});
      });
  Float high =
      select(finite, Float{&e, branch.getResult(1)}, std::numeric_limits<double>::quiet_NaN());
  return {Int{&e, branch.getResult(0)}, {high, Float{&e, branch.getResult(2)}}};
}

Float sinReduced(Double r) {
  Float z = r.high * r.high;
  Float correction = fma(z, -0.5, same(z, 1.0)) * r.low;
  return r.high + fma(z * r.high, polynomial(z, sinF64), correction);
}

Float cosReduced(Double r) {
  Float z = r.high * r.high;
  Float half = z * 0.5;
  Float w = 1.0 - half;
  Float rest = fma(z * z, polynomial(z, cosF64), -(r.high * r.low));
  return w + (((1.0 - w) - half) + rest);
}

/// The sine `shift` quadrants on.
Float sinShifted(Float x, int shift) {
  Quadrant reduced = reduceToQuadrant(x);
  Int quadrant = shift == 0 ? reduced.quadrant : reduced.quadrant + shift;
  Float value = select((quadrant & 1) != 0, cosReduced(reduced.rest), sinReduced(reduced.rest));
  return select((quadrant & 2) != 0, -value, value);
}

} // namespace

Float tw::math::sin(Float x) { return select(x == 0.0, x, sinShifted(x, 0)); }

Float tw::math::cos(Float x) { return sinShifted(x, 1); }

Float tw::math::tan(Float x) {
  Quadrant reduced = reduceToQuadrant(x);
  Float s = sinReduced(reduced.rest), c = cosReduced(reduced.rest);
  Bool odd = (reduced.quadrant & 1) != 0;
  Float value = select(odd, -c, s) / select(odd, s, c);
  return select(x == 0.0, x, value);
}
