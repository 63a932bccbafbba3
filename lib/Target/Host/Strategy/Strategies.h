// The strategies of the host, one per class of kernels.
//
// A strategy looks at a kernel and adds the schedules that it proposes, with what it expects of
// each. It adds nothing to kernels outside of its class. Tiles and blocks are derived from the
// traits of the CPU and the extents of the axes, never from constants of one machine.
#pragma once

#include "tw/Target/Host/HostStrategy.h"

#include "llvm/ADT/STLExtras.h"

namespace tw::schedule::host {

/// One contraction of bf16 or of bytes, where the CPU has dot instructions for them.
void proposeDots(kernel::KernelOp kernel, const HostTraits &traits,
                 llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Contractions of narrow floats: what the strategies for products have once the operands are
/// extended.
void proposeWidened(kernel::KernelOp kernel, const HostTraits &traits,
                    llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Any contractions of one type: what the strategies for them have.
void proposeProducts(kernel::KernelOp kernel, const HostTraits &traits,
                     llvm::SmallVectorImpl<HostCandidate> &candidates);

/// One contraction whose one operand is read through overlapping or padded windows.
void proposeConvolution(kernel::KernelOp kernel, const HostTraits &traits,
                        llvm::SmallVectorImpl<HostCandidate> &candidates);

/// The same of bf16 or of bytes, where the CPU has dot instructions for them.
void proposeDotConvolution(kernel::KernelOp kernel, const HostTraits &traits,
                           llvm::SmallVectorImpl<HostCandidate> &candidates);

/// One contraction with elementwise work around it.
void proposeContraction(kernel::KernelOp kernel, const HostTraits &traits,
                        llvm::SmallVectorImpl<HostCandidate> &candidates);

/// The same where axes merge into one along all of memory.
void proposeMergedContraction(kernel::KernelOp kernel, const HostTraits &traits,
                              llvm::SmallVectorImpl<HostCandidate> &candidates);

/// The same of which one operand lies nowhere in rows, but in a panel.
void proposeGatheredContraction(kernel::KernelOp kernel, const HostTraits &traits,
                                llvm::SmallVectorImpl<HostCandidate> &candidates);

/// One contraction whose one operand is read through windows, from a panel of all that they see.
void proposeUnfolded(kernel::KernelOp kernel, const HostTraits &traits,
                     llvm::SmallVectorImpl<HostCandidate> &candidates);

/// One contraction whose sums rows are reduced of: a product and a norm or a softmax of its rows.
void proposeProductRows(kernel::KernelOp kernel, const HostTraits &traits,
                        llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Several contractions side by side, and elementwise work on their sums.
void proposeSeveralProducts(kernel::KernelOp kernel, const HostTraits &traits,
                            llvm::SmallVectorImpl<HostCandidate> &candidates);

/// A contraction of what is computed from a contraction, for few rows.
void proposeProductChain(kernel::KernelOp kernel, const HostTraits &traits,
                         llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Two contractions in sequence, the second one over an axis of the first one's result, with
/// reductions over it between them: attention.
void proposeAttention(kernel::KernelOp kernel, const HostTraits &traits,
                      llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Elementwise kernels with contiguous memory: vectors along it, streaming stores for large
/// results.
void proposeElementwise(kernel::KernelOp kernel, const HostTraits &traits,
                        llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Reductions without products, along rows or columns of memory: sums, softmax, norms.
void proposeRows(kernel::KernelOp kernel, const HostTraits &traits,
                 llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Reductions of much memory to few results, in parts that are combined afterwards.
void proposeParts(kernel::KernelOp kernel, const HostTraits &traits,
                  llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Depthwise convolutions and pooling whose windows slide by one along contiguous memory.
void proposeWindow(kernel::KernelOp kernel, const HostTraits &traits,
                   llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Depthwise convolutions whose channels are contiguous in memory.
void proposeChannelsLast(kernel::KernelOp kernel, const HostTraits &traits,
                         llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Windows of what is computed, a convolution or functions: computed once in boxes.
void proposeBoxes(kernel::KernelOp kernel, const HostTraits &traits,
                  llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Scans along or across contiguous memory.
void proposeScan(kernel::KernelOp kernel, const HostTraits &traits,
                 llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Results along different axes, or pieces of a result: each has lanes of its own.
void proposeSeveralAxes(kernel::KernelOp kernel, const HostTraits &traits,
                        llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Lists that say no more than which axis is the tile, all of it, and which one the grid.
llvm::SmallVector<kernel::ScheduleAttr> listPlain(kernel::KernelOp kernel,
                                                  const HostTraits &traits);

/// Kernels with reductions of which no strategy for a class knows anything: these. Rows that a few
/// registers hold need no loop over parts of them.
void proposePlain(kernel::KernelOp kernel, const HostTraits &traits,
                  llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Any kernel: lanes along each axis in turn.
void proposeGeneral(kernel::KernelOp kernel, const HostTraits &traits,
                    llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Any kernel: candidates that leave the order of every sum as it is.
void proposeExact(kernel::KernelOp kernel, const HostTraits &traits,
                  llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Whether all candidates are of strategies that propose lists for any kernel.
template <typename Candidates> bool areForAny(const Candidates &candidates) {
  return llvm::all_of(candidates, [](const auto &candidate) { return candidate.isForAny; });
}

/// Whether programs that differ along an axis only, which a store does not have, all compute and
/// store the same there.
bool repeatsStores(kernel::KernelOp kernel, kernel::ScheduleAttr schedule);

} // namespace tw::schedule::host
