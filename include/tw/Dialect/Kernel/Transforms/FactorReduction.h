// Reducing in parts that a kernel of its own computes: the rewrite behind `rfactor`.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Whether the reduction that the primitive names can be computed in parts; else `why` says what is
/// in the way.
bool canFactorReduction(KernelOp kernel, RfactorAttr primitive, std::string &why);

/// Whether what is scanned may trap where it is computed at points behind its axis, at which loads
/// give 0: a division of integers, say. Parts of such a scan divide the axis.
bool mayTrapBehindEnd(ScanOp scan);

/// Creates, before `kernel`, a kernel that reduces every whole part of the axis by itself, and
/// where parts do not divide the axis one that reduces what is left. `kernel` combines what they
/// store: the parts in their order, what is left last. Kept axes of one point stay in `kernel`
/// alone. Returns the kernel of the whole parts, in which the reduction has its name still.
///
/// Of a scan every part is scanned by itself, the last one in front of what it lacks, and another
/// kernel scans what the parts give together; `kernel` combines what is before a part with its own.
KernelOp factorReduction(KernelOp kernel, RfactorAttr primitive);

/// Whether parts of the axis have a maximum each, which the op depends on by a factor alone, as the
/// sums of a softmax do: all that is reduced over the axis is then, and parts divide it.
bool isLedByMaximum(KernelOp kernel, mlir::Operation *op, unsigned axis);

} // namespace tw::kernel
