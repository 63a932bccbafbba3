// Results that several stores write, each a piece of it.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// The stores of a result, in the order of the body.
llvm::SmallVector<StoreOp> getStores(KernelOp kernel, unsigned result);

/// Whether the kernel updates the operand, and does not read it.
bool isUpdated(KernelOp kernel, unsigned operand);

/// The store of all of a result; null if it is stored in pieces or updated.
StoreOp getWholeStore(KernelOp kernel, unsigned result);

/// Whether a store writes a piece of its result, or updates it.
bool isPiece(StoreOp store);

/// Whether no two of the result's stores write one element and all together write every element,
/// which is proven from their maps; an error at what is not.
llvm::LogicalResult verifyPieces(KernelOp kernel, unsigned result);

} // namespace tw::kernel
