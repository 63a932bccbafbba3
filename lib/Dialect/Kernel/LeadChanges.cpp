// What becomes of values where the maximum or the mean that they depend on changes.
#include "tw/Dialect/Kernel/LeadChanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

bool tw::kernel::isMaximum(ReduceOp reduce) {
  return reduce.getKind() == arith::AtomicRMWKind::maximumf ||
         reduce.getKind() == arith::AtomicRMWKind::maxnumf;
}

Change LeadChanges::getOfSummands(Operation *root) {
  auto reduce = dyn_cast<ReduceOp>(root);
  if (reduce && reduce.getKind() != arith::AtomicRMWKind::addf)
    return Change::Unknown;
  return reduce ? getSummand(reduce.getValues()[0])
                : getProduct(root->getOperand(0), root->getOperand(1));
}

Change LeadChanges::getSummand(Value value) {
  Change change = get(value);
  return change == Change::Decreases ? Change::Unknown : change;
}

Change LeadChanges::getProduct(Value a, Value b) {
  Change first = getSummand(a), second = b ? getSummand(b) : Change::None;
  if (first == Change::Squares || second == Change::Squares)
    return Change::Unknown;
  if (first == Change::None)
    return second;
  return second == Change::None ? first : Change::Unknown;
}

Change LeadChanges::get(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Change change = compute(value);
  known[value] = change;
  return change;
}

Change LeadChanges::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return Change::None;
  // Complete only after the loop, as the maximum is.
  if (sets.reducedBy(op)[axis])
    return Change::Unknown;
  Value center = mean ? mean->getResult(0) : lead.getResult(0);
  if (op == mean)
    return Change::Unknown;
  if (isa<arith::SubFOp>(op) && op->getOperand(1) == center)
    return op->getOperand(0) == lead.getValues()[0] ? Change::Decreases : Change::Unknown;
  if (mean && isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1) &&
      get(op->getOperand(0)) == Change::Decreases)
    return Change::Squares;
  if (isa<math::ExpOp>(op) && !mean) {
    Change change = get(op->getOperand(0));
    return change == Change::Decreases ? Change::Scales
           : change == Change::None    ? Change::None
                                       : Change::Unknown;
  }
  if (isa<arith::MulFOp>(op))
    return getProduct(op->getOperand(0), op->getOperand(1));
  if (isa<arith::DivFOp>(op) && get(op->getOperand(1)) == Change::None)
    return getProduct(op->getOperand(0), op->getOperand(1));
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp>(op))
    return getProduct(op->getOperand(0), {});
  bool independent =
      llvm::all_of(op->getOperands(), [&](Value operand) { return get(operand) == Change::None; });
  return independent ? Change::None : Change::Unknown;
}
