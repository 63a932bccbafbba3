// compare, select, clamp, cast: registration, verification, expansion to scalar arithmetic.
#include "ScalarBuilder.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/CompareOps.cpp.inc"

void GraphDialect::registerCompareOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/CompareOps.cpp.inc"
      >();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(withElementType(adaptor.getLhs().getType(), IntegerType::get(context, 1)));
  return success();
}

void CastOp::build(OpBuilder &, OperationState &state, Value input, Type elementType) {
  state.addOperands(input);
  state.addTypes(withElementType(input.getType(), elementType));
}

LogicalResult CastOp::verify() {
  Type expected = withElementType(getInput().getType(), getType().getElementType());
  if (expected == getType())
    return success();
  return tw::emitOpError(*this, Code::T0203)
         << "expected result type " << expected << " with the operand's shape, found " << getType();
}

void BitcastOp::build(OpBuilder &, OperationState &state, Value input, Type elementType) {
  state.addOperands(input);
  state.addTypes(withElementType(input.getType(), elementType));
}

LogicalResult BitcastOp::verify() {
  Type from = getInput().getType().getElementType(), to = getType().getElementType();
  if (withElementType(getInput().getType(), to) != getType())
    return tw::emitOpError(*this, Code::T0203)
           << "expected a result with the shape of " << getInput().getType() << ", found "
           << getType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth() ||
      from.getIntOrFloatBitWidth() < 8)
    return tw::emitOpError(*this, Code::T0213)
           << "expected element types of equally many bits, 8 at least, found " << from << " and "
           << to;
  return success();
}

Value BitcastOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars, ArrayRef<Type>,
                             Type to) {
  Type scalar = getScalarType(to);
  return scalars[0].getType() == scalar
             ? scalars[0]
             : arith::BitcastOp::create(builder, loc, scalar, scalars[0]).getResult();
}

static CmpFPredicate floatPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return CmpFPredicate::OEQ;
  case ComparePredicate::Ne:
    return CmpFPredicate::UNE;
  case ComparePredicate::Lt:
    return CmpFPredicate::OLT;
  case ComparePredicate::Le:
    return CmpFPredicate::OLE;
  case ComparePredicate::Gt:
    return CmpFPredicate::OGT;
  case ComparePredicate::Ge:
    return CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates handled");
}

static CmpIPredicate integerPredicate(ComparePredicate predicate, bool isUnsigned) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return CmpIPredicate::eq;
  case ComparePredicate::Ne:
    return CmpIPredicate::ne;
  case ComparePredicate::Lt:
    return isUnsigned ? CmpIPredicate::ult : CmpIPredicate::slt;
  case ComparePredicate::Le:
    return isUnsigned ? CmpIPredicate::ule : CmpIPredicate::sle;
  case ComparePredicate::Gt:
    return isUnsigned ? CmpIPredicate::ugt : CmpIPredicate::sgt;
  case ComparePredicate::Ge:
    return isUnsigned ? CmpIPredicate::uge : CmpIPredicate::sge;
  }
  llvm_unreachable("all predicates handled");
}

Value CompareOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                             Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.compare(floatPredicate(getPredicate()), x[0], x[1]);
  return b.compare(integerPredicate(getPredicate(), isUnsigned(types[0])), x[0], x[1]);
}

Value SelectOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {
  return ScalarBuilder{builder, loc}.select(x[0], x[1], x[2]);
}

Value ClampOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                           Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.create<arith::MinimumFOp>(b.create<arith::MaximumFOp>(x[0], x[1]), x[2]);
  if (isUnsigned(types[0]))
    return b.create<arith::MinUIOp>(b.create<arith::MaxUIOp>(x[0], x[1]), x[2]);
  return b.create<arith::MinSIOp>(b.create<arith::MaxSIOp>(x[0], x[1]), x[2]);
}

// Formats of one width convert through f32, which holds all of them exactly.
static Value convertFloat(ScalarBuilder &b, Value x, FloatType from, FloatType to) {
  Type result = b.typeLike(x.getType(), to);
  if (from.getWidth() == to.getWidth()) {
    Type wide = b.typeLike(x.getType(), b.builder.getF32Type());
    return b.create<arith::TruncFOp>(result, b.create<arith::ExtFOp>(wide, x));
  }
  return from.getWidth() < to.getWidth() ? b.create<arith::ExtFOp>(result, x)
                                         : b.create<arith::TruncFOp>(result, x);
}

// Truncates towards zero, saturates, NaN -> 0. The limits are the outermost floats whose
// truncation fits the integer type, so a float beyond them saturates.
static Value convertToInteger(ScalarBuilder &b, Value x, FloatType from, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  bool toUnsigned = isUnsigned(to);
  Type type = x.getType();
  APInt least = toUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt greatest = toUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APFloat low(from.getFloatSemantics()), high(from.getFloatSemantics());
  low.convertFromAPInt(least, !toUnsigned, APFloat::rmTowardZero);
  high.convertFromAPInt(greatest, !toUnsigned, APFloat::rmTowardZero);
  Value below = b.compare(CmpFPredicate::OLT, x, b.real(type, low));
  Value above = b.compare(CmpFPredicate::OGT, x, b.real(type, high));
  Value isNan = b.compare(CmpFPredicate::UNO, x, x);
  Value outside = b.create<arith::OrIOp>(b.create<arith::OrIOp>(below, above), isNan);
  Value inside = b.select(outside, b.real(type, 0.0), x);
  Type result = b.typeLike(type, getScalarType(to));
  Value converted = toUnsigned ? b.create<arith::FPToUIOp>(result, inside)
                               : b.create<arith::FPToSIOp>(result, inside);
  converted = b.select(above, b.integer(result, greatest), converted);
  return b.select(below, b.integer(result, least), converted);
}

Value CastOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars,
                          ArrayRef<Type> types, Type to) {
  ScalarBuilder b{builder, loc};
  Value x = scalars[0];
  Type from = types[0];
  if (from == to)
    return x;
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (to.isInteger(1))
    return fromFloat ? b.compare(CmpFPredicate::UNE, x, b.real(x.getType(), 0.0))
                     : b.compare(CmpIPredicate::ne, x, b.integer(x.getType(), 0));
  if (fromFloat)
    return toFloat ? convertFloat(b, x, fromFloat, toFloat) : convertToInteger(b, x, fromFloat, to);
  Type result = b.typeLike(x.getType(), getScalarType(to));
  if (toFloat)
    return isUnsigned(from) ? b.create<arith::UIToFPOp>(result, x)
                            : b.create<arith::SIToFPOp>(result, x);
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return x;
  if (fromWidth > toWidth)
    return b.create<arith::TruncIOp>(result, x);
  return isUnsigned(from) ? b.create<arith::ExtUIOp>(result, x)
                          : b.create<arith::ExtSIOp>(result, x);
}
