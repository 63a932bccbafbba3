// Complex numbers, which programs have as pairs of floats and their callers as numbers.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::graph {

/// On arguments and results whose callers see complex numbers: tensors of f32 or f64 with a last
/// dimension of 2, real and imaginary parts.
inline constexpr llvm::StringLiteral complexName = "tgraph.complex";

} // namespace tw::graph
