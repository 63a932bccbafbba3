// Kernels that another thread works on.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/IR/IRMapping.h"

namespace tw::kernel {

/// A copy of a kernel in a block of its own, which shares no value with the program: copies of it
/// can be made and thrown away while others work on the program. What it reads is made once where
/// that of the kernel is (see isMadeOnce), and unknown otherwise.
class KernelApart {
public:
  explicit KernelApart(KernelOp kernel);
  KernelApart(const KernelApart &) = delete;
  KernelApart &operator=(const KernelApart &) = delete;

  KernelOp get() { return kernel; }

private:
  /// Also puts what makes the value, as far as it is made once, into the block.
  void copy(mlir::Value value);

  mlir::Block block;
  mlir::IRMapping copies;
  KernelOp kernel;
};

} // namespace tw::kernel
