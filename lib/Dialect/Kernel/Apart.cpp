// Copies of kernels with copies of the constants that they read.
#include "tw/Dialect/Kernel/Apart.h"

#include "tw/Dialect/Kernel/MadeOnce.h"

using namespace mlir;
using namespace tw::kernel;

KernelApart::KernelApart(KernelOp original) {
  for (Value operand : original->getOperands())
    copy(operand);
  kernel = cast<KernelOp>(original->clone(copies));
  block.push_back(kernel);
}

void KernelApart::copy(Value value) {
  if (copies.contains(value))
    return;
  if (!isMadeOnce(value)) {
    copies.map(value, block.addArgument(value.getType(), value.getLoc()));
    return;
  }
  Operation *maker = value.getDefiningOp();
  for (Value operand : maker->getOperands())
    copy(operand);
  block.push_back(maker->clone(copies));
}
