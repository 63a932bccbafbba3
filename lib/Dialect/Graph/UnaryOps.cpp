// Elementwise ops of one operand: registration, inference, expansion to scalar arithmetic.
#include "ScalarBuilder.h"
#include "tw/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;
using arith::CmpFPredicate;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/UnaryOps.cpp.inc"

void GraphDialect::registerUnaryOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/UnaryOps.cpp.inc"
      >();
}

LogicalResult IsNanOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(withElementType(adaptor.getInput().getType(), IntegerType::get(context, 1)));
  return success();
}

LogicalResult IsInfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(withElementType(adaptor.getInput().getType(), IntegerType::get(context, 1)));
  return success();
}

Value NegOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.create<arith::NegFOp>(x[0]);
  return b.create<arith::SubIOp>(b.integer(x[0].getType(), 0), x[0]);
}

Value AbsOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                         Type) {
  ScalarBuilder b{builder, loc};
  if (isa<FloatType>(types[0]))
    return b.create<math::AbsFOp>(x[0]);
  if (isUnsigned(types[0]))
    return x[0];
  // The least value is its own negative, so it stays.
  Value negative = b.create<arith::SubIOp>(b.integer(x[0].getType(), 0), x[0]);
  return b.create<arith::MaxSIOp>(x[0], negative);
}

Value SignOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                          Type) {
  ScalarBuilder b{builder, loc};
  Type type = x[0].getType();
  if (isa<FloatType>(types[0])) {
    // Zeros and NaN are neither above nor below zero: they are their own sign.
    Value zero = b.real(type, 0.0);
    Value below = b.compare(CmpFPredicate::OLT, x[0], zero);
    Value above = b.compare(CmpFPredicate::OGT, x[0], zero);
    return b.select(above, b.real(type, 1.0), b.select(below, b.real(type, -1.0), x[0]));
  }
  if (isUnsigned(types[0]))
    return b.create<arith::MinUIOp>(x[0], b.integer(type, 1));
  Value atMostOne = b.create<arith::MinSIOp>(x[0], b.integer(type, 1));
  return b.create<arith::MaxSIOp>(atMostOne, b.integer(type, -1));
}

Value RsqrtOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {
  ScalarBuilder b{builder, loc};
  return b.create<arith::DivFOp>(b.real(x[0].getType(), 1.0), b.create<math::SqrtOp>(x[0]));
}

Value ReciprocalOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>,
                                Type) {
  ScalarBuilder b{builder, loc};
  return b.create<arith::DivFOp>(b.real(x[0].getType(), 1.0), x[0]);
}

Value SigmoidOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {
  // exp overflows to inf for very negative x, and 1 / inf is the limit 0.
  ScalarBuilder b{builder, loc};
  Value one = b.real(x[0].getType(), 1.0);
  Value exp = b.create<math::ExpOp>(b.create<arith::NegFOp>(x[0]));
  return b.create<arith::DivFOp>(one, b.create<arith::AddFOp>(one, exp));
}

Value NotOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {
  ScalarBuilder b{builder, loc};
  return b.create<arith::XOrIOp>(x[0], b.integer(x[0].getType(), -1));
}

Value IsNanOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {
  return ScalarBuilder{builder, loc}.compare(CmpFPredicate::UNO, x[0], x[0]);
}

Value IsInfOp::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type> types,
                           Type) {
  ScalarBuilder b{builder, loc};
  const llvm::fltSemantics &semantics = cast<FloatType>(types[0]).getFloatSemantics();
  if (!APFloat::semanticsHasInf(semantics))
    return b.constant(x[0].getType(), builder.getBoolAttr(false));
  return b.compare(CmpFPredicate::OEQ, b.create<math::AbsFOp>(x[0]),
                   b.real(x[0].getType(), APFloat::getInf(semantics)));
}

// Ops that math has with the same meaning.
#define TW_SAME_AS_MATH(OP, MATH)                                                                  \
  Value OP::buildScalar(OpBuilder &builder, Location loc, ValueRange x, ArrayRef<Type>, Type) {    \
    return MATH::create(builder, loc, x[0]);                                                       \
  }
TW_SAME_AS_MATH(ExpOp, math::ExpOp)
TW_SAME_AS_MATH(LogOp, math::LogOp)
TW_SAME_AS_MATH(SqrtOp, math::SqrtOp)
TW_SAME_AS_MATH(TanhOp, math::TanhOp)
TW_SAME_AS_MATH(ErfOp, math::ErfOp)
TW_SAME_AS_MATH(FloorOp, math::FloorOp)
TW_SAME_AS_MATH(CeilOp, math::CeilOp)
TW_SAME_AS_MATH(RoundOp, math::RoundEvenOp)
TW_SAME_AS_MATH(SinOp, math::SinOp)
TW_SAME_AS_MATH(CosOp, math::CosOp)
TW_SAME_AS_MATH(TanOp, math::TanOp)
TW_SAME_AS_MATH(AsinOp, math::AsinOp)
TW_SAME_AS_MATH(AcosOp, math::AcosOp)
TW_SAME_AS_MATH(AtanOp, math::AtanOp)
TW_SAME_AS_MATH(SinhOp, math::SinhOp)
TW_SAME_AS_MATH(CoshOp, math::CoshOp)
TW_SAME_AS_MATH(AsinhOp, math::AsinhOp)
TW_SAME_AS_MATH(AcoshOp, math::AcoshOp)
TW_SAME_AS_MATH(AtanhOp, math::AtanhOp)
#undef TW_SAME_AS_MATH
