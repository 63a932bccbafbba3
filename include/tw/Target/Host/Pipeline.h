// The host target's lowering as a pass pipeline.
#pragma once

#include "tw/Target/Host/Description.h"

#include "mlir/Pass/PassManager.h"

namespace tw::host {

/// Adds the passes that keep tile form: what is left to simplify once the CPU is known. Accesses
/// that are in bounds are known as such afterwards.
void buildTilePasses(mlir::OpPassManager &passes);

/// Adds the passes from there on, the second half of buildTileToLLVM.
void buildCodePasses(mlir::OpPassManager &passes, const Description &description,
                     bool deterministic);

/// Adds both: the passes from tile form (a module of `ttile.func`) to the llvm dialect with kernels
/// in the runtime's calling convention. `deterministic`: functions are computed as on every other
/// target, bit for bit.
void buildTileToLLVM(mlir::OpPassManager &passes, const Description &description,
                     bool deterministic);

} // namespace tw::host
