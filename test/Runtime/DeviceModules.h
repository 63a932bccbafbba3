// Modules with hand-written OpenCL C and SPIR-V, for the tests of those drivers.
#pragma once

#include "tw/Format/Metadata.h"

#include <functional>
#include <string>
#include <vector>

namespace tw::test {

/// Can the device be opened? `reason` says why not.
bool hasDevice(const char *uri, std::string &reason);

/// main(x: f32[64]) -> y: f32[64] with y = 3 * (x + w), w an embedded f32[16] 0, 1, 2 ... repeated:
/// programs for opencl and vulkan, two launches each over an arena. `change` may damage it before
/// it is written. `source` takes the place of the OpenCL C.
std::vector<uint8_t> makeDeviceModule(const std::function<void(format::Metadata &)> &change = {},
                                      const std::string &source = {});

/// main() -> y: u8[64 n]: n embedded constants of `bytes` bytes, of which constant i holds i + 1
/// throughout; y is the last 64 bytes of each. Programs for opencl and vulkan.
std::vector<uint8_t> makeConstantsModule(uint32_t count, uint64_t bytes);

} // namespace tw::test
