// Where values can be kept between the stages of a kernel.
#pragma once

#include "tw/Schedule/Plan.h"

#include "llvm/ADT/SetVector.h"

namespace tw::schedule {

/// Whether the op stores, or works along axes.
bool isRoot(mlir::Operation *op);

/// The roots that use the op's results, other ops in between or not.
llvm::SetVector<mlir::Operation *> findRoots(mlir::Operation *op);

/// Whether all values of `plan.keep` can live where they are kept; the reason in `why` if not.
mlir::LogicalResult checkKept(kernel::KernelOp kernel, const Plan &plan, std::string &why);

} // namespace tw::schedule
