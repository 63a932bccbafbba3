// Naming and finding values of a kernel.
#include "tw/Dialect/Kernel/ValueName.h"

using namespace mlir;
using namespace tw;

void kernel::setValueName(Operation *op, StringAttr name) {
  if (name)
    op->setAttr(valueNameAttrName, name);
  else
    op->removeAttr(valueNameAttrName);
}

Operation *kernel::findValue(KernelOp kernel, StringAttr name) {
  for (Operation &op : kernel.getBody().front())
    if (getValueName(&op) == name)
      return &op;
  return nullptr;
}
