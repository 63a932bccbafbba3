// Running a kernel over a grid.
#pragma once

#include "../Common/Code.h"
#include "Warp.h"

namespace tw::emulator::ptx {

struct Launch {
  const Program *program = nullptr;
  const Kernel *kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamicBytes = 0;
  /// Parameters, as laid out by Kernel::parameters.
  std::vector<uint8_t> parameters;
  Memory *memory = nullptr;
  /// Operations times lanes after which the launch counts as hanging.
  int64_t budget = LaunchShape().budget;
  /// One for each operation of the kernel; NULL: nothing is counted.
  std::vector<Counters> *counters = nullptr;
};

/// What a launch did.
struct Outcome {
  /// Empty, or the first fault: kernel, line, what is wrong, block, warp and lanes.
  std::string fault;
  /// Operations of warps, and of lanes.
  uint64_t operations = 0, laneOperations = 0;
};

/// Runs the blocks one after the other.
Outcome run(const Launch &launch);

} // namespace tw::emulator::ptx
