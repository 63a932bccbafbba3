// Attributes of ops in tile programs of groups of threads: rings of buffers, asynchronous copies
// and matrix units. Whoever does not know them runs the ops as they stand, with the same numbers.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::tile {

/// On `ttile.mma` with a group: its products are for a matrix unit, which multiplies the whole
/// group at once by the threads of each subgroup together. "any" until tile-assign-layouts writes
/// the name of the unit; the operands and the accumulator then have the layouts of its fragments.
inline constexpr llvm::StringLiteral unitAttrName = "ttile.unit";

/// On `ttile.alloc`, n: the memory is to become a ring of as many buffers, each filled while those
/// before it are read, which tile-pipeline makes of it.
inline constexpr llvm::StringLiteral slotsAttrName = "ttile.slots";

/// On `ttile.store` to local memory: the value, a load of which this is the only use, may go from
/// memory to local memory at any time until a barrier waits for the group of such stores that it
/// is in. The group ends with the store that has the second attribute as well.
inline constexpr llvm::StringLiteral asynchronousAttrName = "ttile.asynchronous";
inline constexpr llvm::StringLiteral commitAttrName = "ttile.commit";

/// On `ttile.barrier`, n: each thread waits, before it meets the others, until all groups of its
/// asynchronous stores but the last n are done.
inline constexpr llvm::StringLiteral waitAttrName = "ttile.wait";

} // namespace tw::tile
