// How much scratch memory the programs of a kernel need.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include <cstdint>

namespace tw::host {

/// Bytes of scratch memory that a thread needs to run programs of the kernel: its local buffers.
int64_t getScratchBytes(tile::FuncOp program);

} // namespace tw::host
