// Which values of a kernel are known to be finite numbers: zero times one of them is zero.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// The unit attribute of a load whose tensor is known to hold neither infinities nor NaN.
inline constexpr llvm::StringLiteral finiteAttrName = "finite";

/// Whether the value is neither an infinity nor NaN: a finite constant, a load that says so and
/// whose fills are finite, an integer, and what extensions, changes of sign, choices and extrema
/// make of such values.
bool isKnownFinite(mlir::Value value);

} // namespace tw::kernel
