// Simplification of compare, select, clamp, cast.
#include "ConstantEvaluation.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw::graph;

// x == x and the like of integers; a NaN differs from itself.
OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  Type element = getLhs().getType().getElementType();
  ComparePredicate predicate = getPredicate();
  if (getLhs() == getRhs() && !isa<FloatType>(element)) {
    bool value = predicate == ComparePredicate::Eq || predicate == ComparePredicate::Le ||
                 predicate == ComparePredicate::Ge;
    if (Attribute result = getSplat(getType(), value))
      return result;
  }
  // Of a bool: x == true -> x, x != false -> x.
  if (element.isInteger(1) &&
      ((predicate == ComparePredicate::Eq && isSplat(adaptor.getRhs(), 1)) ||
       (predicate == ComparePredicate::Ne && isSplat(adaptor.getRhs(), 0))))
    return getLhs();
  return evaluateElementwise(*this, adaptor.getOperands());
}

static ComparePredicate swapOperands(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
  case ComparePredicate::Ne:
    return predicate;
  case ComparePredicate::Lt:
    return ComparePredicate::Gt;
  case ComparePredicate::Le:
    return ComparePredicate::Ge;
  case ComparePredicate::Gt:
    return ComparePredicate::Lt;
  case ComparePredicate::Ge:
    return ComparePredicate::Le;
  }
  llvm_unreachable("all predicates handled");
}

/// Whether a value is made before another one of the block; arguments are made before ops.
static bool isBefore(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (first && second && first != second)
    return first->getBlock() == second->getBlock() && first->isBeforeInBlock(second);
  if (first || second)
    return first != second
               ? !first
               : cast<OpResult>(a).getResultNumber() < cast<OpResult>(b).getResultNumber();
  return cast<BlockArgument>(a).getArgNumber() < cast<BlockArgument>(b).getArgNumber();
}

// c < x -> x > c: constants stand on the right. Of what is left, x > y -> y < x, x >= y -> y <= x,
// and of x == y and x != y the operand that is made first stands on the left: each comparison has
// one form, so that it is computed once.
LogicalResult CompareOp::canonicalize(CompareOp op, PatternRewriter &rewriter) {
  bool lhsIsConstant = matchPattern(op.getLhs(), m_Constant());
  if (matchPattern(op.getRhs(), m_Constant()))
    return rewriter.notifyMatchFailure(op, "the right operand is constant");
  ComparePredicate predicate = op.getPredicate();
  bool isSymmetric = predicate == ComparePredicate::Eq || predicate == ComparePredicate::Ne;
  bool isGreater = predicate == ComparePredicate::Gt || predicate == ComparePredicate::Ge;
  if (!lhsIsConstant && !isGreater && !(isSymmetric && isBefore(op.getRhs(), op.getLhs())))
    return rewriter.notifyMatchFailure(op, "the operands are in order");
  rewriter.replaceOpWithNewOp<CompareOp>(op, swapOperands(predicate), op.getRhs(), op.getLhs());
  return success();
}

// select(true, a, b) -> a; select(c, x, x) -> x; select(c, true, false) -> c.
OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (std::optional<APInt> condition = getIntegerSplat(adaptor.getCondition()))
    return condition->isZero() ? getOnFalse() : getOnTrue();
  if (getType().getElementType().isInteger(1) && isSplat(adaptor.getOnTrue(), 1) &&
      isSplat(adaptor.getOnFalse(), 0))
    return getCondition();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// select(not(c), a, b) -> select(c, b, a).
LogicalResult SelectOp::canonicalize(SelectOp op, PatternRewriter &rewriter) {
  auto inverted = op.getCondition().getDefiningOp<NotOp>();
  if (!inverted)
    return rewriter.notifyMatchFailure(op, "the condition is no negation");
  rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), inverted.getInput(), op.getOnFalse(),
                                        op.getOnTrue());
  return success();
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  return evaluateElementwise(*this, adaptor.getOperands());
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return evaluateElementwise(*this, adaptor.getOperands());
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<BitcastOp>()) {
    setOperand(inner.getInput());
    return getResult();
  }
  return {};
}

// Whether every value of `from` is a value of `to`.
static bool holdsAll(Type to, Type from) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat) {
    if (!toFloat || !llvm::APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                                      toFloat.getFloatSemantics()))
      return false;
    // Infinities and -0, which not every float has, are beside what that compares.
    return llvm::APFloat::semanticsHasInf(toFloat.getFloatSemantics()) || from == to;
  }
  // An unsigned type has one more bit of magnitude than a signed one of its width.
  auto magnitude = [](Type type) {
    return type.getIntOrFloatBitWidth() - (isUnsigned(type) ? 0 : 1);
  };
  if (toFloat)
    return magnitude(from) <= toFloat.getFPMantissaWidth() &&
           int(magnitude(from)) <= llvm::APFloat::semanticsMaxExponent(toFloat.getFloatSemantics());
  return magnitude(from) <= magnitude(to) && (isUnsigned(from) || !isUnsigned(to));
}

// cast(cast(x : T to U) to V) -> cast(x : T to V) where U holds every T. A signed integer that
// became a float saturates where the integer wraps, so there V must hold every T, too.
LogicalResult CastOp::canonicalize(CastOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<CastOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the operand is no cast");
  Type from = inner.getInput().getType().getElementType();
  Type through = inner.getType().getElementType(), to = op.getType().getElementType();
  bool saturates =
      !isa<FloatType>(from) && isa<FloatType>(through) && !isa<FloatType>(to) && !to.isInteger(1);
  if (!holdsAll(through, from) || (saturates && !holdsAll(to, from)))
    return rewriter.notifyMatchFailure(op, "the inner cast loses values");
  rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getInput());
  return success();
}
