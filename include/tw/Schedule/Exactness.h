// What a schedule does to the bits of a kernel's results.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// The same bits as without the primitive, sums in another order, or other functions.
enum class Exactness { Exact, Reassociating, Approximate };
llvm::StringRef getName(Exactness exactness);

/// What each primitive of a schedule that is legal for the kernel does, in order. A tile or an
/// order is exact where no axis that it moves is reduced.
llvm::SmallVector<Exactness> classify(kernel::KernelOp kernel, kernel::ScheduleAttr schedule);

/// Whether the schedule, legal for the kernel, leaves the order of every sum as the kernel has it;
/// if not, `why` names the first primitive that does not, and what would be exact.
bool isExact(kernel::KernelOp kernel, kernel::ScheduleAttr schedule, std::string &why);

/// A primitive as it stands in a schedule: "split m = [mo, mi 8]".
std::string getPrimitiveText(mlir::Attribute primitive);

} // namespace tw::schedule
