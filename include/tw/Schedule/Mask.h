// Points of a reduced axis that a comparison, or the border of a tensor, takes out of all
// reductions.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// The select that masks the end of the axis, or the load that is zero at its ends, proven to leave
/// nothing there that counts. None, with the reason and the nearest legal form in `why`, where that
/// is not so.
std::optional<SkippedAxis> findMask(kernel::KernelOp kernel, unsigned axis, std::string &why);

} // namespace tw::schedule
