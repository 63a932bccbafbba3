// Typed handles over SSA values, so that a formula of the math expansion reads as a formula.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"

namespace tw::math {

/// Where to build and on which shape: scalars or 1-D vectors of one float type. All handles of a
/// formula share one emitter (or its widened sibling) and thus one shape.
class Emitter {
public:
  /// `like` is f32, f64 or a vector of one.
  Emitter(mlir::OpBuilder &builder, mlir::Location location, mlir::Type like)
      : builder(builder), location(location), type(like) {}

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type type;

  unsigned bits() const { return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }
  bool isF64() const { return bits() == 64; }
  mlir::Type shaped(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      return vector.clone(element);
    return element;
  }
  mlir::Type integerType(unsigned width) const { return shaped(builder.getIntegerType(width)); }
};

/// A boolean (i1) of the emitter's shape.
struct Bool {
  Emitter *e;
  mlir::Value v;
};

/// An integer of the emitter's shape; its width is that of its type. Shifts are logical unless
/// said otherwise, comparisons signed.
struct Int {
  Emitter *e;
  mlir::Value v;
};

/// A float of the emitter's element type and shape.
struct Float {
  Emitter *e;
  mlir::Value v;
};

Float constant(Emitter &e, double value);
/// An integer constant as wide as the emitter's float type, or of `width` bits.
Int integer(Emitter &e, int64_t value, unsigned width = 0);
/// A constant of the same kind as `like`.
inline Float same(Float like, double value) { return constant(*like.e, value); }
Int same(Int like, int64_t value);

template <typename Op, typename T> T binary(T a, T b) {
  return {a.e, Op::create(a.e->builder, a.e->location, a.v, b.v)};
}
template <typename Op, typename T> T unary(T a) {
  return {a.e, Op::create(a.e->builder, a.e->location, a.v)};
}

inline Float operator+(Float a, Float b) { return binary<mlir::arith::AddFOp>(a, b); }
inline Float operator-(Float a, Float b) { return binary<mlir::arith::SubFOp>(a, b); }
inline Float operator*(Float a, Float b) { return binary<mlir::arith::MulFOp>(a, b); }
inline Float operator/(Float a, Float b) { return binary<mlir::arith::DivFOp>(a, b); }
inline Float operator-(Float a) { return unary<mlir::arith::NegFOp>(a); }
inline Float operator+(Float a, double b) { return a + same(a, b); }
inline Float operator-(Float a, double b) { return a - same(a, b); }
inline Float operator-(double a, Float b) { return same(b, a) - b; }
inline Float operator*(Float a, double b) { return a * same(a, b); }
inline Float operator/(double a, Float b) { return same(b, a) / b; }
/// A quotient that may be changed as the flags say.
inline Float divide(Float a, Float b, mlir::arith::FastMathFlags flags) {
  return {a.e, mlir::arith::DivFOp::create(a.e->builder, a.e->location, a.v, b.v, flags)};
}
/// Operations that only `afn` allows, left to the target's instructions.
inline Float approximatePower(Float a) {
  return {a.e, mlir::math::Exp2Op::create(a.e->builder, a.e->location, a.v,
                                          mlir::arith::FastMathFlags::afn)};
}
inline Float approximateLog2(Float a) {
  return {a.e, mlir::math::Log2Op::create(a.e->builder, a.e->location, a.v,
                                          mlir::arith::FastMathFlags::afn)};
}
inline Float abs(Float a) { return unary<mlir::math::AbsFOp>(a); }
inline Float sqrt(Float a) { return unary<mlir::math::SqrtOp>(a); }
inline Float roundEven(Float a) { return unary<mlir::math::RoundEvenOp>(a); }
inline Float trunc(Float a) { return unary<mlir::math::TruncOp>(a); }
inline Float copySign(Float a, Float sign) { return binary<mlir::math::CopySignOp>(a, sign); }
/// a * b + c with one rounding.
inline Float fma(Float a, Float b, Float c) {
  return {a.e, mlir::math::FmaOp::create(a.e->builder, a.e->location, a.v, b.v, c.v)};
}
inline Float fma(Float a, double b, Float c) { return fma(a, same(a, b), c); }
inline Float fma(Float a, Float b, double c) { return fma(a, b, same(a, c)); }
/// Horner with fma; lowest coefficient first, at least two.
Float polynomial(Float x, llvm::ArrayRef<double> coefficients);
/// The same sum by pairs (Estrin's scheme): a few products more, and half of the operations wait
/// for no other. For functions so long that a processor does not look ahead to the next one.
Float polynomialByPairs(Float x, llvm::ArrayRef<double> coefficients);

Bool compare(mlir::arith::CmpFPredicate predicate, Float a, Float b);
Bool compare(mlir::arith::CmpIPredicate predicate, Int a, Int b);
/// Ordered comparisons: false when an operand is NaN.
inline Bool operator<(Float a, Float b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
inline Bool operator<=(Float a, Float b) { return compare(mlir::arith::CmpFPredicate::OLE, a, b); }
inline Bool operator>(Float a, Float b) { return compare(mlir::arith::CmpFPredicate::OGT, a, b); }
inline Bool operator>=(Float a, Float b) { return compare(mlir::arith::CmpFPredicate::OGE, a, b); }
inline Bool operator==(Float a, Float b) { return compare(mlir::arith::CmpFPredicate::OEQ, a, b); }
inline Bool operator<(Float a, double b) { return a < same(a, b); }
inline Bool operator<=(Float a, double b) { return a <= same(a, b); }
inline Bool operator>(Float a, double b) { return a > same(a, b); }
inline Bool operator>=(Float a, double b) { return a >= same(a, b); }
inline Bool operator==(Float a, double b) { return a == same(a, b); }
inline Bool isNan(Float a) { return compare(mlir::arith::CmpFPredicate::UNO, a, a); }
inline Bool operator&(Bool a, Bool b) { return binary<mlir::arith::AndIOp>(a, b); }
inline Bool operator|(Bool a, Bool b) { return binary<mlir::arith::OrIOp>(a, b); }
inline Bool operator^(Bool a, Bool b) { return binary<mlir::arith::XOrIOp>(a, b); }

inline Int operator+(Int a, Int b) { return binary<mlir::arith::AddIOp>(a, b); }
inline Int operator-(Int a, Int b) { return binary<mlir::arith::SubIOp>(a, b); }
inline Int operator*(Int a, Int b) { return binary<mlir::arith::MulIOp>(a, b); }
inline Int operator&(Int a, Int b) { return binary<mlir::arith::AndIOp>(a, b); }
inline Int operator|(Int a, Int b) { return binary<mlir::arith::OrIOp>(a, b); }
inline Int operator^(Int a, Int b) { return binary<mlir::arith::XOrIOp>(a, b); }
inline Int operator<<(Int a, Int b) { return binary<mlir::arith::ShLIOp>(a, b); }
inline Int operator>>(Int a, Int b) { return binary<mlir::arith::ShRUIOp>(a, b); }
inline Int arithmeticShiftRight(Int a, Int b) { return binary<mlir::arith::ShRSIOp>(a, b); }
inline Int operator+(Int a, int64_t b) { return a + same(a, b); }
inline Int operator-(Int a, int64_t b) { return a - same(a, b); }
inline Int operator&(Int a, int64_t b) { return a & same(a, b); }
inline Int operator<<(Int a, int64_t b) { return a << same(a, b); }
inline Int operator>>(Int a, int64_t b) { return a >> same(a, b); }
inline Bool operator==(Int a, int64_t b) {
  return compare(mlir::arith::CmpIPredicate::eq, a, same(a, b));
}
inline Bool operator!=(Int a, int64_t b) {
  return compare(mlir::arith::CmpIPredicate::ne, a, same(a, b));
}
inline Bool operator<(Int a, int64_t b) {
  return compare(mlir::arith::CmpIPredicate::slt, a, same(a, b));
}
inline Bool operator>(Int a, int64_t b) {
  return compare(mlir::arith::CmpIPredicate::sgt, a, same(a, b));
}

template <typename T> T select(Bool condition, T yes, T no) {
  return {yes.e,
          mlir::arith::SelectOp::create(yes.e->builder, yes.e->location, condition.v, yes.v, no.v)};
}
inline Float select(Bool condition, Float yes, double no) {
  return select(condition, yes, same(yes, no));
}
inline Float select(Bool condition, double yes, Float no) {
  return select(condition, same(no, yes), no);
}

/// Keep NaN: it is no less than anything, and both comparisons are false for it.
inline Float clampLow(Float x, double low) { return select(x < low, low, x); }
inline Float clamp(Float x, double low, double high) {
  Float above = clampLow(x, low);
  return select(above > high, high, above);
}

/// The bits of a float as an integer of its width, and back.
Int toBits(Float a);
Float fromBits(Int a);
/// Conversions between a float that holds an integer and an integer of the same width, for
/// magnitudes below 2^51 (f64) or 2^22 (f32). No conversion instruction: some CPUs have none for 64
/// bits.
Int toInteger(Float a);
/// The integer nearest to a * factor, ties to even, as both, for the same magnitudes. An infinity
/// or NaN is NaN.
std::pair<Int, Float> toNearest(Float a, double factor);
Float toFloat(Int a);
/// An f64 float of the sibling emitter `wide` from an f32 one, and back.
Float widen(Emitter &wide, Float a);
Float narrow(Emitter &emitter, Float a);
/// 2^n for n in the exponent range of normal numbers.
Float powerOfTwo(Int n);
/// True (a scalar i1) if any lane of `condition` is.
mlir::Value anyLane(Bool condition);

/// An unevaluated sum high + low, |low| at most half an ulp of high.
struct Double {
  Float high, low;
};
/// a + b exactly, for |a| >= |b| or a == 0.
Double fastTwoSum(Float a, Float b);
/// a * b exactly (no overflow).
Double twoProduct(Float a, Float b);
Double multiply(Double a, Double b);
Double multiply(Double a, Float b);

} // namespace tw::math
