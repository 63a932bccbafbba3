// Elementwise ops of two operands: registration, expansion to scalar arithmetic.
#include "ScalarBuilder.h"
#include "tw/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/BinaryOps.cpp.inc"

void GraphDialect::registerBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/BinaryOps.cpp.inc"
      >();
}

// Ops that arith has with the same meaning, per class of element type.
#define TW_SAME_AS_ARITH(OP, FLOAT, SIGNED, UNSIGNED)                                              \
  Value OP::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,      \
                        Type) {                                                                    \
    if (isa<FloatType>(types[0]))                                                                  \
      return FLOAT::create(builder, loc, x[0], x[1]);                                              \
    if (isUnsigned(types[0]))                                                                      \
      return UNSIGNED::create(builder, loc, x[0], x[1]);                                           \
    return SIGNED::create(builder, loc, x[0], x[1]);                                               \
  }
TW_SAME_AS_ARITH(AddOp, arith::AddFOp, arith::AddIOp, arith::AddIOp)
TW_SAME_AS_ARITH(SubOp, arith::SubFOp, arith::SubIOp, arith::SubIOp)
TW_SAME_AS_ARITH(MulOp, arith::MulFOp, arith::MulIOp, arith::MulIOp)
TW_SAME_AS_ARITH(MinimumOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp)
TW_SAME_AS_ARITH(MaximumOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp)
#undef TW_SAME_AS_ARITH

#define TW_BITWISE(OP, ARITH)                                                                      \
  Value OP::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {    \
    return ARITH::create(builder, loc, x[0], x[1]);                                                \
  }
TW_BITWISE(AndOp, arith::AndIOp)
TW_BITWISE(OrOp, arith::OrIOp)
TW_BITWISE(XorOp, arith::XOrIOp)
#undef TW_BITWISE

// 1 where a / b would be undefined in arith, else b. For the least value / -1 the quotient by 1 is
// the least value and the remainder 0, which is what wrapping gives.
static Value safeDivisor(ScalarBuilder &b, Value lhs, Value rhs, Value isZero, bool isUnsigned) {
  Type type = rhs.getType();
  Value unsafe = isZero;
  if (!isUnsigned) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value isLeast =
        b.compare(CmpIPredicate::eq, lhs, b.integer(type, APInt::getSignedMinValue(width)));
    Value isMinusOne = b.compare(CmpIPredicate::eq, rhs, b.integer(type, -1));
    unsafe = b.create<arith::OrIOp>(unsafe, b.create<arith::AndIOp>(isLeast, isMinusOne));
  }
  return b.select(unsafe, b.integer(type, 1), rhs);
}

Value DivOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.create<arith::DivFOp>(x[0], x[1]);
  Type type = x[0].getType();
  Value isZero = b.compare(CmpIPredicate::eq, x[1], b.integer(type, 0));
  Value divisor = safeDivisor(b, x[0], x[1], isZero, isUnsigned(types[0]));
  Value quotient = isUnsigned(types[0]) ? b.create<arith::DivUIOp>(x[0], divisor)
                                        : b.create<arith::DivSIOp>(x[0], divisor);
  return b.select(isZero, b.integer(type, -1), quotient);
}

// rem(x, 0) = x.
static Value integerRemainder(ScalarBuilder &b, ValueRange x, bool isUnsigned) {
  Value isZero = b.compare(CmpIPredicate::eq, x[1], b.integer(x[1].getType(), 0));
  Value divisor = safeDivisor(b, x[0], x[1], isZero, isUnsigned);
  Value remainder = isUnsigned ? b.create<arith::RemUIOp>(x[0], divisor)
                               : b.create<arith::RemSIOp>(x[0], divisor);
  return b.select(isZero, x[0], remainder);
}

Value RemOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.create<arith::RemFOp>(x[0], x[1]);
  return integerRemainder(b, x, isUnsigned(types[0]));
}

