// Comparing kernels op by op.
#include "tw/Dialect/Kernel/Equality.h"

#include "tw/Dialect/Kernel/Instance.h"

using namespace mlir;
using namespace tw;

bool kernel::areEqual(KernelOp a, KernelOp b) {
  // The types of operands are those of the body's arguments.
  if (a->getResultTypes() != b->getResultTypes() || a.getExtents() != b.getExtents() ||
      a.getSizesAttr() != b.getSizesAttr() || a.getAxisNames() != b.getAxisNames() ||
      a.getScheduleAttr() != b.getScheduleAttr() ||
      a->getAttr(variantsAttrName) != b->getAttr(variantsAttrName) ||
      a->getAttr(leavingAttrName) != b->getAttr(leavingAttrName) ||
      a->getAttr(repeatedAttrName) != b->getAttr(repeatedAttrName))
    return false;
  return OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

llvm::hash_code kernel::hash(KernelOp kernel) {
  llvm::hash_code code = llvm::hash_combine_range(kernel.getExtents());
  for (Type type : llvm::concat<const Type>(kernel->getOperandTypes(), kernel->getResultTypes()))
    code = llvm::hash_combine(code, type);
  for (Operation &op : kernel.getBody().front())
    code = llvm::hash_combine(
        code, OperationEquivalence::computeHash(&op, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  return code;
}

OwningOpRef<kernel::KernelOp> kernel::copyWithoutOperands(KernelOp kernel) {
  OwningOpRef<KernelOp> copy(kernel.clone());
  (*copy)->setOperands({});
  return copy;
}

unsigned kernel::KernelNumbers::get(KernelOp kernel) {
  auto &alike = known[kernel::hash(kernel)];
  for (auto &[other, number] : alike)
    if (areEqual(*other, kernel))
      return number;
  alike.push_back({copyWithoutOperands(kernel), next});
  return next++;
}
