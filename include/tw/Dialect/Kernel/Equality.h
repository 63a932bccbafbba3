// Kernels that compute the same.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Whether the kernels have the same axes, types, schedule and body, locations and hints left out.
/// What they read may differ, or not be known (a copy without operands).
bool areEqual(KernelOp a, KernelOp b);

/// The same for equal kernels.
llvm::hash_code hash(KernelOp kernel);

} // namespace tw::kernel
