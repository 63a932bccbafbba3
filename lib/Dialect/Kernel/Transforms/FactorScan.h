// Scanning in parts: what `rfactor` is of a scan.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// Creates, before `kernel`, a kernel that scans every part of the axis by itself and one that scans
/// what the parts give together. `kernel` combines what they store. Returns the kernel of the parts.
KernelOp factorScan(KernelOp kernel, ScanOp op, RfactorAttr primitive);

} // namespace tw::kernel
