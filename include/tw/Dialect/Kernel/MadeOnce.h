// Which tensors are made once for a loaded program, so that they cost a call nothing.
#pragma once

#include "mlir/IR/Value.h"

namespace tw::kernel {

/// Whether the tensor is a constant of the program, or made by kernels of constants alone. What
/// calls read is not where it takes much more memory than these: the program's initializer leaves
/// that to each call.
bool isMadeOnce(mlir::Value tensor);

} // namespace tw::kernel
