// Code that an emulator runs, as a driver library sees it: images that hold kernels.
#pragma once

#include "Memory.h"

#include <memory>
#include <string>

namespace tw::emulator {

/// A launch of a kernel. `parameters` lie as the kernel's slots say.
struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamicBytes = 0;
  std::vector<uint8_t> parameters;
  Memory *memory = nullptr;
  /// Operations times lanes after which the launch counts as hanging.
  int64_t budget = 50'000'000'000;
};

class KernelCode {
public:
  struct Slot {
    uint32_t offset, bytes;
    bool pointer = false;
  };
  std::string name;
  std::vector<Slot> slots;
  uint32_t parameterBytes = 0;
  /// Threads of a block as the code demands them; 0: any. The most that it allows; 0: as the
  /// device.
  uint32_t threads[3] = {}, maxThreads = 0;

  virtual ~KernelCode() = default;
  /// Runs the blocks; the first fault, or nothing.
  virtual std::string run(const LaunchShape &shape) const = 0;
};

class CodeImage {
public:
  virtual ~CodeImage() = default;
  /// NULL if the image has no such kernel. It lives as long as the image.
  virtual const KernelCode *find(const std::string &name) const = 0;
};

} // namespace tw::emulator
