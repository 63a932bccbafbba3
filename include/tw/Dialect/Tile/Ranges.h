// What is known of the numbers that an operation of a tile computes with, as attributes of it:
// shorter code does for some ranges. Elements beyond the axes of a kernel, which nobody reads, may
// be others.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::tile {

/// On `math.exp`: no element of the operand is above 0; some may be NaN.
inline constexpr llvm::StringLiteral notPositiveAttrName = "ttile.not_positive";
/// On `arith.divf`: each element of the dividend lies between 0 and 1 or is NaN.
inline constexpr llvm::StringLiteral fractionAttrName = "ttile.fraction";
/// On `ttile.load` and `ttile.store`: what lies outside is not rare and may be a page of memory or
/// more away, so that even an access of no lanes should not name it.
inline constexpr llvm::StringLiteral straysAttrName = "ttile.strays";
/// On `ttile.load`: it stands in a loop of many iterations, of which one is seldom the first or the
/// last for which a bound or a guard holds: a branch on it is most often foreseen.
inline constexpr llvm::StringLiteral longRunsAttrName = "ttile.long_runs";
/// On `ttile.load` and `ttile.store`, a number: so many points along the last dimension of the
/// tile, from the first one, are inside as far as that depends on the dimension.
inline constexpr llvm::StringLiteral sureLanesAttrName = "ttile.sure_lanes";

} // namespace tw::tile
