// Elementwise ops of one operand. x is the operand, y the result, g its cotangent.
#include "Adjoint.h"

#include <numbers>

using namespace mlir;
using namespace tw::graph;

/// The rule `d(x, y)` is the factor of the cotangent.
template <typename OpTy, Value (*Factor)(Adjoint &, Value x, Value y)>
static LogicalResult scale(OpTy op, Adjoint &a) {
  a.give(0, a.mul(a.g(), Factor(a, op.getInput(), op.getResult())));
  return success();
}
/// The same by division.
template <typename OpTy, Value (*Divisor)(Adjoint &, Value x, Value y)>
static LogicalResult divide(OpTy op, Adjoint &a) {
  a.give(0, a.div(a.g(), Divisor(a, op.getInput(), op.getResult())));
  return success();
}

template <typename Op> static Value of(Adjoint &a, Value x) { return a.same<Op>({x}); }
static Value plusOne(Adjoint &a, Value x) { return a.add(x, a.constant(x, 1)); }
static Value minusOne(Adjoint &a, Value x) { return a.sub(x, a.constant(x, 1)); }
static Value square(Adjoint &a, Value x) { return a.mul(x, x); }

namespace {
Value forAbs(Adjoint &a, Value x, Value) { return of<SignOp>(a, x); }
Value forNeg(Adjoint &a, Value x, Value) { return a.constant(x, -1); }
Value forExp(Adjoint &, Value, Value y) { return y; }
Value forLog(Adjoint &, Value x, Value) { return x; }
Value forSqrt(Adjoint &a, Value, Value y) { return a.scaled(y, 2); }
Value forRsqrt(Adjoint &a, Value, Value y) { return a.scaled(a.mul(square(a, y), y), -0.5); }
Value forReciprocal(Adjoint &a, Value, Value y) { return a.neg(square(a, y)); }
Value forSigmoid(Adjoint &a, Value, Value y) { return a.mul(y, a.sub(a.constant(y, 1), y)); }
Value forTanh(Adjoint &a, Value, Value y) { return a.oneMinusSquare(y); }
Value forErf(Adjoint &a, Value x, Value) {
  return a.scaled(of<ExpOp>(a, a.neg(square(a, x))), 2 * std::numbers::inv_sqrtpi);
}
Value forSin(Adjoint &a, Value x, Value) { return of<CosOp>(a, x); }
Value forCos(Adjoint &a, Value x, Value) { return a.neg(of<SinOp>(a, x)); }
Value forTan(Adjoint &a, Value, Value y) { return plusOne(a, square(a, y)); }
Value forAsin(Adjoint &a, Value x, Value) { return of<SqrtOp>(a, a.oneMinusSquare(x)); }
Value forAcos(Adjoint &a, Value x, Value) { return a.neg(of<SqrtOp>(a, a.oneMinusSquare(x))); }
Value forAtan(Adjoint &a, Value x, Value) { return plusOne(a, square(a, x)); }
Value forSinh(Adjoint &a, Value x, Value) { return of<CoshOp>(a, x); }
Value forCosh(Adjoint &a, Value x, Value) { return of<SinhOp>(a, x); }
Value forAsinh(Adjoint &a, Value x, Value) { return of<SqrtOp>(a, plusOne(a, square(a, x))); }
// Two roots, so that x below 1 gives NaN as the op does.
Value forAcosh(Adjoint &a, Value x, Value) {
  return a.mul(of<RsqrtOp>(a, minusOne(a, x)), of<RsqrtOp>(a, plusOne(a, x)));
}
Value forAtanh(Adjoint &a, Value x, Value) { return a.oneMinusSquare(x); }
} // namespace

void tw::graph::addUnaryDerivatives(DerivativeRules &rules) {
  rules.add<AbsOp>(scale<AbsOp, forAbs>);
  rules.add<NegOp>(scale<NegOp, forNeg>);
  rules.add<ExpOp>(scale<ExpOp, forExp>);
  rules.add<LogOp>(divide<LogOp, forLog>);
  rules.add<SqrtOp>(divide<SqrtOp, forSqrt>);
  rules.add<RsqrtOp>(scale<RsqrtOp, forRsqrt>);
  rules.add<ReciprocalOp>(scale<ReciprocalOp, forReciprocal>);
  rules.add<SigmoidOp>(scale<SigmoidOp, forSigmoid>);
  rules.add<TanhOp>(scale<TanhOp, forTanh>);
  rules.add<ErfOp>(scale<ErfOp, forErf>);
  rules.add<SinOp>(scale<SinOp, forSin>);
  rules.add<CosOp>(scale<CosOp, forCos>);
  rules.add<TanOp>(scale<TanOp, forTan>);
  rules.add<AsinOp>(divide<AsinOp, forAsin>);
  rules.add<AcosOp>(divide<AcosOp, forAcos>);
  rules.add<AtanOp>(divide<AtanOp, forAtan>);
  rules.add<SinhOp>(scale<SinhOp, forSinh>);
  rules.add<CoshOp>(scale<CoshOp, forCosh>);
  rules.add<AsinhOp>(divide<AsinhOp, forAsinh>);
  rules.add<AcoshOp>(scale<AcoshOp, forAcosh>);
  rules.add<AtanhOp>(divide<AtanhOp, forAtanh>);
  // Zero wherever there is a derivative.
  rules.addConstant<SignOp, CeilOp, FloorOp, RoundOp, IsNanOp, IsInfOp, NotOp>();
}
