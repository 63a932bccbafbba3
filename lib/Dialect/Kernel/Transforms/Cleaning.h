// Bringing one kernel into its simplest form.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace tw::kernel {

/// The patterns that `clean` applies to the body; made once per pass.
mlir::FrozenRewritePatternSet getCleaningPatterns(mlir::MLIRContext *context);

/// Simplifies maps, folds, computes equal values once, makes operands distinct and used.
void clean(KernelOp kernel, const mlir::FrozenRewritePatternSet &patterns);

/// The same for a kernel that was clean but for `changed`, in program order: what they read is new.
void clean(KernelOp kernel, llvm::ArrayRef<mlir::Operation *> changed,
           const mlir::FrozenRewritePatternSet &patterns);

/// Removes results that nothing reads, and what is computed for them alone. Another op takes the
/// kernel's place if there are any.
void dropDeadResults(KernelOp kernel);

/// Where a kernel stores what it reduces, or computes from that, the same along an axis of its
/// result: stores it once, and lets a copy, which reads it along that axis, be the result. Returns
/// whether it did.
bool separateRepeated(KernelOp kernel);

/// Removes axes of one point where the ops that work along them allow it.
void dropUnitAxes(KernelOp kernel);

/// Removes axes of a kernel without a schedule that no op works along: a store is for the points of
/// the axes that it names.
void dropIdleAxes(KernelOp kernel);

/// Splits axes so that loads whose addresses need divisions or remainders of an axis need none:
/// `%x[%e floordiv 64, %e mod 64]` becomes `%x[%e0, %e1]`. With `all`, also where the divisions
/// cancel in the address, so that each coordinate is an axis. Returns whether an axis was split.
bool splitAxes(KernelOp kernel, bool all);

/// `sum of (p / l) * v` becomes `(sum of p * v) / l` where l does not vary along the axes of the
/// sum, there are not more sums than terms p, and p is a fraction: sums of such terms overflow no
/// sooner. The sum is rounded otherwise.
/// Sums and terms that allow it (`reassoc`, `nnan`, `ninf`) give any factor or divisor.
void hoistFactors(KernelOp kernel);

/// Makes sums of equal terms products, if they allow `reassoc`: `sum over (i, j) of x[i]` becomes
/// `n * sum over (i) of x[i]`. Kernels with a schedule stay. Returns whether there was one.
bool sumRepeatedTerms(KernelOp kernel);

/// The load that gives an operand of a contraction, before it is extended; none where something is
/// computed of it.
LoadOp getExtendedLoad(mlir::Value operand);

/// The op and what it is computed from, in program order.
llvm::SmallVector<mlir::Operation *> getSlice(mlir::Operation *op);

/// Removes axis `i`, which the body does not use.
void eraseAxis(KernelOp kernel, unsigned i);

/// Inserts an axis before axis `i`.
mlir::BlockArgument insertAxis(KernelOp kernel, unsigned i, const Extent &extent,
                               llvm::StringRef name);

/// Puts the axes in another order.
void permuteAxes(KernelOp kernel, llvm::ArrayRef<unsigned> order);

/// Removes operand `i`, which the body does not use.
void dropOperand(KernelOp kernel, unsigned i);

/// Writes the store's map over the axes that it uses, `expr` replacing each index by position.
void rewriteStore(StoreOp store, mlir::ValueRange indices,
                  llvm::ArrayRef<mlir::AffineExpr> replacements);

} // namespace tw::kernel
