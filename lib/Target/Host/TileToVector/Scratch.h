// Local buffers of a program in scratch memory: of the thread that runs it, or of its team.
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Target/Host/Scratch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tw::host {

/// Byte offsets of the local buffers of a program, each on a cache line. What a team shares is
/// allocated outside of its loops; what is allocated inside of one does not outlive it.
struct ScratchPlan {
  explicit ScratchPlan(tile::FuncOp program);

  struct Place {
    int64_t offset;
    bool isShared;
  };
  llvm::DenseMap<mlir::Operation *, Place> places;
  ScratchBytes bytes;
};

/// The arguments of a converted program behind its buffers and coordinates: scratch memory of the
/// thread, of the team, and the team itself; null where it has none.
struct LastArguments {
  explicit LastArguments(mlir::func::FuncOp function);

  mlir::Value own, shared, team;
};

} // namespace tw::host
