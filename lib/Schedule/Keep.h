// Where values can be kept between the stages of a kernel.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Whether all values of `plan.keep` can live where they are kept; the reason in `why` if not.
mlir::LogicalResult checkKept(kernel::KernelOp kernel, const Plan &plan, std::string &why);

} // namespace tw::schedule
