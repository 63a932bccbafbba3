// What the compiler assumes of an OpenCL device.
#pragma once

#include "tw/Target/Common/Gpu.h"

#include <string>

namespace tw::opencl {

/// For the lowering to threads.
GpuTraits getTraits();

/// As JSON, the format that `--target=@file` reads.
std::string describe();

} // namespace tw::opencl
