// The tview dialect, its attributes and its ops.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/View/ViewDialect.h.inc"

namespace tw::view {

/// Whether all constants that the map's expressions divide by are above 0, as quotients need.
bool hasPositiveDivisors(mlir::AffineMap map);

} // namespace tw::view

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/View/ViewAttrs.h.inc"

#include "tw/Dialect/View/ViewOpClasses.h.inc"
