// The strategy for products in local memory, and functions of them.
#pragma once

#include "tw/Target/Host/HostStrategy.h"

namespace tw::schedule::host {

/// Contractions whose operands lie along what is summed, and elementwise work on their sums.
void proposeProductsFirst(kernel::KernelOp kernel, const HostTraits &traits,
                          llvm::SmallVectorImpl<HostCandidate> &candidates);

} // namespace tw::schedule::host
