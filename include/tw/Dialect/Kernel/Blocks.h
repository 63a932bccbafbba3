// Where kernels stand in a function.
#pragma once

#include "mlir/IR/Operation.h"

namespace tw::kernel {

/// The blocks of a function and of the branches and loops in it, but not those of kernels; what is
/// inside of another comes before it, as what reads comes before what makes.
llvm::SmallVector<mlir::Block *> getProgramBlocks(mlir::Operation *function);

} // namespace tw::kernel
