// What the compiler assumes of an OpenCL device: little more than every full-profile device has.
#include "tw/Target/OpenCL/Description.h"

using namespace llvm;

/// Of the device's own precision. A CPU has none that are shorter than ours.
static constexpr StringLiteral nativeFunctions[] = {"math.exp2", "math.log2"};

/// A warp is a number here: OpenCL C 1.2 has no exchange between the work-items of a subgroup. The
/// memory is the least that the full profile asks for (OpenCL 1.2, table 4.3).
static constexpr tw::GpuTraits generic{.subgroup = 32,
                                       .vectorBytes = 16,
                                       .localBytes = 32768,
                                       .maxThreads = 256,
                                       .dividesGroups = true,
                                       .native = nativeFunctions};

/// A core runs the work-items of a group one after another. One alone has all of its vectors:
/// OpenCL C's longest, which drivers take apart where the core's are shorter.
static constexpr tw::GpuTraits cpu{.subgroup = 32,
                                   .vectorBytes = 16,
                                   .loneVectorBytes = 64,
                                   .localBytes = 32768,
                                   .maxThreads = 256,
                                   .dividesGroups = true};

const tw::GpuTraits &tw::opencl::getTraits(StringRef chip) { return isCPU(chip) ? cpu : generic; }
