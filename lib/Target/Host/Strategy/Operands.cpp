// What products read, and what reading and multiplying it costs.
#include "Operands.h"

#include "Accesses.h"

#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// The loads that the value is computed from, each once, in the order of operands.
static SmallVector<LoadOp> collectLoads(Operation *op) {
  SmallVector<LoadOp> loads;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> left{op};
  while (!left.empty()) {
    Operation *next = left.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto load = dyn_cast<LoadOp>(next))
      loads.push_back(load);
    for (Value operand : llvm::reverse(next->getOperands()))
      if (Operation *producer = operand.getDefiningOp())
        left.push_back(producer);
  }
  return loads;
}

static int64_t getBytes(Type type) {
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

bool Operands::matchOperands(bool gathers) { return match() && readOperands(gathers); }

bool Operands::readOperands(bool gathers) {
  if (sets.points(reduced) < 2)
    return false;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    operand.op = contract.getOperand(i).getDefiningOp();
    if (!operand.op)
      return false;
    SmallVector<LoadOp> loads = collectLoads(operand.op);
    if (loads.empty())
      return false;
    operand.load = *std::max_element(loads.begin(), loads.end(), [&](LoadOp a, LoadOp b) {
      return sets.points(sets.of(a.getResult())) < sets.points(sets.of(b.getResult()));
    });
    if (operand.load.getMap().getGuards().size() || operand.load.getMap().getOutside())
      return false;
    operand.isConstant = readsConstant(kernel, operand.load);
    operand.bytes = getBytes(operand.load.getType());
    operand.isNarrow = operand.bytes < getBytes(operand.op->getResult(0).getType()) &&
                       sets.of(operand.load.getResult()) == sets.of(operand.op->getResult(0));
    auto type = cast<RankedTensorType>(operand.load.getSource().getType());
    for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
      operand.strides.push_back(getStride(type, operand.load.getMap().getMap(),
                                          operand.load.getIndices(), kernel.getAxis(axis)));
    for (unsigned axis : sets.of(operand.op->getResult(0)).set_bits())
      operand.isGathered |= !strideOf(operand, axis);
  }
  if (gathers ? operands[0].isGathered == operands[1].isGathered
              : operands[0].isGathered || operands[1].isGathered)
    return false;
  storedAlong.resize(kernel.getNumAxes());
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
    storedAlong[axis] = llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      return getUsualStride(store, kernel.getAxis(axis)) == 1;
    });
  return true;
}

int64_t Operands::elementBytes() const { return getBytes(contract->getResult(0).getType()); }

int64_t Operands::mostRows(int64_t vectors) {
  // Multiply-adds of 64-byte vectors broadcast a scalar from memory themselves. Others wait for
  // registers that are filled ahead: one is not enough where a vector serves many rows.
  constexpr int64_t kBroadcastingBytes = 64;
  int64_t scalars = traits.lanes * 4 == kBroadcastingBytes || vectors > 1 ? 1 : 2;
  return ((traits.registers - scalars) / registersPerVector() - vectors) / vectors;
}

std::optional<unsigned> Operands::findAxis(const Operand &of, const Operand &other,
                                           std::optional<unsigned> but) {
  llvm::SmallBitVector own = ownAxes(of.op->getResult(0), other.op->getResult(0));
  std::optional<unsigned> best;
  auto rank = [&](unsigned axis) {
    return std::tuple(extent(axis) > 1, strideOf(of, axis) == 1, isStoredAlong(axis), extent(axis));
  };
  for (unsigned axis : own.set_bits())
    if (axis != but && (!best || rank(axis) > rank(*best)))
      best = axis;
  return best;
}

std::optional<unsigned> Operands::findBeside(const Operand &of, const Operand &other,
                                             unsigned laneAxis) {
  llvm::SmallBitVector own = ownAxes(of.op->getResult(0), other.op->getResult(0));
  for (unsigned axis : own.set_bits())
    if ((extent(axis) == 2 || extent(axis) == 4) && isStoredAlong(axis) &&
        llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
          return getUsualStride(store, kernel.getAxis(laneAxis)) == extent(axis);
        }))
      return axis;
  // Where a vector serves few rows, those of a second axis, too, if a tile holds all of both.
  std::optional<unsigned> rows = findAxis(of, other), best;
  if (!rows || extent(*rows) < 2)
    return std::nullopt;
  for (unsigned axis : own.set_bits())
    if (axis != *rows && extent(axis) >= 2 && extent(axis) * extent(*rows) <= mostRows(1) &&
        (!best || extent(axis) > extent(*best)))
      best = axis;
  return best;
}

int64_t Operands::countEpilogue() const {
  constexpr int64_t kFunction = 16;
  int64_t count = 0;
  for (Operation *op = contract->getNextNode(); op; op = op->getNextNode())
    if (op->getNumResults())
      count += isExpensive(op) ? kFunction : 1;
  return count;
}

bool Operands::hasHalfVectors() const {
  return elementBytes() == 4 && 2 * traits.dataPathBytes <= traits.lanes * 4;
}

double Operands::shareOfTurns(int64_t lanes) const {
  auto turns = [&](int64_t count) {
    return double(llvm::divideCeil(count * elementBytes(), traits.dataPathBytes));
  };
  // More instructions for the same turns: a twentieth, between 879x21x58 (0.78 of the time of whole
  // vectors, where 0.75 were expected) and 1200 rows by 8 columns (0.58, of 0.5).
  constexpr double kMore = 1.05;
  return std::min(1.0, kMore * turns(lanes) / turns(traits.lanes));
}

double Operands::tileCycles(int64_t rows, int64_t vectors, double share) {
  int64_t width = registersPerVector();
  return leastOfStep(share * productCycles(rows, vectors * width, /*groupSize=*/1, traits),
                     share * double(rows + vectors * width), double(traits.fmaLatency), traits);
}
