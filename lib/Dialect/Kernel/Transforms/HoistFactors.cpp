// What does not vary along the axes of a sum: factors move behind it, equal terms become a product.
#include "Cleaning.h"
#include "tw/Dialect/Graph/SymbolicShape.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Support/FastMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tw;
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

/// `a / h`, h the same for all terms of a sum. Not `a * h`, unless there are no infinities: with an
/// infinite h, terms 0 * h are NaN.
struct Factored {
  Value rest, factor;
  Operation *scaled;
  /// What rounds `a / h`, if something does: it rounds `a` then, with the same relative error.
  arith::TruncFOp rounded;
};

} // namespace

static std::optional<Factored> findFactor(Value term, Operation *sum, const AxisSets &sets,
                                          const llvm::SmallBitVector &summed) {
  auto rounded = term.getDefiningOp<arith::TruncFOp>();
  if (rounded && !term.hasOneUse())
    return std::nullopt;
  Operation *op = rounded ? rounded.getIn().getDefiningOp() : term.getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp, arith::MulFOp>(op) || !op->hasOneUse())
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  using Flags = arith::FastMathFlags;
  constexpr Flags all = Flags::reassoc | Flags::nnan | Flags::ninf;
  if (allows(op, all) && allows(sum, all)) {
    if (isa<arith::MulFOp>(op) && !sets.of(left).anyCommon(summed))
      std::swap(left, right);
    if (sets.of(right).anyCommon(summed) || !sets.of(left).anyCommon(summed))
      return std::nullopt;
    // What may be large may be infinite in fewer bits.
    if (rounded)
      return std::nullopt;
    return Factored{left, right, op, {}};
  }
  if (isa<arith::MulFOp>(op))
    return std::nullopt;
  // The sum of fractions is at most as large as their number, so no sum overflows that did not.
  if (sets.of(right).anyCommon(summed) || !isFraction(left))
    return std::nullopt;
  return Factored{left, right, op, rounded};
}

/// Whether calls may have sums of no terms, which are 0 whatever a factor is: the factor may be
/// none then, as one over another such sum. Not where there are no sums then, either.
static bool mayBeEmpty(KernelOp kernel, const llvm::SmallBitVector &summed,
                       const llvm::SmallBitVector &kept) {
  Operation *function = kernel->getParentOfType<FunctionOpInterface>();
  return llvm::any_of(summed.set_bits(), [&](unsigned axis) {
    Extent extent = kernel.getExtent(axis);
    if (extent.isFixed())
      return extent.most == 0;
    return (!function || graph::getLeast(extent.size, function).value_or(0) <= 0) &&
           llvm::none_of(kept.set_bits(), [&](unsigned other) {
             return kernel.getExtent(other).size == extent.size;
           });
  });
}

/// Moves one factor.
static bool hoistOne(KernelOp kernel) {
  AxisSets sets(kernel);
  for (Operation &op : kernel.getBody().front()) {
    llvm::SmallBitVector summed = sets.reducedBy(&op);
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isSum = isa<ContractOp>(op) || (reduce && reduce.getKind() == arith::AtomicRMWKind::addf);
    unsigned terms = isa<ContractOp>(op) ? 2 : 1;
    if (!isSum || !isa<FloatType>(op.getResult(0).getType()) ||
        mayBeEmpty(kernel, summed, sets.of(op.getResult(0))))
      continue;
    for (OpOperand &operand : op.getOpOperands().take_front(terms)) {
      std::optional<Factored> found = findFactor(operand.get(), &op, sets, summed);
      // Not where there would be more results to scale than terms.
      if (!found || found->factor.getType() != op.getResult(0).getType() ||
          sets.points(sets.of(op.getResult(0))) > sets.points(sets.of(operand.get())))
        continue;
      Operation *scaled = found->scaled;
      if (found->rounded)
        found->rounded.getInMutable().assign(found->rest);
      else
        operand.set(found->rest);
      OpBuilder builder(kernel.getContext());
      builder.setInsertionPointAfter(&op);
      Value sum = op.getResult(0);
      arith::FastMathFlags flags = getFastMath(scaled);
      Value result =
          isa<arith::DivFOp>(scaled)
              ? arith::DivFOp::create(builder, scaled->getLoc(), sum, found->factor, flags)
                    .getResult()
              : arith::MulFOp::create(builder, scaled->getLoc(), sum, found->factor, flags);
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

/// The axes of a sum along which no term varies; none if it may not be changed.
static llvm::SmallBitVector getRepeated(Operation &op, KernelOp kernel, const AxisSets &sets) {
  auto reduce = dyn_cast<ReduceOp>(op);
  bool isSum = isa<ContractOp>(op) || (reduce && reduce.getKind() == arith::AtomicRMWKind::addf);
  llvm::SmallBitVector repeated = sets.reducedBy(&op);
  if (!isSum || !isa<Float32Type, Float64Type>(op.getResult(0).getType()) ||
      !allows(&op, arith::FastMathFlags::reassoc))
    return llvm::SmallBitVector(kernel.getNumAxes());
  for (Value term : op.getOperands().take_front(isa<ContractOp>(op) ? 2 : 1))
    repeated.reset(sets.of(term));
  for (unsigned axis : llvm::to_vector(repeated.set_bits()))
    if (!kernel.getExtent(axis).isFixed())
      repeated.reset(axis);
  // A contraction has an axis.
  if (isa<ContractOp>(op) && repeated == sets.reducedBy(&op))
    repeated.reset();
  return repeated;
}

bool tw::kernel::sumRepeatedTerms(KernelOp kernel) {
  if (kernel.getSchedule())
    return false;
  AxisSets sets(kernel);
  bool changed = false;
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    llvm::SmallBitVector repeated = getRepeated(op, kernel, sets);
    if (repeated.none())
      continue;
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfter(&op);
    Value sum = op.getResult(0);
    auto count = FloatAttr::get(sum.getType(), double(sets.points(repeated)));
    Value factor = arith::ConstantOp::create(builder, op.getLoc(), count);
    auto product = arith::MulFOp::create(builder, op.getLoc(), sum, factor, getFastMath(&op));
    sum.replaceAllUsesExcept(product, product);
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && repeated == sets.reducedBy(&op)) {
      product->setOperand(0, reduce.getValues().front());
      reduce.erase();
    } else {
      unsigned first = isa<ContractOp>(op) ? 2 : 1;
      for (unsigned i = op.getNumOperands(); i-- > first;)
        if (repeated[cast<BlockArgument>(op.getOperand(i)).getArgNumber()])
          reduce ? reduce.getAxesMutable().erase(i - first)
                 : cast<ContractOp>(op).getAxesMutable().erase(i - first);
    }
    changed = true;
  }
  for (unsigned i = kernel.getNumAxes(); changed && i-- > 0;)
    if (kernel.getAxis(i).use_empty())
      eraseAxis(kernel, i);
  return changed;
}
