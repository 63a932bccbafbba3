// Values that a program takes as known of its arguments.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::graph {

/// On an argument: the elements that it must have, of its type, as the program was made for them.
inline constexpr llvm::StringLiteral assumedName = "tgraph.assumed";

} // namespace tw::graph
