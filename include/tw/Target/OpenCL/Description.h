// What the compiler assumes of an OpenCL device.
#pragma once

#include "tw/Target/Common/Gpu.h"

namespace tw::opencl {

/// Whether the chip is "cpu": devices that run the work-items of a group in a loop.
inline bool isCPU(llvm::StringRef chip) { return chip == "cpu"; }

/// For the lowering to threads.
const GpuTraits &getTraits(llvm::StringRef chip);

} // namespace tw::opencl
