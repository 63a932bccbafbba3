// Maxima and minima of floats with a number, NaN if the other operand is: an instruction that
// returns its second operand when one is NaN.
//
// arith.maximumf %a, 0.0  ->   0.0 > %a ? 0.0 : %a
#include "Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

static bool isNumber(Value value) {
  FloatAttr scalar;
  if (matchPattern(value, m_Constant(&scalar)))
    return !scalar.getValue().isNaN();
  SplatElementsAttr vector;
  return matchPattern(value, m_Constant(&vector)) && !vector.getSplatValue<APFloat>().isNaN();
}

void tw::host::expandExtrema(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
      return;
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (isNumber(a))
      std::swap(a, b);
    if (!isNumber(b))
      return;
    OpBuilder builder(op);
    auto predicate =
        isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value better = arith::CmpFOp::create(builder, op->getLoc(), predicate, b, a);
    Value result = arith::SelectOp::create(builder, op->getLoc(), better, b, a);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}
