// Simplification of elementwise ops of two operands. Rules for floats hold for NaN, infinities and
// both zeros; what does not (x + 0, x * 0, x - x, x / x) is not done.
#include "ConstantEvaluation.h"

#include "tw/Dialect/Graph/Create.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw::graph;

static bool isFloat(RankedTensorType type) { return isa<FloatType>(type.getElementType()); }

// The constant that defines a value, or null.
static Attribute constantOf(Value value) {
  Attribute attribute;
  matchPattern(value, m_Constant(&attribute));
  return attribute;
}

// x + 0 -> x for integers, x + -0.0 -> x for floats (-0.0 + 0.0 is 0.0).
OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), isFloat(getType()) ? -0.0 : 0.0))
    return getLhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// a + neg(b) -> a - b; neg(a) + b -> b - a.
LogicalResult AddOp::canonicalize(AddOp op, PatternRewriter &rewriter) {
  if (auto negated = op.getRhs().getDefiningOp<NegOp>())
    rewriter.replaceOpWithNewOp<SubOp>(op, op.getLhs(), negated.getInput());
  else if (auto negated = op.getLhs().getDefiningOp<NegOp>())
    rewriter.replaceOpWithNewOp<SubOp>(op, op.getRhs(), negated.getInput());
  else
    return rewriter.notifyMatchFailure(op, "no operand is a negation");
  return success();
}

// x - 0 -> x; x - x -> 0 for integers.
OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  if (getLhs() == getRhs() && !isFloat(getType()))
    if (Attribute zero = getSplat(getType(), 0))
      return zero;
  return evaluateElementwise(*this, adaptor.getOperands());
}

// a - neg(b) -> a + b; 0 - x -> neg(x) for integers, -0.0 - x -> neg(x) for floats.
LogicalResult SubOp::canonicalize(SubOp op, PatternRewriter &rewriter) {
  if (auto negated = op.getRhs().getDefiningOp<NegOp>()) {
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getLhs(), negated.getInput());
    return success();
  }
  if (!isSplat(constantOf(op.getLhs()), isFloat(op.getType()) ? -0.0 : 0.0))
    return rewriter.notifyMatchFailure(op, "neither a negation nor a subtraction from zero");
  rewriter.replaceOpWithNewOp<NegOp>(op, op.getRhs());
  return success();
}

// x * 1 -> x; x * 0 -> 0 for integers.
OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return getLhs();
  if (!isFloat(getType()) && isSplat(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// x * -1 -> neg(x).
LogicalResult MulOp::canonicalize(MulOp op, PatternRewriter &rewriter) {
  if (isUnsigned(op.getType().getElementType()) || !isSplat(constantOf(op.getRhs()), -1))
    return rewriter.notifyMatchFailure(op, "not a product with -1");
  rewriter.replaceOpWithNewOp<NegOp>(op, op.getLhs());
  return success();
}

// x / 1 -> x. Neither x / x nor 0 / x: a division by zero is defined.
OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return getLhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// x / c -> x * (1 / c) for floats where 1 / c is exact; c may be repeated as often as a call says.
LogicalResult DivOp::canonicalize(DivOp op, PatternRewriter &rewriter) {
  auto repeated = op.getRhs().getDefiningOp<ExpandOp>();
  Value constant = repeated ? repeated.getInput() : op.getRhs();
  std::optional<APFloat> divisor = getFloatSplat(constantOf(constant));
  APFloat inverse(0.0);
  if (!divisor || !divisor->getExactInverse(&inverse))
    return rewriter.notifyMatchFailure(op, "the divisor is no constant with an exact inverse");
  auto type = cast<RankedTensorType>(constant.getType());
  Value factor = ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(type, inverse));
  if (repeated)
    factor = ExpandOp::create(rewriter, op.getLoc(), op.getType(), factor);
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), factor);
  return success();
}

// The remainder of an integer by 1 is 0.
static Attribute remainderByOne(RankedTensorType type, Attribute divisor) {
  return !isFloat(type) && isSplat(divisor, 1) ? getSplat(type, 0) : Attribute();
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  if (Attribute zero = remainderByOne(getType(), adaptor.getRhs()))
    return zero;
  return evaluateElementwise(*this, adaptor.getOperands());
}

