// What the strategies for attention share: the two products, their axes, and what schedules of them
// are estimated to take.
#include "Attention.h"

#include "Accesses.h"

#include "tw/Schedule/Mask.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

bool Attention::needs(Value value, Operation *producer) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (op == producer)
      return true;
    if (op && seen.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// The last value along the axes of the scores through which goes all that is computed from them:
/// as far as nothing else needs it, one value after another becomes the score.
Value Attention::findScore() {
  Value last = scores.getResult();
  llvm::SmallPtrSet<Operation *, 16> before{scores};
  auto isBefore = [&](Operation *op) { return op && before.contains(op); };
  for (Operation *op = scores->getNextNode(); op; op = op->getNextNode()) {
    if (llvm::none_of(op->getOperands(), [&](Value v) { return isBefore(v.getDefiningOp()); }))
      continue;
    if (isa<ReduceOp, ContractOp, StoreOp>(op) || op->getNumResults() != 1)
      break;
    before.insert(op);
    bool isOnly = llvm::all_of(before, [&](Operation *own) {
      return own == op || llvm::all_of(own->getUsers(), isBefore);
    });
    if (isOnly && sets.of(op->getResult(0)) == sets.of(scores.getResult()))
      last = op->getResult(0);
  }
  return last;
}

bool Attention::matchOps() {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ScanOp>(op))
      return false;
    auto contract = dyn_cast<ContractOp>(op);
    if (contract && sum)
      return false;
    if (contract)
      (scores ? sum : scores) = contract;
  }
  if (!sum)
    return false;
  bool swapped = needs(sum.getOperand(1), scores);
  weights = sum.getOperand(swapped);
  values = sum.getOperand(!swapped);
  if (!needs(weights, scores) || needs(values, scores) || !isa<FloatType>(scores.getType()))
    return false;
  for (ContractOp contract : {scores, sum})
    for (Value operand : contract->getOperands().take_front(2))
      if (operand.getType() != scores.getType() || !operand.getDefiningOp())
        return false;
  keyAxes = sets.reducedBy(sum);
  innerAxes = sets.reducedBy(scores);
  for (auto reduce : kernel.getBody().getOps<ReduceOp>())
    if (needs(scores->getResult(0), reduce))
      above.push_back(reduce);
    else if (sets.reducedBy(reduce) != keyAxes)
      return false;
  score = findScore().getDefiningOp();
  return true;
}

bool Attention::match() {
  if (!matchOps() || !findAxes())
    return false;
  std::string why;
  mask = findMask(kernel, keyAxis, why);
  if (mask && !isa<arith::SelectOp>(mask->mask))
    mask = std::nullopt;
  return true;
}

std::optional<unsigned> Attention::longest(const llvm::SmallBitVector &axes) const {
  std::optional<unsigned> best;
  for (unsigned axis : axes.set_bits())
    if (!best || extent(axis) > extent(*best))
      best = axis;
  return best;
}

bool Attention::findAxes() {
  auto own = [&](Value value, Value other) {
    llvm::SmallBitVector axes = sets.of(value);
    axes.reset(sets.of(other)).reset(innerAxes).reset(keyAxes);
    return axes;
  };
  for (auto [i, operand] : llvm::enumerate(scores->getOperands().take_front(2))) {
    Value other = scores->getOperand(1 - i);
    if (sets.of(operand).anyCommon(keyAxes))
      continue;
    query = operand.getDefiningOp();
    key = other.getDefiningOp();
    laneAxis = longest(own(operand, other).reset(sets.of(values)));
  }
  // What the rows of queries are divided by, say: for the queries of a program once.
  auto isOfQueries = [&](ReduceOp reduce) {
    return query && needs(query->getResult(0), reduce) && !needs(key->getResult(0), reduce) &&
           !needs(values, reduce) && sets.reducedBy(reduce) == innerAxes &&
           !sets.of(reduce.getResult(0)).anyCommon(keyAxes);
  };
  if (!llvm::all_of(above, isOfQueries))
    return false;
  resultAxes = own(values, weights);
  std::optional<unsigned> longestKey = longest(keyAxes), longestResult = longest(resultAxes);
  llvm::SmallBitVector stored(kernel.getNumAxes());
  for (auto store : kernel.getBody().getOps<StoreOp>())
    stored |= sets.unionOf(store.getIndices());
  if (!query || !longestKey || !longestResult || stored != sets.of(sum.getResult()))
    return false;
  keyAxis = *longestKey;
  resultAxis = *longestResult;
  return true;
}

static bool isKeptAnyway(Operation *op) { return op->getNumResults() == 1 && isExpensive(op); }

void Attention::keepWeights(ListBuilder &list, bool keepsLast) {
  for (Operation &op : kernel.getBody().front())
    if (isKeptAnyway(&op) && &op != score && sets.of(op.getResult(0)).anyCommon(keyAxes) &&
        needs(op.getResult(0), score))
      list.keep(&op, KeepPlace::Local, "weight");
  if (keepsLast)
    list.keep(weights.getDefiningOp(), KeepPlace::Local, "last");
}

bool Attention::computesWeights() {
  Operation *last = weights.getDefiningOp();
  return last != score && !isKeptAnyway(last);
}
