// Builders behind the typed handles of the math expansion.
#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::math;

namespace {

Value splat(Emitter &e, Type type, Attribute value) {
  TypedAttr attribute = cast<TypedAttr>(value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(e.builder, e.location, attribute);
}

} // namespace

Float tw::math::constant(Emitter &e, double value) {
  return {&e, splat(e, e.type, e.builder.getFloatAttr(getElementTypeOrSelf(e.type), value))};
}

Int tw::math::integer(Emitter &e, int64_t value, unsigned width) {
  if (width == 0)
    width = e.bits();
  Attribute attribute =
      e.builder.getIntegerAttr(e.builder.getIntegerType(width),
                               APInt(width, uint64_t(value), false, /*implicitTrunc=*/true));
  return {&e, splat(e, e.integerType(width), attribute)};
}

Int tw::math::same(Int like, int64_t value) {
  return integer(*like.e, value, getElementTypeOrSelf(like.v.getType()).getIntOrFloatBitWidth());
}

Float tw::math::polynomial(Float x, ArrayRef<double> coefficients) {
  Float sum = same(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

Float tw::math::polynomialByPairs(Float x, ArrayRef<double> coefficients) {
  SmallVector<Float, 8> terms;
  for (size_t i = 0; i + 1 < coefficients.size(); i += 2)
    terms.push_back(fma(x, coefficients[i + 1], same(x, coefficients[i])));
  if (coefficients.size() % 2)
    terms.push_back(same(x, coefficients.back()));
  for (Float power = x; terms.size() > 1;) {
    power = power * power;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      terms[i / 2] = fma(power, terms[i + 1], terms[i]);
    if (terms.size() % 2)
      terms[terms.size() / 2] = terms.back();
    terms.truncate((terms.size() + 1) / 2);
  }
  return terms.front();
}

Bool tw::math::compare(arith::CmpFPredicate predicate, Float a, Float b) {
  return {a.e, arith::CmpFOp::create(a.e->builder, a.e->location, predicate, a.v, b.v)};
}

Bool tw::math::compare(arith::CmpIPredicate predicate, Int a, Int b) {
  return {a.e, arith::CmpIOp::create(a.e->builder, a.e->location, predicate, a.v, b.v)};
}

Int tw::math::toBits(Float a) {
  Emitter &e = *a.e;
  return {&e, arith::BitcastOp::create(e.builder, e.location, e.integerType(e.bits()), a.v)};
}

Float tw::math::fromBits(Int a) {
  Emitter &e = *a.e;
  return {&e, arith::BitcastOp::create(e.builder, e.location, e.type, a.v)};
}

namespace {

/// 1.5 * 2^(mantissa bits): added to a small integer-valued float it leaves the integer, biased by
/// this number's own bits, in the low mantissa bits.
double roundingMagic(Emitter &e) { return e.isF64() ? 0x1.8p52 : 0x1.8p23; }

} // namespace

Int tw::math::toInteger(Float a) {
  Float magic = same(a, roundingMagic(*a.e));
  return toBits(a + magic) - toBits(magic);
}

std::pair<Int, Float> tw::math::toNearest(Float a, double factor) {
  Float magic = same(a, roundingMagic(*a.e)), sum = fma(a, factor, magic);
  return {toBits(sum) - toBits(magic), sum - magic};
}

Float tw::math::toFloat(Int a) {
  Float magic = constant(*a.e, roundingMagic(*a.e));
  return fromBits(a + toBits(magic)) - magic;
}

Float tw::math::widen(Emitter &wide, Float a) {
  return {&wide, arith::ExtFOp::create(wide.builder, wide.location, wide.type, a.v)};
}

Float tw::math::narrow(Emitter &emitter, Float a) {
  return {&emitter, arith::TruncFOp::create(emitter.builder, emitter.location, emitter.type, a.v)};
}

Float tw::math::powerOfTwo(Int n) {
  return fromBits(n.e->isF64() ? (n + 1023) << 52 : (n + 127) << 23);
}

Value tw::math::anyLane(Bool condition) {
  if (!isa<VectorType>(condition.v.getType()))
    return condition.v;
  return vector::ReductionOp::create(condition.e->builder, condition.e->location,
                                     vector::CombiningKind::OR, condition.v);
}

Double tw::math::fastTwoSum(Float a, Float b) {
  Float sum = a + b;
  return {sum, b - (sum - a)};
}

Double tw::math::twoProduct(Float a, Float b) {
  Float product = a * b;
  return {product, fma(a, b, -product)};
}

Double tw::math::multiply(Double a, Double b) {
  Double product = twoProduct(a.high, b.high);
  Float cross = fma(a.high, b.low, a.low * b.high);
  return fastTwoSum(product.high, product.low + cross);
}

Double tw::math::multiply(Double a, Float b) {
  Double product = twoProduct(a.high, b);
  return fastTwoSum(product.high, fma(a.low, b, product.low));
}
