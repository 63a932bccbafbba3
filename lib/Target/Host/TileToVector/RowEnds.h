// Stores of rows that end somewhere in a vector.
#pragma once

#include "PartAccess.h"

#include <deque>

namespace tw::host {

/// Writes the values of a tile's parts. Rows that end alike are stored together where masks are
/// dear (AMD's cores without mask registers: 12 cycles for each store under one): whole vectors
/// behind a branch, else as many lanes as there are in powers of two. Other parts keep their masks.
void storeParts(mlir::OpBuilder &builder, mlir::Location location, mlir::Value memory,
                std::deque<PartAccess> &accesses, mlir::ValueRange values, bool streaming,
                bool masksAreDear);

} // namespace tw::host
