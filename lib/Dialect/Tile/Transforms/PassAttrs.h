// Attributes by which passes of this folder tell each other of barriers.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::tile {

/// On `ttile.barrier` with `ttile.wait`: nobody reads what it waits for, but its memory is filled
/// again behind it, so that a barrier in front of it may wait in its place.
inline constexpr llvm::StringLiteral unreadAttrName = "ttile.unread";

} // namespace tw::tile
