// Extending the operands of a contraction: the rewrite behind the schedule primitive `widen`.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include <string>

namespace tw::schedule {

/// Whether the contraction takes narrow floats, which `widen` extends.
bool canWiden(kernel::ContractOp contract);

/// Lets the named contraction take operands that are extended before it; `why` receives the reason
/// when it cannot.
mlir::LogicalResult applyWiden(kernel::KernelOp kernel, kernel::WidenAttr primitive,
                               std::string &why);

} // namespace tw::schedule
