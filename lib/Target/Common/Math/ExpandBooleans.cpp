// The pass expand-booleans: arithmetic and order of i1 in `and`, `or` and `exclusive or`.
//
// A bit is 1 or, signed, -1. What is not defined (a quotient by zero, an overflow, a shift by the
// width or more) may be anything, so that the one case left decides: x / 1 is x, x shifted by 0
// too.
#include "tw/Target/Common/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tw {
#define GEN_PASS_DEF_EXPANDBOOLEANSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// The logic of one operation, its operands of i1 or of a vector of it.
class Expander {
public:
  explicit Expander(Operation *op) : op(op), builder(op) {}

  /// The same in logic; null for what is logic already, or no arithmetic.
  Value expand() {
    using arith::CmpIPredicate;
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<arith::AddIOp, arith::SubIOp>([&](auto) { return exclusive(lhs(), rhs()); })
        .Case<arith::MulIOp, arith::MinUIOp, arith::MaxSIOp>(
            [&](auto) { return both(lhs(), rhs()); })
        .Case<arith::MaxUIOp, arith::MinSIOp>([&](auto) { return either(lhs(), rhs()); })
        .Case<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp, arith::CeilDivSIOp,
              arith::FloorDivSIOp, arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp, math::AbsIOp>(
            [&](auto) { return lhs(); })
        .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) { return constant(false); })
        .Case([&](arith::CmpIOp compare) -> Value {
          switch (compare.getPredicate()) {
          case CmpIPredicate::eq:
          case CmpIPredicate::ne:
            return {};
          case CmpIPredicate::ult:
          case CmpIPredicate::sgt:
            return both(negate(lhs()), rhs());
          case CmpIPredicate::ugt:
          case CmpIPredicate::slt:
            return both(lhs(), negate(rhs()));
          case CmpIPredicate::ule:
          case CmpIPredicate::sge:
            return either(negate(lhs()), rhs());
          case CmpIPredicate::uge:
          case CmpIPredicate::sle:
            return either(lhs(), negate(rhs()));
          }
          llvm_unreachable("a predicate of integers");
        })
        .Default([](Operation *) { return Value(); });
  }

private:
  Value lhs() { return op->getOperand(0); }
  Value rhs() { return op->getOperand(1); }
  Value both(Value a, Value b) { return arith::AndIOp::create(builder, op->getLoc(), a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(builder, op->getLoc(), a, b); }
  Value exclusive(Value a, Value b) { return arith::XOrIOp::create(builder, op->getLoc(), a, b); }
  Value negate(Value a) { return exclusive(a, constant(true)); }

  Value constant(bool value) {
    Type type = lhs().getType();
    TypedAttr attribute = builder.getIntegerAttr(builder.getI1Type(), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, op->getLoc(), attribute);
  }

  Operation *op;
  OpBuilder builder;
};

class ExpandBooleansPass : public tw::impl::ExpandBooleansPassBase<ExpandBooleansPass> {
public:
  using ExpandBooleansPassBase::ExpandBooleansPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
          !llvm::all_of(op->getOperandTypes(),
                        [](Type type) { return getElementTypeOrSelf(type).isInteger(1); }))
        return;
      if (Value value = Expander(op).expand()) {
        op->replaceAllUsesWith(ValueRange(value));
        op->erase();
      }
    });
  }
};

} // namespace
