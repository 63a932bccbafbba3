// Kernels that compute the same.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"

namespace tw::kernel {

/// Whether the kernels have the same axes, types, schedule and body, locations and hints left out.
/// What they read may differ, or not be known (a copy without operands).
bool areEqual(KernelOp a, KernelOp b);

/// The same for equal kernels.
llvm::hash_code hash(KernelOp kernel);

/// A copy of the kernel without operands, which it would be a user of.
mlir::OwningOpRef<KernelOp> copyWithoutOperands(KernelOp kernel);

/// Numbers for kernels, the same for equal ones.
class KernelNumbers {
public:
  unsigned get(KernelOp kernel);

private:
  llvm::DenseMap<llvm::hash_code,
                 llvm::SmallVector<std::pair<mlir::OwningOpRef<KernelOp>, unsigned>, 1>>
      known;
  unsigned next = 0;
};

} // namespace tw::kernel
