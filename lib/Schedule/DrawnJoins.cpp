// Which joins are drawn.
#include "DrawnJoins.h"

#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Points that loops of a kernel have, at most; some 10 ms of one thread.
static constexpr double mostPoints = 1 << 22;

bool schedule::DrawnJoins::admits(KernelOp joined) {
  AxisSets sets(joined);
  auto getLive = [&](Operation &op) {
    llvm::SmallBitVector live(joined.getNumAxes());
    for (Value operand : op.getOperands())
      live |= sets.of(operand);
    return live;
  };
  // Loops over what is stored may be around all else.
  llvm::SmallBitVector stored(joined.getNumAxes());
  for (auto store : joined.getBody().getOps<StoreOp>())
    stored |= getLive(*store);
  return llvm::all_of(joined.getBody().front(), [&](Operation &op) {
    double points = 1;
    llvm::SmallBitVector axes = getLive(op);
    axes |= stored;
    for (unsigned axis : axes.set_bits())
      points *= joined.getExtents()[axis];
    return points <= mostPoints;
  });
}
