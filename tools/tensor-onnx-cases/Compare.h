// Compares a result with a stored output as ONNX's own backend tests do.
#pragma once

#include "TensorFile.h"

/// Empty if `found` equals `stored`: same element type and shape, floats within
/// absolute + 1e-3 |stored| + a rounding step of the largest element (f32, f64) with NaN equal to
/// NaN, everything else exactly. Otherwise what differs first. bf16 may be stored as 16-bit
/// unsigned integers of its bits, and may be a step off: ONNX's data were cut, not rounded.
std::string compare(const CaseTensor &found, const CaseTensor &stored, double absolute);

/// "2x3xf32".
std::string typeName(const CaseTensor &tensor);
