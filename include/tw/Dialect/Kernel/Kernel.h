// The tkernel dialect: ops, attributes, and the analyses that every user of it needs.
#pragma once

#include "tw/Dialect/View/View.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/Kernel/KernelDialect.h.inc"
#include "tw/Dialect/Kernel/KernelEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Kernel/KernelAttrs.h.inc"

#include "tw/Dialect/Kernel/KernelOpClasses.h.inc"

namespace tw::kernel {

/// The type of the scalar that a load of `elementType` yields: integers lose their signedness.
mlir::Type getScalarType(mlir::Type elementType);

} // namespace tw::kernel
