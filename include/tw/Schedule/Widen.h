// Extending the operands of a contraction: the rewrite behind the schedule primitive `widen`.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// Whether the contraction takes narrow floats, which `widen` extends.
bool canWiden(kernel::ContractOp contract);

} // namespace tw::schedule
