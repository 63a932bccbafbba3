// Vector registers that the innermost loop of a reduction holds under any schedule.
#include "tw/Target/Host/HostStrategy.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class Counter {
public:
  Counter(KernelOp kernel, const Plan &plan, const HostTraits &traits)
      : kernel(kernel), plan(plan), traits(traits), sets(kernel) {}

  int64_t count() {
    int64_t most = 0;
    for (Operation &op : kernel.getBody().front()) {
      llvm::SmallBitVector reduced = sets.reducedBy(&op);
      if (!isa<ReduceOp, ContractOp>(op) || !hasLoop(reduced))
        continue;
      int64_t held = 0;
      for (Value result : op.getResults())
        held += getRegisters(result.getType(), sets.of(result), /*rows=*/true);
      // One row of what lies along lanes, one register for each that is the same in all of them.
      for (Value operand : op.getOperands())
        if (!operand.getType().isIndex())
          held += getRegisters(operand.getType(), sets.of(operand), /*rows=*/false);
      most = std::max(most, held);
    }
    return most;
  }

private:
  /// Whether partial results live from one iteration of a loop to the next.
  bool hasLoop(const llvm::SmallBitVector &axes) {
    return llvm::any_of(plan.loops, [&](unsigned leaf) {
      return axes[plan.leaves[leaf].axis] && plan.leaves[leaf].extent > 1;
    });
  }

  int64_t getRegisters(Type type, const llvm::SmallBitVector &axes, bool rows) {
    int64_t count = 1;
    for (unsigned leaf : plan.tile) {
      const LeafAxis &axis = plan.leaves[leaf];
      if (!axes[axis.axis])
        continue;
      if (leaf == plan.tile.back())
        count *= llvm::divideCeil(axis.extent * std::max(32u, type.getIntOrFloatBitWidth()) / 32,
                                  traits.lanes);
      else if (rows)
        count *= axis.extent;
    }
    return count;
  }

  KernelOp kernel;
  const Plan &plan;
  const HostTraits &traits;
  AxisSets sets;
};

} // namespace

int64_t tw::schedule::countRegisters(KernelOp kernel, const HostTraits &traits) {
  if (!kernel.getSchedule())
    return 0;
  auto copy = cast<KernelOp>(kernel->clone());
  FailureOr<Plan> plan = makePlan(copy);
  int64_t count = succeeded(plan) ? Counter(copy, *plan, traits).count() : 0;
  copy->erase();
  return count;
}
