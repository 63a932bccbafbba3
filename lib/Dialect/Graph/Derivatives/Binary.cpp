// Elementwise ops of several operands, and conversions. g is the cotangent of the result y.
#include "Adjoint.h"

using namespace mlir;
using namespace tw::graph;

static LogicalResult deriveAdd(AddOp, Adjoint &a) {
  a.give(0, a.g());
  a.give(1, a.g());
  return success();
}

static LogicalResult deriveSub(SubOp, Adjoint &a) {
  a.give(0, a.g());
  if (a.needs(1))
    a.give(1, a.neg(a.g()));
  return success();
}

static LogicalResult deriveMul(MulOp op, Adjoint &a) {
  if (a.needs(0))
    a.give(0, a.mul(a.g(), op.getRhs()));
  if (a.needs(1))
    a.give(1, a.mul(a.g(), op.getLhs()));
  return success();
}

static LogicalResult deriveDiv(DivOp op, Adjoint &a) {
  if (a.needs(0))
    a.give(0, a.div(a.g(), op.getRhs()));
  if (a.needs(1))
    a.give(1, a.neg(a.mul(a.g(), a.div(op.getResult(), op.getRhs()))));
  return success();
}

/// a - q b with a whole q, between whose jumps it does not change.
template <typename OpTy> static LogicalResult deriveRemainder(OpTy op, Adjoint &a) {
  a.give(0, a.g());
  if (a.needs(1)) {
    Value quotient = a.div(a.sub(op.getLhs(), op.getResult()), op.getRhs());
    a.give(1, a.neg(a.mul(a.g(), a.same<RoundOp>({quotient}))));
  }
  return success();
}

static LogicalResult derivePow(PowOp op, Adjoint &a) {
  Value base = op.getLhs(), exponent = op.getRhs(), zero = a.zero(base);
  if (a.needs(0)) {
    // x ^ 0 is 1 everywhere.
    Value lower = a.same<PowOp>({base, a.sub(exponent, a.constant(base, 1))});
    Value own = a.mul(a.g(), a.mul(exponent, lower));
    a.give(0, a.select(a.compare(ComparePredicate::Eq, exponent, zero), zero, own));
  }
  if (a.needs(1)) {
    // 0 ^ y is 0 for y above 0.
    Value own = a.mul(a.g(), a.mul(op.getResult(), a.same<LogOp>({base})));
    Value isFlat = a.same<AndOp>({a.compare(ComparePredicate::Eq, base, zero),
                                  a.compare(ComparePredicate::Ge, exponent, zero)});
    a.give(1, a.select(isFlat, zero, own));
  }
  return success();
}

/// The winner gets it; equals get a half each, and beside NaN all of it.
template <typename OpTy, ComparePredicate Loses>
static LogicalResult deriveExtremumOfTwo(OpTy op, Adjoint &a) {
  Value g = a.g(), half = a.scaled(g, 0.5), zero = a.zero(g);
  for (unsigned i : {0, 1}) {
    if (!a.needs(i))
      continue;
    Value own = op->getOperand(i), other = op->getOperand(1 - i);
    Value rest = a.select(a.compare(ComparePredicate::Eq, own, other), half, g);
    a.give(i, a.select(a.compare(Loses, own, other), zero, rest));
  }
  return success();
}

static LogicalResult deriveSelect(SelectOp op, Adjoint &a) {
  Value zero = a.zero(a.g());
  if (a.needs(1))
    a.give(1, a.select(op.getCondition(), a.g(), zero));
  if (a.needs(2))
    a.give(2, a.select(op.getCondition(), zero, a.g()));
  return success();
}

/// A limit that is met has it, so that the parts are always all of it.
static LogicalResult deriveClamp(ClampOp op, Adjoint &a) {
  Value x = op.getInput(), low = op.getLow(), high = op.getHigh(), zero = a.zero(a.g());
  auto isBelow = [&](Value left, Value right) {
    return a.compare(ComparePredicate::Lt, left, right);
  };
  auto isNotBelow = [&](Value left, Value right) {
    return a.compare(ComparePredicate::Ge, left, right);
  };
  auto give = [&](unsigned i, Value condition) { a.give(i, a.select(condition, a.g(), zero)); };
  if (a.needs(0))
    give(0, a.same<AndOp>({isBelow(low, x), isBelow(x, high)}));
  if (a.needs(1))
    give(1, a.same<AndOp>({isNotBelow(low, x), isBelow(low, high)}));
  if (a.needs(2))
    give(2, a.same<OrOp>({isNotBelow(x, high), isNotBelow(low, high)}));
  return success();
}

static LogicalResult deriveCast(CastOp op, Adjoint &a) {
  Type from = a.elementOf(op.getInput());
  if (isa<FloatType>(from) && isa<FloatType>(a.elementOf(op.getResult())))
    a.give(0, a.cast(a.g(), from));
  return success();
}

void tw::graph::addBinaryDerivatives(DerivativeRules &rules) {
  rules.add<AddOp>(deriveAdd);
  rules.add<SubOp>(deriveSub);
  rules.add<MulOp>(deriveMul);
  rules.add<DivOp>(deriveDiv);
  rules.add<RemOp>(deriveRemainder<RemOp>);
  rules.add<ModOp>(deriveRemainder<ModOp>);
  rules.add<PowOp>(derivePow);
  rules.add<MaximumOp>(deriveExtremumOfTwo<MaximumOp, ComparePredicate::Lt>);
  rules.add<MinimumOp>(deriveExtremumOfTwo<MinimumOp, ComparePredicate::Gt>);
  rules.add<SelectOp>(deriveSelect);
  rules.add<ClampOp>(deriveClamp);
  rules.add<CastOp>(deriveCast);
  rules.addConstant<AndOp, OrOp, XorOp, ShlOp, ShrOp, CompareOp, BitcastOp>();
}
