// How much scratch memory the programs of a kernel need.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include <cstdint>

namespace tw::host {

/// Bytes of scratch memory for the local buffers of a kernel's programs: of each thread, and of all
/// threads of a team together.
struct ScratchBytes {
  int64_t own = 0, shared = 0;
};
ScratchBytes getScratchBytes(tile::FuncOp program);

} // namespace tw::host
