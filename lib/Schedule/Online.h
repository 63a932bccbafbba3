// Reductions over one axis that advance together with a maximum.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// What `online` carries along the leaf, which is known to be a loop, or none with the reason in
/// `why`.
std::optional<OnlineLoop> findOnline(kernel::KernelOp kernel, const Plan &plan, unsigned leaf,
                                     std::string &why);

} // namespace tw::schedule
