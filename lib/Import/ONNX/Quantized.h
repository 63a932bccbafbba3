// What the operators on quantised numbers share.
#pragma once

#include "NodeImport.h"

namespace tw::onnx {

/// `x` as i32 minus its zero point (null: 0). A zero point with one element per row or column of
/// `x` (its last but one or last dimension) is aligned with it.
Value centered(NodeImport &n, Value x, Value zeroPoint, bool row);

/// `x` (i32) times `scale` (f32), rounded, plus the zero point, in the zero point's element type,
/// saturated.
Value requantized(NodeImport &n, Value x, Value scale, Value zeroPoint);

/// round(x / scale) + zero point, saturated to `element`, an integer type; scale and zero point
/// (null: 0) broadcast.
Value quantized(Emitter &e, Value x, Value scale, Value zeroPoint, mlir::Type element);

/// `product(a, b)`, which is linear in both, of shape [..., `dim`, ...]. Where both come out of a
/// DequantizeLinear of integers of 8 bits at most, or of floats of 8, whose scales are one for all
/// or (dimension `dimB` of `b`) one for each index of `dim`, the sums are of these numbers and the
/// scales multiply them: the same up to rounding. Of integers they are exact below 2^24 (2^53 in
/// f64), so that all orders of summation agree.
Value productOfSteps(NodeImport &n, Value a, Value b, int64_t dimB, int64_t dim,
                     llvm::function_ref<Value(Value, Value)> product);

/// `x` in `element`. To floats of 8 bits as operator Cast has it: what is beyond their largest
/// number is that, or, unless it `saturates`, an infinity or NaN.
Value castTo(Emitter &e, Value x, mlir::Type element, bool saturates);

/// The least and the greatest value of an integer element type.
std::pair<double, double> integerRange(mlir::Type element);

} // namespace tw::onnx
