// How often a scheduled kernel computes the same.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw {

/// How often the value that a kernel computes most often is computed for each point of its axes, by
/// the loops that its schedule makes: 1 if nothing is computed twice. Points beyond the ends of
/// axes are not counted, nor are reading, indices, and what follows from them alone.
int64_t countRecomputation(kernel::KernelOp kernel);

} // namespace tw
