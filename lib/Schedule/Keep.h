// Where values can be kept between the stages of a kernel.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"

#include "llvm/ADT/SetVector.h"

namespace tw::schedule {

/// Whether the op stores, or works along axes.
bool isRoot(mlir::Operation *op);

/// The roots that use the op's results, other ops in between or not.
llvm::SetVector<mlir::Operation *> findRoots(mlir::Operation *op);

/// Whether a sum or scan runs once more, for a later use of its result, which does not stay in
/// registers until then, or because what uses it does.
bool runsAgain(kernel::KernelOp kernel, const kernel::AxisSets &sets, const Plan &plan,
               mlir::Operation *root);

/// The roots that use the op's results and, where one of them runs again, those that use its
/// result: all for which the value is read, be it in memory.
llvm::SetVector<mlir::Operation *> findReaders(kernel::KernelOp kernel,
                                               const kernel::AxisSets &sets, const Plan &plan,
                                               mlir::Operation *op);

} // namespace tw::schedule