Value ModOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  Type type = x[0].getType();
  if (isa<FloatType>(types[0])) {
    Value zero = b.real(type, 0.0);
    Value remainder = b.create<arith::RemFOp>(x[0], x[1]);
    Value isZero = b.compare(CmpFPredicate::OEQ, remainder, zero);
    Value remainderBelow = b.compare(CmpFPredicate::OLT, remainder, zero);
    Value divisorBelow = b.compare(CmpFPredicate::OLT, x[1], zero);
    Value differ = b.create<arith::XOrIOp>(remainderBelow, divisorBelow);
    Value shifted = b.create<arith::AddFOp>(remainder, x[1]);
    Value signedZero = b.create<math::CopySignOp>(remainder, x[1]);
    return b.select(isZero, signedZero, b.select(differ, shifted, remainder));
  }
  Value remainder = integerRemainder(b, x, isUnsigned(types[0]));
  if (isUnsigned(types[0]))
    return remainder;
  Value zero = b.integer(type, 0);
  Value differ = b.compare(CmpIPredicate::slt, b.create<arith::XOrIOp>(remainder, x[1]), zero);
  Value notZero = b.compare(CmpIPredicate::ne, remainder, zero);
  Value shifted = b.create<arith::AddIOp>(remainder, x[1]);
  return b.select(b.create<arith::AndIOp>(differ, notZero), shifted, remainder);
}

Value PowOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.create<math::PowFOp>(x[0], x[1]);
  // Square and multiply over the bits of the exponent; a negative exponent is chosen away.
  Type type = x[0].getType();
  bool isSigned = !isUnsigned(types[0]);
  unsigned bits = types[0].getIntOrFloatBitWidth() - (isSigned ? 1 : 0);
  Value zero = b.integer(type, 0), one = b.integer(type, 1);
  Value power = one, square = x[0];
  for (unsigned i = 0; i != bits; ++i) {
    Value bit = b.create<arith::AndIOp>(
        x[1], b.integer(type, APInt::getOneBitSet(types[0].getIntOrFloatBitWidth(), i)));
    Value isSet = b.compare(CmpIPredicate::ne, bit, zero);
    power = b.select(isSet, b.create<arith::MulIOp>(power, square), power);
    if (i + 1 != bits)
      square = b.create<arith::MulIOp>(square, square);
  }
  if (!isSigned)
    return power;
  Value minusOne = b.integer(type, -1);
  Value isOdd = b.compare(CmpIPredicate::ne, b.create<arith::AndIOp>(x[1], one), zero);
  Value isOne = b.compare(CmpIPredicate::eq, x[0], one);
  Value isMinusOne = b.compare(CmpIPredicate::eq, x[0], minusOne);
  Value inverse = b.select(isOne, one, b.select(isMinusOne, b.select(isOdd, minusOne, one), zero));
  return b.select(b.compare(CmpIPredicate::slt, x[1], zero), inverse, power);
}

// 0 for amounts at or above the width.
template <typename ShiftOp>
static Value logicalShift(ScalarBuilder &b, ValueRange x, Type element) {
  Type type = x[0].getType();
  Value zero = b.integer(type, 0);
  Value inside = b.compare(CmpIPredicate::ult, x[1],
                           b.integer(type, int64_t(element.getIntOrFloatBitWidth())));
  Value shifted = b.create<ShiftOp>(x[0], b.select(inside, x[1], zero));
  return b.select(inside, shifted, zero);
}

Value ShlOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  return logicalShift<arith::ShLIOp>(b, x, types[0]);
}

Value ShrOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  if (isUnsigned(types[0]))
    return logicalShift<arith::ShRUIOp>(b, x, types[0]);
  int64_t last = int64_t(types[0].getIntOrFloatBitWidth()) - 1;
  Value amount = b.create<arith::MinUIOp>(x[1], b.integer(x[1].getType(), last));
  return b.create<arith::ShRSIOp>(x[0], amount);
}
