// Inputs for a program: seeded random tensors, bytes of file constants.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Interpreter/Interpreter.h"
#include "tw/Support/FileResolver.h"

namespace tw::interp {

/// The `number`-th random input under a seed; the same on every machine. Floats are uniform in [-1,
/// 1), in steps of 2^-20 so that f32 and f64 see the same values (bf16 and f16: those, rounded);
/// integers uniform in [-8, 8], unsigned ones in [0, 16]. With `integers`, floats are uniform over
/// the integers from -4 to 4, so that sums are exact.
Tensor makeInput(mlir::RankedTensorType type, uint64_t seed, unsigned number,
                 bool integers = false);

/// Bytes of constants that lie in `files`, which outlives the tensors; failure where they cannot be
/// read.
ConstantResolver resolveFrom(FileResolver &files);

} // namespace tw::interp