OpFoldResult ModOp::fold(FoldAdaptor adaptor) {
  if (Attribute zero = remainderByOne(getType(), adaptor.getRhs()))
    return zero;
  return evaluateElementwise(*this, adaptor.getOperands());
}

// pow(x, 1) -> x; pow(x, 0) -> 1, also for NaN.
OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return getLhs();
  if (isSplat(adaptor.getRhs(), 0) || isSplat(adaptor.getRhs(), -0.0))
    if (Attribute one = getSplat(getType(), 1))
      return one;
  return evaluateElementwise(*this, adaptor.getOperands());
}

// pow(x, 2) -> x * x; pow(x, 3) -> x * x * x; pow(x, -1) -> reciprocal(x) for floats.
LogicalResult PowOp::canonicalize(PowOp op, PatternRewriter &rewriter) {
  Attribute exponent = constantOf(op.getRhs());
  Value x = op.getLhs();
  // A bool has no 2 and no 3.
  if (!op.getType().getElementType().isInteger(1)) {
    bool isCube = isSplat(exponent, 3);
    if (isCube || isSplat(exponent, 2)) {
      Value power = MulOp::create(rewriter, op.getLoc(), x, x);
      if (isCube)
        power = MulOp::create(rewriter, op.getLoc(), power, x);
      rewriter.replaceOp(op, power);
      return success();
    }
  }
  if (!isFloat(op.getType()) || !isSplat(exponent, -1))
    return rewriter.notifyMatchFailure(op, "the exponent is none of 2, 3 and -1");
  rewriter.replaceOpWithNewOp<ReciprocalOp>(op, x);
  return success();
}

// Whether `constant` is the least (greatest) value of its type; for floats an infinity.
static bool isExtreme(Attribute constant, Type element, bool greatest) {
  if (std::optional<APFloat> number = getFloatSplat(constant))
    return number->isInfinity() && number->isNegative() != greatest;
  std::optional<APInt> number = getIntegerSplat(constant);
  if (!number)
    return false;
  if (isUnsigned(element))
    return greatest ? number->isMaxValue() : number->isMinValue();
  return greatest ? number->isMaxSignedValue() : number->isMinSignedValue();
}

// minimum(x, x) -> x; minimum(x, greatest) -> x; minimum(x, least) -> least for integers.
OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  Type element = getType().getElementType();
  if (getLhs() == getRhs() || isExtreme(adaptor.getRhs(), element, /*greatest=*/true))
    return getLhs();
  if (!isFloat(getType()) && isExtreme(adaptor.getRhs(), element, /*greatest=*/false))
    return adaptor.getRhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// maximum(x, x) -> x; maximum(x, least) -> x; maximum(x, greatest) -> greatest for integers.
OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  Type element = getType().getElementType();
  if (getLhs() == getRhs() || isExtreme(adaptor.getRhs(), element, /*greatest=*/false))
    return getLhs();
  if (!isFloat(getType()) && isExtreme(adaptor.getRhs(), element, /*greatest=*/true))
    return adaptor.getRhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// x & x -> x; x & 0 -> 0; x & ~0 -> x.
OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAllOnes(adaptor.getRhs()))
    return getLhs();
  if (isSplat(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// x | x -> x; x | 0 -> x; x | ~0 -> ~0.
OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isSplat(adaptor.getRhs(), 0))
    return getLhs();
  if (isAllOnes(adaptor.getRhs()))
    return adaptor.getRhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// x ^ 0 -> x; x ^ x -> 0.
OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0))
    return getLhs();
  if (getLhs() == getRhs())
    if (Attribute zero = getSplat(getType(), 0))
      return zero;
  return evaluateElementwise(*this, adaptor.getOperands());
}

// x ^ ~0 -> not(x).
LogicalResult XorOp::canonicalize(XorOp op, PatternRewriter &rewriter) {
  if (!isAllOnes(constantOf(op.getRhs())))
    return rewriter.notifyMatchFailure(op, "not an exclusive or with all bits set");
  rewriter.replaceOpWithNewOp<NotOp>(op, op.getLhs());
  return success();
}

// x << 0 -> x; x >> 0 -> x.
OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0))
    return getLhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

OpFoldResult ShrOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0))
    return getLhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}
