// The pass expand-extrema: maxima and minima of floats in operations that give the same bits on
// every target.
//
// An operand that is a number takes one comparison: false if the other is NaN, which stays. Else
// equal operands share all bits but a zero's sign, so that `and` and `or` of the bits order zeros.
#include "Emitter.h"

#include "tw/Target/Common/Math.h"
#include "tw/Target/Common/Passes.h"

#include "mlir/IR/Matchers.h"

namespace tw {
#define GEN_PASS_DEF_EXPANDEXTREMAPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw::math;

std::optional<APFloat> tw::math::findNumber(Value value) {
  FloatAttr scalar;
  SplatElementsAttr vector;
  std::optional<APFloat> number;
  if (matchPattern(value, m_Constant(&scalar)))
    number = scalar.getValue();
  else if (matchPattern(value, m_Constant(&vector)))
    number = vector.getSplatValue<APFloat>();
  return number && number->isNaN() ? std::nullopt : number;
}

namespace {

/// max(x, -0) is x for +0, max(x, +0) is +0 for -0; the minimum is the mirror image.
Float expandBy(Float bound, bool isNegative, Float x, bool isMax) {
  using P = arith::CmpFPredicate;
  bool winsTies = isNegative != isMax;
  P predicate = isMax ? (winsTies ? P::OGE : P::OGT) : (winsTies ? P::OLE : P::OLT);
  return select(compare(predicate, bound, x), bound, x);
}

Float expandExtremum(Float a, Float b, bool isMax) {
  Int signs = isMax ? toBits(a) & toBits(b) : toBits(a) | toBits(b);
  Float better = select(isMax ? a > b : a < b, a, b);
  return select(a == b, fromBits(signs), select(isNan(a), a, better));
}

class ExpandExtremaPass : public tw::impl::ExpandExtremaPassBase<ExpandExtremaPass> {
public:
  using ExpandExtremaPassBase::ExpandExtremaPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
        return;
      Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
      bool isMax = isa<arith::MaximumFOp>(op);
      OpBuilder builder(op);
      Emitter emitter(builder, op->getLoc(), type);
      Float a{&emitter, op->getOperand(0)}, b{&emitter, op->getOperand(1)};
      if (findNumber(a.v))
        std::swap(a, b);
      Float result = b;
      if (std::optional<APFloat> number = findNumber(b.v))
        result = expandBy(b, number->isNegative(), a, isMax);
      else if (element.isF32() || element.isF64())
        result = expandExtremum(a, b, isMax);
      else
        return;
      op->replaceAllUsesWith(ValueRange(result.v));
      op->erase();
    });
  }
};

} // namespace
