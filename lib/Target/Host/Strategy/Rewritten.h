// Strategies for what a kernel becomes by the rewrites at the head of a schedule.
#pragma once

#include "tw/Target/Host/HostStrategy.h"

namespace tw::schedule::host {

using Propose = void (*)(kernel::KernelOp kernel, const HostTraits &traits,
                         llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Adds what `propose` has for a copy of the kernel to which the rewrites in `head` were applied,
/// with `head` before it. Values of the kernel get the names that they were given there.
void proposeRewritten(kernel::KernelOp kernel, kernel::ScheduleAttr head, const HostTraits &traits,
                      Propose propose, llvm::SmallVectorImpl<HostCandidate> &candidates);

} // namespace tw::schedule::host
