// Attributes of ops in tile programs of groups of threads: rings of buffers, asynchronous copies
// and matrix units. Whoever does not know them runs the ops as they stand, with the same numbers.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::tile {

/// On `ttile.mma` with a group: its products are for a matrix unit, which multiplies the whole
/// group at once by the threads of each subgroup together. "any" until tile-assign-layouts writes
/// the name of the unit; the operands and the accumulator then have the layouts of its fragments.
inline constexpr llvm::StringLiteral unitAttrName = "ttile.unit";

/// On `ttile.mma`: why its unit is not one that reads local memory, on a chip that has such units.
inline constexpr llvm::StringLiteral insteadAttrName = "ttile.instead";

/// On `ttile.load` from local memory that only products by one unit use, d: the unit reads the
/// value there when it multiplies, and no register has it. The memory is laid out in runs of 16
/// bytes along dimension d of the tile, by which its last two dimensions are numbered: `(.., column
/// floordiv run, row, column mod run)`.
inline constexpr llvm::StringLiteral inPlaceAttrName = "ttile.in_place";

/// On a `ttile.mma` by such a unit that another one of its sums follows, at last behind the loop
/// around it: the products may go on until those are awaited. Operands stay as they are until then,
/// and nothing else touches the sums. "alone": the products before are awaited; "all": none are.
/// "read": those before are awaited, and it is where its sums are read first.
inline constexpr llvm::StringLiteral openAttrName = "ttile.open";

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

/// On such a barrier, n: it waits for slot n, where others are read behind it as well.
inline constexpr llvm::StringLiteral slotAttrName = "ttile.slot";

/// On a `ttile.barrier`: it frees memory that units have read, and nothing that they will read was
/// written since the last one.
inline constexpr llvm::StringLiteral spentAttrName = "ttile.spent";

/// On a `ttile.load` of a filling, n: its last index is that of an iteration, of which there are
/// those below n. What is read for others goes nowhere.
inline constexpr llvm::StringLiteral beforeAttrName = "ttile.before";

/// On a `ttile.store` to a slot of a ring, a `#ttile.box` that its load reads: one thread has it
/// copied, if its iteration is there, and `ttile.await` waits for it. The first store of a filling
/// has the second attribute: the bytes of all of them.
inline constexpr llvm::StringLiteral boxAttrName = "ttile.box", expectsAttrName = "ttile.expects";

/// On a `ttile.alloc` of a ring that boxes fill, n: runs of 16 bytes trade places in rows of n
/// bytes (32, 64 or 128), one behind the other, of which each eight are a pattern: of the run's
/// address the bits above the lowest four are exclusive-ored with those of the row's number. Only
/// copies of boxes and matrix units access it, and know that.
inline constexpr llvm::StringLiteral swizzleAttrName = "ttile.swizzle";

/// On such a `ttile.store`, n: it is filling number n of its slot, and in a loop the one n behind
/// the iteration's.
inline constexpr llvm::StringLiteral fillingAttrName = "ttile.filling";

/// On a `ttile.alloc`: its words count what arrives (`ttile.await`); which threads are done with a
/// slot (`ttile.release`).
inline constexpr llvm::StringLiteral arrivalsAttrName = "ttile.arrivals",
                                     releasesAttrName = "ttile.releases";

/// On a `ttile.func`, n: so many subgroups beside those of the program do nothing but have rings
/// filled, which `ttile.store` with a box says where it stands, as soon as slots are released.
inline constexpr llvm::StringLiteral loadingAttrName = "ttile.loading";

/// On such a `ttile.func`, n: its programs take the points of the grid in turn, n at most beside
/// each other. All fillings of a point are released by its end.
inline constexpr llvm::StringLiteral walkingAttrName = "ttile.walking";

/// On a `ttile.func`: why it has none, though the schedule asks for them.
inline constexpr llvm::StringLiteral noLoadingAttrName = "ttile.no_loading";

/// On a `ttile.alloc` of a ring that threads fill, on a chip that copies boxes: why they do.
inline constexpr llvm::StringLiteral byThreadsAttrName = "ttile.by_threads";

} // namespace tw::tile
