// Maxima and minima of floats, NaN if an operand is, by instructions that return their second
// operand when one is NaN.
//
// arith.maximumf %a, %b   ->   NaN(%b) ? %b : (%b > %a ? %b : %a)
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
    OpBuilder builder(op);
    Location location = op->getLoc();
    auto predicate =
        isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    // In loops the accumulator is the left operand: the test for NaN is not on the way from one
    // iteration to the next.
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (isNumber(a))
      std::swap(a, b);
    Value better = arith::CmpFOp::create(builder, location, predicate, b, a);
    Value result = arith::SelectOp::create(builder, location, better, b, a);
    if (!isNumber(b)) {
      Value isNaN = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, b, b);
      result = arith::SelectOp::create(builder, location, isNaN, b, result);
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}
