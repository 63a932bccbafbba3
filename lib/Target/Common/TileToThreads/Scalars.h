// What is known of the scalars of a tile program: ranges, and how they are computed.
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Layout/Expr.h"

namespace tw::threads {

/// The values that an index takes: grid coordinates, loop counters and what is computed from them.
layout::Range getRange(mlir::Value index);

/// Takes an index apart into what it is computed from. `getDim` gives the dim of a value that is
/// not taken apart.
layout::Expr getExpr(mlir::Value index, llvm::function_ref<unsigned(mlir::Value)> getDim);

/// The number of loops around the definition of a value.
unsigned getDepth(mlir::Value value);

/// How often an operation runs in one program; loops without constant bounds count as 8.
int64_t countRuns(mlir::Operation *op);

} // namespace tw::threads
