// The names by which schedules speak of values of a kernel.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// The attribute of the op that computes the value.
inline constexpr llvm::StringLiteral valueNameAttrName = "name";

/// The name of the op's value, null if it has none.
inline mlir::StringAttr getValueName(mlir::Operation *op) {
  return op->getAttrOfType<mlir::StringAttr>(valueNameAttrName);
}

/// Names the op's value; null takes its name away.
void setValueName(mlir::Operation *op, mlir::StringAttr name);

/// The first op in the kernel's body whose value has the name, null if there is none.
mlir::Operation *findValue(KernelOp kernel, mlir::StringAttr name);

} // namespace tw::kernel
