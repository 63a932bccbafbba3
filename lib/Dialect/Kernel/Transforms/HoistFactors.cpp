// Factors that do not vary along the axes of a sum move behind it.
#include "Cleaning.h"
#include "tw/Dialect/Kernel/AxisSets.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw::kernel;

/// Whether the value is the maximum of `of`, or at least that.
static bool isMaximumOf(Value value, Value of) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == arith::AtomicRMWKind::maximumf &&
         reduce.getValues().front() == of;
}

/// Whether the value lies in [0, 1] or is NaN: powers of what is below its own maximum.
static bool isFraction(Value value) {
  Operation *power = value.getDefiningOp();
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(power))
    return false;
  auto difference = power->getOperand(0).getDefiningOp<arith::SubFOp>();
  return difference && isMaximumOf(difference.getRhs(), difference.getLhs());
}

namespace {

/// `a / h`, h the same for all terms of a sum. Not `a * h`: with an infinite h, terms 0 * h are NaN.
struct Factored {
  Value rest, factor;
};

} // namespace

static std::optional<Factored> findFactor(Value term, const AxisSets &sets,
                                          const llvm::SmallBitVector &summed) {
  Operation *op = term.getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp>(op) || !term.hasOneUse())
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  // The sum of fractions is at most as large as their number, so no sum overflows that did not.
  if (sets.of(right).anyCommon(summed) || !isFraction(left))
    return std::nullopt;
  return Factored{left, right};
}

/// Moves one factor.
static bool hoistOne(KernelOp kernel) {
  AxisSets sets(kernel);
  for (Operation &op : kernel.getBody().front()) {
    llvm::SmallBitVector summed = sets.reducedBy(&op);
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isSum = isa<ContractOp>(op) || (reduce && reduce.getKind() == arith::AtomicRMWKind::addf);
    unsigned terms = isa<ContractOp>(op) ? 2 : 1;
    if (!isSum || !isa<FloatType>(op.getResult(0).getType()))
      continue;
    for (OpOperand &operand : op.getOpOperands().take_front(terms)) {
      std::optional<Factored> found = findFactor(operand.get(), sets, summed);
      // Not where there would be more results to scale than terms.
      if (!found || found->rest.getType() != op.getResult(0).getType() ||
          sets.points(sets.of(op.getResult(0))) > sets.points(sets.of(operand.get())))
        continue;
      Operation *scaled = operand.get().getDefiningOp();
      operand.set(found->rest);
      OpBuilder builder(kernel.getContext());
      builder.setInsertionPointAfter(&op);
      Value sum = op.getResult(0);
      Value result = arith::DivFOp::create(builder, scaled->getLoc(), sum, found->factor);
      sum.replaceAllUsesExcept(result, result.getDefiningOp());
      scaled->erase();
      return true;
    }
  }
  return false;
}

void tw::kernel::hoistFactors(KernelOp kernel) {
  while (hoistOne(kernel)) {
  }
}
