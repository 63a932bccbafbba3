// Positions that a reduction carries along, in as few bits as they need.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Lets reductions carry positions along an axis, 64-bit integers that are only compared with each
/// other and selected, in 32 bits: half of the registers, and masks of the lanes that f32 has.
/// Identities beyond 32 bits become the least or the largest number of these and are put back
/// behind.
void narrowPositions(KernelOp kernel);

} // namespace tw::kernel
