// Registration of the tkernel dialect.
#include "ScheduleSyntax.h"

using namespace mlir;
using namespace tw::kernel;

#include "tw/Dialect/Kernel/KernelDialect.cpp.inc"
#include "tw/Dialect/Kernel/KernelEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Kernel/KernelAttrs.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tw/Dialect/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Kernel/StructureOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Kernel/AccessOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Kernel/ReductionOps.cpp.inc"
      >();
}

Type tw::kernel::getScalarType(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}
