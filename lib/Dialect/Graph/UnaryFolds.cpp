// Simplification of elementwise ops of one operand.
#include "ConstantEvaluation.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw::graph;

#define TW_FOLD_CONSTANTS(OP)                                                                      \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                                     \
    return evaluateElementwise(*this, adaptor.getOperands());                                      \
  }
TW_FOLD_CONSTANTS(SignOp)
TW_FOLD_CONSTANTS(SqrtOp)
TW_FOLD_CONSTANTS(ReciprocalOp)
TW_FOLD_CONSTANTS(IsNanOp)
TW_FOLD_CONSTANTS(IsInfOp)
#undef TW_FOLD_CONSTANTS

// neg(neg(x)) -> x: flips the sign twice, or subtracts twice from 0, wrapping.
OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// abs(abs(x)) -> abs(x); abs(x) -> x for unsigned.
OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (isUnsigned(getType().getElementType()) || getInput().getDefiningOp<AbsOp>())
    return getInput();
  return evaluateElementwise(*this, adaptor.getOperands());
}

// abs(neg(x)) -> abs(x). The folder has removed abs of unsigned, where it does not hold.
LogicalResult AbsOp::canonicalize(AbsOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<NegOp>();
  if (!inner || isUnsigned(op.getType().getElementType()))
    return rewriter.notifyMatchFailure(op, "the operand is no negation of signed values");
  rewriter.replaceOpWithNewOp<AbsOp>(op, inner.getInput());
  return success();
}

// floor, ceil and round leave integers as they are: f(g(x)) -> g(x).
static bool isIntegral(Value value) {
  return isa_and_nonnull<FloorOp, CeilOp, RoundOp>(value.getDefiningOp());
}
#define TW_FOLD_INTEGRAL(OP)                                                                       \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                                     \
    if (isIntegral(getInput()))                                                                    \
      return getInput();                                                                           \
    return evaluateElementwise(*this, adaptor.getOperands());                                      \
  }
TW_FOLD_INTEGRAL(FloorOp)
TW_FOLD_INTEGRAL(CeilOp)
TW_FOLD_INTEGRAL(RoundOp)
#undef TW_FOLD_INTEGRAL

// not(not(x)) -> x.
OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NotOp>())
    return inner.getInput();
  return evaluateElementwise(*this, adaptor.getOperands());
}

static ComparePredicate invert(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return ComparePredicate::Ne;
  case ComparePredicate::Ne:
    return ComparePredicate::Eq;
  case ComparePredicate::Lt:
    return ComparePredicate::Ge;
  case ComparePredicate::Le:
    return ComparePredicate::Gt;
  case ComparePredicate::Gt:
    return ComparePredicate::Le;
  case ComparePredicate::Ge:
    return ComparePredicate::Lt;
  }
  llvm_unreachable("all predicates handled");
}

// not(a < b) -> a >= b for integers; not(a == b) -> a != b for all: with NaN, both of lt and ge are
// false, but exactly one of eq and ne is.
LogicalResult NotOp::canonicalize(NotOp op, PatternRewriter &rewriter) {
  auto compare = op.getInput().getDefiningOp<CompareOp>();
  if (!compare || !compare->hasOneUse())
    return rewriter.notifyMatchFailure(op, "the operand is no comparison of one use");
  ComparePredicate predicate = compare.getPredicate();
  if (isa<FloatType>(compare.getLhs().getType().getElementType()) &&
      predicate != ComparePredicate::Eq && predicate != ComparePredicate::Ne)
    return rewriter.notifyMatchFailure(op, "an ordered comparison of floats has no inverse");
  rewriter.replaceOpWithNewOp<CompareOp>(op, invert(predicate), compare.getLhs(), compare.getRhs());
  return success();
}
