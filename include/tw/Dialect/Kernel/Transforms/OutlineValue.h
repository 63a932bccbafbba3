// Computing values of a kernel in kernels of their own: the rewrite behind `stage .. at kernel
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

/// A value and the dimensions of its tensor: of them every axis that it depends on is made up. It
/// is computed from loads and indices alone, by ops that cannot trap; where the parts reach beyond
/// an axis it is what the loads give there.
struct Panel {
  mlir::Operation *op;
  llvm::SmallVector<PanelDim> dims;
  /// The name of the load that reads it, if it has one.
  mlir::StringAttr name = {};
};

/// Creates, before `kernel`, for each panel a kernel that computes the result of its op for all
/// points of the dimensions and stores it in a tensor of their extents. `kernel` reads it from
/// there; its ops are simplified, those of the panels gone. With `isTrial` the kernels of panels
/// stay as they come, for who looks at one to simplify.
void outlineValues(KernelOp kernel, llvm::ArrayRef<Panel> panels, bool isTrial = false);
void simplifyPanel(KernelOp packing);

} // namespace tw::kernel
