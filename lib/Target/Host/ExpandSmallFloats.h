// Conversions between f32 and floats of 8 bits as arithmetic on their bits.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace tw::host {

/// arith.extf f8 to f32, arith.truncf f32 to f8   ->   arithmetic on integers and f32
void populateExpandSmallFloats(mlir::RewritePatternSet &patterns);

} // namespace tw::host
