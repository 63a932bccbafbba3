// What a load that fetches ahead (`ttile.ahead`) says of the caches.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::tile {

/// On such a `ttile.load`: what is fetched goes as far as the second-level cache, because the
/// nearest one is to hold what is read before it.
inline constexpr llvm::StringLiteral farAttrName = "ttile.far";

} // namespace tw::tile
