// Transposition of tiles in registers.
#pragma once

#include "Parts.h"

namespace tw::host {

/// The tile type with the dimension and the last one exchanged.
mlir::RankedTensorType exchangeLast(mlir::RankedTensorType tile, int64_t dim);

/// The values of the parts of `exchangeLast(tile, dim)` out of those of `tile`: blocks of rows and
/// lanes, each transposed by interleaving its rows as often as the number of lanes can be halved.
llvm::SmallVector<mlir::Value> transposeParts(mlir::OpBuilder &builder, mlir::Location location,
                                              const Parts &parts, mlir::RankedTensorType tile,
                                              mlir::ValueRange values, int64_t dim);

} // namespace tw::host
