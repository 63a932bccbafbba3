// The default schedule of any kernel on a device that runs groups of threads.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Target/Common/GpuMachine.h"

namespace tw::schedule {

/// A readable schedule for any kernel, by the same rules for every GPU-shaped target, and of those
/// that the rules allow the cheapest for a device whose numbers are known. Axes that every op
/// treats alike are merged; what memory runs along contiguously becomes the last dimension of the
/// tiles:
///
/// - elementwise: one merged axis, four elements per thread; a transpose gets square tiles;
/// - reductions along memory (softmax, norms): a program per row or several, the whole row in a
///   tile while it fits; across memory: a thread per result, or a tile of both where results are
///   few;
/// - contractions and convolutions: tiles of the result over all that only one operand depends on,
///   blocks of both operands staged in local memory;
/// - scans: a thread per row.
///
/// Gives the name "lhs" or "rhs" to an operand of a contraction that it stages and that has none.
///
/// With `exact`, sums keep the order that the kernel has them in: a thread per result.
kernel::ScheduleAttr makeGpuSchedule(kernel::KernelOp kernel, const GpuMachine &machine,
                                     bool exact);

/// Makes the strategy known as "gpu".
void registerGpuStrategy();

} // namespace tw::schedule
