// Points of a reduced axis that a comparison takes out of all reductions.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// The select that masks the end of the axis, proven to leave nothing there that counts. None, with
/// the reason and the nearest legal form in `why`, where that is not so.
std::optional<SkippedAxis> findMask(kernel::KernelOp kernel, unsigned axis, std::string &why);

} // namespace tw::schedule
