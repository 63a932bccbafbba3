// Axes through which all tensors of a kernel run as one.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Whether kernel-flatten-axes makes two axes of the kernel one, whose sizes a call settles: rows
/// of all sequences of a batch are rows of one product then.
bool hasAxesOfOne(KernelOp kernel);

} // namespace tw::kernel
