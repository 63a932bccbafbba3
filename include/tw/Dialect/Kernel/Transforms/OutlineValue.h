// Computing a value of a kernel in a kernel of its own: the rewrite behind `stage .. at kernel
// global`.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// A dimension of the tensor in which the value is kept: a part of one of the kernel's axes.
struct PanelDim {
  llvm::StringRef name;
  unsigned axis;
  int64_t extent;
  /// Points of the axis from one point of the part to the next.
  int64_t stride;
};

/// Creates, before `kernel`, a kernel that computes the result of `op` for all points of the
/// dimensions, of which every axis that the value depends on is made up, and stores it in a tensor
/// of their extents. `kernel` reads it from there. The value is computed from loads and indices
/// alone, by ops that cannot trap; where the parts reach beyond an axis it is what the loads give
/// there.
KernelOp outlineValue(KernelOp kernel, mlir::Operation *op, llvm::ArrayRef<PanelDim> dims);

} // namespace tw::kernel
