// Maxima and minima of floats: NaN if an operand is, and +0 above -0.
//
// With a number, an instruction that returns its second operand when one is NaN does:
//
//   arith.maximumf %a, 0.0  ->   0.0 >= %a ? 0.0 : %a
//
// In a chain of several, that instruction, and beside it the conjunction of the operands' bits,
// which is the sign where the result is a zero, and whether all of them are numbers:
//
//   m(m(m(a, b), c), d)  ->  n = a > b ? a : b, ..; s = a & b & c & d; o = ord(a, b) & ord(c, d)
//                            o ? (n == 0 ? s : n) : NaN
#include "Parts.h"

#include "tw/Target/Common/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using tw::math::findNumber;

namespace {

/// Rewrites chains where they stand, so that no operand lives longer than before.
class Chains {
public:
  void expand(Operation *op) {
    bool maximum = isa<arith::MaximumFOp>(op);
    OpBuilder builder(op);
    Location at = op->getLoc();
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (findNumber(a))
      std::swap(a, b);
    auto better = [&](Value first, Value second, bool winsTies = false) {
      using P = arith::CmpFPredicate;
      P predicate = maximum ? (winsTies ? P::OGE : P::OGT) : (winsTies ? P::OLE : P::OLT);
      Value wins = arith::CmpFOp::create(builder, at, predicate, first, second);
      return arith::SelectOp::create(builder, at, wins, first, second).getResult();
    };
    if (std::optional<APFloat> number = findNumber(b); number && !isLink(a, op)) {
      // max(x, -0) is x for +0, max(x, +0) is +0 for -0; the minimum is the mirror image.
      op->getResult(0).replaceAllUsesWith(better(b, a, number->isNegative() != maximum));
      dead.push_back(op);
      return;
    }
    bool ends = !continues(op);
    if (ends && !isLink(a, op) && !isLink(b, op))
      return;
    State left = stateOf(a, builder, at), right = stateOf(b, builder, at), state;
    state.best = better(left.best, right.best);
    state.bits = maximum ? arith::AndIOp::create(builder, at, left.bits, right.bits).getResult()
                         : arith::OrIOp::create(builder, at, left.bits, right.bits).getResult();
    state.ordered = conjunction(builder, at, left.ordered, right.ordered);
    state.unchecked = left.unchecked ? left.unchecked : right.unchecked;
    if (left.unchecked && right.unchecked) {
      Value both = arith::CmpFOp::create(builder, at, arith::CmpFPredicate::ORD, left.unchecked,
                                         right.unchecked);
      state.ordered = conjunction(builder, at, state.ordered, both);
      state.unchecked = Value();
    }
    if (ends)
      op->getResult(0).replaceAllUsesWith(close(state, maximum, builder, at));
    else
      states[op] = state;
    dead.push_back(op);
  }

  void eraseDead() {
    for (Operation *op : llvm::reverse(dead))
      op->erase();
  }

private:
  /// What is known of a chain so far. One operand may wait for another one to be checked with.
  struct State {
    Value best, bits, ordered, unchecked;
  };
  llvm::DenseMap<Operation *, State> states;
  SmallVector<Operation *> dead;

  /// Whether the value is a part of the chain that `op` continues.
  bool isLink(Value value, Operation *op) {
    Operation *source = value.getDefiningOp();
    return source && source->getName() == op->getName() && states.contains(source);
  }

  static bool continues(Operation *op) {
    Value result = op->getResult(0);
    if (!result.hasOneUse())
      return false;
    Operation *user = *result.getUsers().begin();
    return user->getName() == op->getName() && user->getBlock() == op->getBlock();
  }

  static Type bitsOf(Type type) {
    Type element =
        IntegerType::get(type.getContext(), getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }

  static Value conjunction(OpBuilder &builder, Location at, Value a, Value b) {
    return a && b ? arith::AndIOp::create(builder, at, a, b).getResult() : a ? a : b;
  }

  State stateOf(Value value, OpBuilder &builder, Location at) {
    auto it = states.find(value.getDefiningOp());
    if (it != states.end())
      return it->second;
    Value bits = arith::BitcastOp::create(builder, at, bitsOf(value.getType()), value);
    return {value, bits, Value(), findNumber(value) ? Value() : value};
  }

  Value close(State state, bool maximum, OpBuilder &builder, Location at) {
    Type type = state.best.getType(), bitsType = state.bits.getType();
    auto splat = [&](Type of, TypedAttr value) -> Value {
      if (auto shaped = dyn_cast<ShapedType>(of))
        value = DenseElementsAttr::get(shaped, Attribute(value));
      return arith::ConstantOp::create(builder, at, value);
    };
    Type element = getElementTypeOrSelf(type);
    auto floating = cast<FloatType>(element);
    unsigned width = element.getIntOrFloatBitWidth();
    if (!maximum) {
      Value sign = splat(bitsType, builder.getIntegerAttr(getElementTypeOrSelf(bitsType),
                                                          APInt::getSignMask(width)));
      state.bits = arith::AndIOp::create(builder, at, state.bits, sign);
    }
    Value isZero = arith::CmpFOp::create(builder, at, arith::CmpFPredicate::OEQ, state.best,
                                         splat(type, builder.getFloatAttr(element, 0.0)));
    Value zero = arith::BitcastOp::create(builder, at, type, state.bits);
    Value result = arith::SelectOp::create(builder, at, isZero, zero, state.best);
    if (state.unchecked) {
      Value last = arith::CmpFOp::create(builder, at, arith::CmpFPredicate::ORD, state.unchecked,
                                         state.unchecked);
      state.ordered = conjunction(builder, at, state.ordered, last);
    }
    if (!state.ordered)
      return result;
    Value nan =
        splat(type, FloatAttr::get(element, APFloat::getQNaN(floating.getFloatSemantics())));
    return arith::SelectOp::create(builder, at, state.ordered, result, nan);
  }
};

} // namespace

void tw::host::expandExtrema(func::FuncOp function) {
  Chains chains;
  function.walk([&](Operation *op) {
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
        isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
      chains.expand(op);
  });
  chains.eraseDead();
}
