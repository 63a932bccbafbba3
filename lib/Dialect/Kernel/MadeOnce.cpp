// Tensors that depend on constants alone, found through the kernels that make them.
#include "tw/Dialect/Kernel/MadeOnce.h"

#include "tw/Dialect/Kernel/Kernel.h"

using namespace mlir;

bool tw::kernel::isMadeOnce(Value tensor) {
  Operation *source = tensor.getDefiningOp();
  if (source && source->hasTrait<OpTrait::ConstantLike>())
    return true;
  return isa_and_nonnull<KernelOp>(source) && source->getNumOperands() > 0 &&
         llvm::all_of(source->getOperands(), isMadeOnce);
}
