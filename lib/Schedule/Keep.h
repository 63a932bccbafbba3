// Where values can be kept between the stages of a kernel.
#pragma once

#include "tw/Schedule/Plan.h"

#include "llvm/ADT/SetVector.h"

namespace tw::schedule {

/// Whether the op stores, or works along axes.
bool isRoot(mlir::Operation *op);

/// The roots that use the op's results, other ops in between or not.
llvm::SetVector<mlir::Operation *> findRoots(mlir::Operation *op);

} // namespace tw::schedule
