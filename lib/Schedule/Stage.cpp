// Which part of a value is in local memory, and how its rows lie there.
#include "Stage.h"

#include "Strides.h"
#include "tw/Dialect/Kernel/AxisSets.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// What every GPU-shaped device gives a group of threads.
constexpr int64_t kLocalBytes = 32768;
/// Local memory has this many banks of 4 bytes.
constexpr int64_t kBanks = 32, kBankBytes = 4;
/// Rows stay aligned for vectors of this many bytes.
constexpr int64_t kVectorBytes = 16;

int64_t getElementBytes(Type type) {
  return type.isInteger(1) ? 1 : type.getIntOrFloatBitWidth() / 8;
}

/// Whether the value is computed from loads and indices alone, no op on the way being kept
/// elsewhere.
bool isComputedFromLoads(Operation *op, const Plan &plan) {
  if (isa<StoreOp, ReduceOp, ContractOp, ScanOp>(op))
    return false;
  if (auto name = op->getAttrOfType<StringAttr>("name"); name && plan.keep.count(name.getValue()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !operand.getDefiningOp() || isComputedFromLoads(operand.getDefiningOp(), plan);
  });
}

/// The loads that a value is computed from.
void collectLoads(Operation *op, SmallVectorImpl<LoadOp> &loads) {
  if (auto load = dyn_cast<LoadOp>(op))
    loads.push_back(load);
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp())
      collectLoads(operand.getDefiningOp(), loads);
}

/// Whether memory is read along another dimension of the buffer than its last one, so that the
/// threads that write it step from row to row.
bool isWrittenAcross(KernelOp kernel, const Plan &plan, const StagedValue &staged) {
  SmallVector<LoadOp> loads;
  collectLoads(staged.op, loads);
  return llvm::any_of(loads, [&](LoadOp load) {
    auto strideOf = [&](unsigned leaf) {
      return getUsualStride(load, kernel.getAxis(plan.leaves[leaf].axis));
    };
    return strideOf(staged.leaves.back()) != 1 &&
           llvm::any_of(ArrayRef(staged.leaves).drop_back(), [&](unsigned leaf) {
             return plan.leaves[leaf].extent > 1 && strideOf(leaf) == 1;
           });
  });
}

} // namespace

LogicalResult tw::schedule::placeStagedValues(KernelOp kernel, Plan &plan, std::string &why) {
  AxisSets sets(kernel);
  int64_t bytes = 0;
  for (StagedValue &staged : plan.staged) {
    StringRef name = staged.op->getAttrOfType<StringAttr>("name").getValue();
    auto fail = [&](const Twine &reason) {
      why = ("stage '" + name + "' " + reason).str();
      return failure();
    };
    if (!plan.warps)
      return fail("needs warps: a program of one thread has no local memory");
    if (staged.op->getNumResults() != 1 || !isComputedFromLoads(staged.op, plan))
      return fail("is not computed from loads alone: stage what it is computed from");
    auto *outside = plan.loops.begin();
    if (staged.loop) {
      outside = llvm::find(plan.loops, *staged.loop);
      if (outside == plan.loops.end())
        return fail("at '" + plan.leaves[*staged.loop].name.getValue() +
                    "', which is no loop: it is in grid or tile");
      ++outside;
    }
    const llvm::SmallBitVector &axes = sets.of(staged.op->getResult(0));
    int64_t elements = 1;
    for (unsigned leaf :
         llvm::concat<unsigned>(SmallVector<unsigned>(outside, plan.loops.end()), plan.tile)) {
      int64_t extent = plan.leaves[leaf].extent;
      if (!axes[plan.leaves[leaf].axis] || extent <= 1)
        continue;
      if (!llvm::isPowerOf2_64(extent))
        return fail("spans loop '" + plan.leaves[leaf].name.getValue() + "' of " + Twine(extent) +
                    " iterations, no power of two: split it, or stage inside of it");
      staged.leaves.push_back(leaf);
      elements *= extent;
    }
    if (staged.leaves.empty())
      return fail("varies along no loop and no tile axis there: stage it further outside");
    int64_t elementBytes = getElementBytes(staged.op->getResult(0).getType());
    int64_t row = plan.leaves[staged.leaves.back()].extent, rows = elements / row;
    if (rows > 1 && row * elementBytes % (kBanks * kBankBytes) == 0 &&
        isWrittenAcross(kernel, plan, staged))
      row += std::max<int64_t>(1, kVectorBytes / elementBytes);
    staged.rowStride = row;
    bytes += row * rows * elementBytes;
    if (bytes > kLocalBytes)
      return fail("takes local memory to " + Twine(bytes) + " bytes, more than " +
                  Twine(kLocalBytes) + ": stage it at an inner loop, or split its axes smaller");
  }
  return success();
}
