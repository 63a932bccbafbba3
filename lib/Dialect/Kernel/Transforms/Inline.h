// The one mechanism of fusion: a producer's body in place of the loads of its result.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// For each axis of the producer its value over a load's indices; null for axes that the result
/// does not have, which stay axes.
using Substitution = llvm::SmallVector<mlir::AffineExpr>;

/// The producer's axes at the coordinates that `load`, in another kernel, reads of its result
/// `number`. None when that is stored in pieces or the store's map has no inverse in mixed-radix
/// form.
std::optional<Substitution> substituteAxes(KernelOp producer, unsigned number, LoadOp load);

/// Whether each axis that the result has and that is reduced or scanned on the way to it is read
/// along a whole axis of the consumer, and nothing else that is read varies along that one: else
/// other elements would be reduced. `p[i, 3]` of a softmax of rows does not, nor does `p[j, j]`.
bool keepsBoundAxes(KernelOp producer, unsigned number, LoadOp load);

/// Whether `inlineProducer` can replace `load`: bound axes are kept, no index that is data reaches
/// where only axes may be used, and no guard has to be computed from data.
bool canInline(KernelOp producer, unsigned number, LoadOp load);

/// The loads of a kernel from one of its operands.
llvm::SmallVector<LoadOp> getLoads(KernelOp kernel, unsigned operand);

/// Replaces all loads of operand `operand`, which a kernel computes and for each of which
/// `canInline` holds, by the producer's body: its parallel axes become what the load's map makes of
/// them, its reduced axes become new axes. Outside the producer's result and where guards fail the
/// fill is selected. The operand is removed.
void inlineProducer(KernelOp consumer, unsigned operand);

/// The same without a copy, where nothing else reads the producer and its points are those of the
/// consumer: the bodies become one, of which only the ops that the consumer had may be simpler now.
/// False, and nothing is done, elsewhere.
bool moveProducer(KernelOp consumer, unsigned operand);

} // namespace tw::kernel
