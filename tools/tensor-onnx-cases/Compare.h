// Compares a result with a stored output as ONNX's own backend tests do.
#pragma once

#include "TensorFile.h"

/// Empty if `found` equals `expected`: same element type and shape, floats within
/// 1e-7 + 1e-3 |expected| with NaN equal to NaN, everything else exactly. Otherwise what differs
/// first.
std::string compare(const CaseTensor &found, const CaseTensor &expected);

/// "2x3xf32".
std::string typeName(const CaseTensor &tensor);
