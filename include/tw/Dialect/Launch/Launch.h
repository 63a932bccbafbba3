// The tlaunch dialect, its types and its ops.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/Launch/LaunchDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tw/Dialect/Launch/LaunchTypes.h.inc"

#include "tw/Dialect/Launch/LaunchOpClasses.h.inc"
