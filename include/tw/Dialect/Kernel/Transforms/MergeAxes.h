// Making one axis of several: the rewrite behind the schedule primitive `merge`.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include <string>

namespace tw::kernel {

/// Replaces axes, the slowest first, by one axis whose extent is the product of theirs; it takes
/// the place of the first of them in the kernel. What used an axis uses a quotient or remainder of
/// the new one, simplified by the extents.
mlir::BlockArgument mergeAxes(KernelOp kernel, llvm::ArrayRef<unsigned> axes, llvm::StringRef name);

/// Whether that keeps the meaning of the kernel: every op reduces all of the axes or none, every
/// store writes along all of them or none, and no scan runs along one. If not, `why` says what
/// differs.
bool canMergeAxes(KernelOp kernel, llvm::ArrayRef<unsigned> axes, std::string &why);

} // namespace tw::kernel
