// Reads of windows.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::kernel {

/// Of a load: its axes may be those of a window, which are as long as a call's sizes are at most
/// and have nothing to do with them. What lies outside is what the map says.
constexpr llvm::StringLiteral windowAttrName = "tkernel.window";

} // namespace tw::kernel
