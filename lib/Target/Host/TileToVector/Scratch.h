// Local buffers of a program in the scratch memory of the thread that runs it.
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Target/Host/Scratch.h"

#include "llvm/ADT/DenseMap.h"

namespace tw::host {

/// Byte offsets of the local buffers of a program, one after the other, each on a cache line.
struct ScratchPlan {
  explicit ScratchPlan(tile::FuncOp program);

  llvm::DenseMap<mlir::Operation *, int64_t> offsets;
  int64_t bytes = 0;
};

} // namespace tw::host
