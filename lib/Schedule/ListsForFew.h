// Lists for few points along an axis whose size a call settles, made from that for all of them.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// Lists that may be better where a kernel has at most so many points along an axis, with the same
/// panels: without buffers for what many points read again, and sums to their end at once; with
/// fewer tiles in a block, or none. Whether they are legal is not known.
llvm::SmallVector<kernel::ScheduleAttr> makeForFew(kernel::KernelOp kernel, unsigned axis,
                                                   int64_t most, kernel::ScheduleAttr list);

/// The list with a loop along another axis, or parts of it, in the grid, where blocks alone are
/// fewer programs than there are threads.
llvm::SmallVector<kernel::ScheduleAttr> cutForFew(kernel::KernelOp kernel, unsigned axis,
                                                  kernel::ScheduleAttr list);

} // namespace tw::schedule
