// The tlaunch dialect, its types and its ops.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/View/View.h"
#include "tw/Support/ResultCounts.h"

#include "tw/Dialect/Launch/LaunchDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tw/Dialect/Launch/LaunchTypes.h.inc"

#include "tw/Dialect/Launch/LaunchOpClasses.h.inc"

namespace tw::launch {

/// What a command reads and writes itself: nothing of what its regions do.
mlir::ValueRange getReads(mlir::Operation *command);
mlir::ValueRange getWrites(mlir::Operation *command);

/// The buffer that a part, or a part of a part, lies in.
mlir::Value getWhole(mlir::Value buffer);

/// Those of the buffer and of its parts, but for the parts themselves.
llvm::SmallVector<mlir::Operation *> getUsers(mlir::Value buffer);

/// The innermost loop around an op; null if there is none.
mlir::Operation *getLoop(mlir::Operation *op);

} // namespace tw::launch
