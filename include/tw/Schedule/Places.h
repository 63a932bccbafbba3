// Where operands of kernels lie, as far as prices depend on it.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// Since when what a kernel reads is there; a constant in a file may be of any alignment.
enum class Place { Constant, InFile, MadeOnce, Call };

/// Where the operands of the kernel lie. Of kernels that are equal one may be priced for all whose
/// places are equal too.
llvm::SmallVector<Place> findPlaces(kernel::KernelOp kernel);

/// Whether a tensor is a constant that lies in a file, which gives data any alignment; all other
/// tensors begin where the lines of caches do.
bool isInFile(mlir::Value tensor);

} // namespace tw::schedule
