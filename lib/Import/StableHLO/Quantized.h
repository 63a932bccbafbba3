// Quantised tensors, which are integers inside of a program.
#pragma once

#include "OpImport.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace tw::stablehlo {

/// The numbers that integers of this type stand for, and integers of numbers, by StableHLO's
/// definitions: (x - zero point) * scale, and x / scale rounded to even, plus the zero point,
/// within the type's limits. A list of scales that does not fit is reported.
Value dequantized(OpImport &op, Value x, mlir::Type type);
Value quantized(OpImport &op, Value x, mlir::Type type);

} // namespace tw::stablehlo
