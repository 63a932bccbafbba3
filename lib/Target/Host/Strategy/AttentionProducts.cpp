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
    if (sets.reducedBy(reduce) != keyAxes)
      return false;
  // As far as nothing else needs it, one value after another becomes the score.
  Value last = scores.getResult();
  while (last.hasOneUse()) {
    Operation *user = *last.user_begin();
    if (isa<ReduceOp, ContractOp, StoreOp>(user) || user->getNumResults() != 1 ||
        sets.of(user->getResult(0)) != sets.of(last))
      break;
    last = user->getResult(0);
  }
  score = last.getDefiningOp();
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
  resultAxes = own(values, weights);
  std::optional<unsigned> longestKey = longest(keyAxes), longestResult = longest(resultAxes);
  llvm::SmallBitVector stored(kernel.getNumAxes());
  for (auto store : kernel.getBody().getOps<StoreOp>())
    for (Value index : store.getIndices())
      stored |= sets.of(index);
  if (!query || !longestKey || !longestResult || stored != sets.of(sum.getResult()))
    return false;
  keyAxis = *longestKey;
  resultAxis = *longestResult;
  return true;
}

void Attention::keepWeights(ListBuilder &list) {
  for (Operation &op : kernel.getBody().front())
    if (op.getNumResults() == 1 && isExpensive(&op) && &op != score &&
        sets.of(op.getResult(0)).anyCommon(keyAxes) && needs(op.getResult(0), score))
      list.keep(&op, KeepPlace::Local, "weight");
}

/// The share of the keys that are seen, on average over the lanes' axis.
double Attention::getSeen() {
  const SkippedAxis::Bound &bound = mask->bounds.front();
  double least = bound.constant, most = bound.constant;
  for (auto [axis, coefficient] : llvm::enumerate(bound.coefficients)) {
    double reach = double(coefficient) * double(extent(axis) - 1);
    if (axis != mask->axis)
      (reach < 0 ? least : most) += reach;
  }
  auto share = [&](double value) {
    return std::clamp((value / double(-bound.coefficients[mask->axis]) + 1) /
                          double(extent(mask->axis)),
                      0.0, 1.0);
  };
  return (share(least) + share(most)) / 2;
}

HostEstimate Attention::estimate(const AttentionTile &tile, int64_t block, bool skips) {
  auto [vectors, width, scoreRows, resultRows] = tile;
  constexpr double kFunction = 16;
  // How much of the traffic with the next level does not hide behind multiply-adds: measured, a
  // few per cent.
  constexpr double kStreamShare = 0.05;
  HostEstimate estimate;
  double registersPerVector = std::max<int64_t>(1, bits() / 32);
  auto count = [&](Value value) {
    return double(sets.points(sets.of(value))) / double(traits.lanes) * registersPerVector;
  };
  double seen = skips ? getSeen() : 1;
  double scorePoints = count(scores.getResult()) * seen, resultPoints = count(sum.getResult());
  double products = scorePoints * double(sets.points(innerAxes)) +
                    resultPoints * double(sets.points(keyAxes)) * seen;
  double elementwise = 0;
  for (Operation &op : kernel.getBody().front())
    if (!isa<ContractOp, LoadOp, StoreOp>(op) && op.getNumResults() == 1 &&
        sets.of(op.getResult(0)).anyCommon(keyAxes) && needs(op.getResult(0), scores))
      elementwise += scorePoints * (isExpensive(&op) ? kFunction : 1);
  estimate.compute = (products + elementwise) / traits.fmaPerCycle;
  estimate.l1 = products * (1.0 / double(vectors) + 1.0 / double(scoreRows)) / traits.loadsPerCycle;
  // Scores are written and read twice, weights once per tile of results.
  double tiles = double(llvm::divideCeil(extent(resultAxis), resultRows));
  double bytes = scorePoints * double(traits.lanes) * 4 * (4 + tiles);
  if (block) {
    // Sums are read, scaled and written once more for each block.
    double blocks = double(extent(keyAxis)) / double(block * scoreRows) * seen;
    estimate.overhead =
        resultPoints * blocks *
        (1 / traits.fmaPerCycle + 1 / traits.loadsPerCycle + 1 / traits.storesPerCycle);
  } else {
    double panel = double(extent(keyAxis)) * double(width * bits() / 8);
    estimate.l2 = panel > double(traits.l1Bytes) / 2 ? bytes / traits.l2BytesPerCycle : 0;
    if (panel > double(traits.l2Bytes))
      estimate.l2 += bytes / (panel > double(traits.l3Bytes) ? traits.memoryBytesPerCycle
                                                             : traits.l3BytesPerCycle);
    estimate.overhead = estimate.l2 * kStreamShare;
  }
  double programs =
      double(sets.points(sets.of(weights))) / double(extent(keyAxis)) / double(width) * seen;
  estimate.memory = programs * double(extent(keyAxis)) *
                    double(sets.points(innerAxes) + extent(resultAxis)) * double(bits()) / 8 /
                    traits.l3BytesPerCycle;
  estimate.registers = std::max(scoreRows, resultRows) * vectors + vectors + 1;
  return estimate;
}
