// Kernels that read some rows of a tensor alone get a tensor of these rows.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw {

/// The rows of `whole` from the byte `offset` on, which a value stands for.
struct Rows {
  mlir::Value whole;
  int64_t offset = 0;
};

/// Gives the kernel operands of the rows that it reads, as far as they are known: those at constant
/// places of the dimensions that come first, which lie together. `rows` says what the new operands
/// stand for. Kernels that differ in such places alone, as the steps of an unrolled loop do, become
/// equal. Rows that do not begin at a multiple of `alignment` bytes are left where they are.
void narrowReads(kernel::KernelOp kernel, int64_t alignment,
                 llvm::DenseMap<mlir::Value, Rows> &rows);

} // namespace tw
