// What fillings of buffers in local memory have in common.
#pragma once

#include <cstdint>

namespace tw {

/// Elements of a tile that a filling moves at once: a block that transposes in registers, and a few
/// vectors of a row. Narrower vectors take several of each.
inline constexpr int64_t kRows = 16, kLanes = 16, kRow = 64;

} // namespace tw
