// Which joins are drawn.
#include "DrawnJoins.h"

#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Points that an op of a kernel is computed at, at most; some 10 ms of one thread.
static constexpr double mostPoints = 1 << 22;

bool schedule::DrawnJoins::admits(KernelOp joined) {
  AxisSets sets(joined);
  return llvm::all_of(joined.getBody().front(), [&](Operation &op) {
    llvm::SmallBitVector live(joined.getNumAxes());
    for (Value operand : op.getOperands())
      live |= sets.of(operand);
    double points = 1;
    for (unsigned axis : live.set_bits())
      points *= joined.getExtents()[axis];
    return points <= mostPoints;
  });
}
