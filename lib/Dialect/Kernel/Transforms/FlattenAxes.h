// Axes through which all tensors of a kernel run as one.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Whether two axes of the producer, whose sizes a call settles, are one axis by itself
/// (kernel-flatten-axes), and two if it stores what it makes as the consumer does, which reads it
/// at one place.
bool takesApart(KernelOp producer, KernelOp consumer, LoadOp load);

} // namespace tw::kernel
