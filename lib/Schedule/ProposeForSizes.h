// What a strategy proposes for kernels whose sizes a call settles.
#pragma once

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Strategy.h"

namespace tw::schedule {

/// The sizes that a symbol has, where they are not all of its range.
struct SizeRange {
  mlir::StringAttr symbol;
  int64_t least, most;
};

/// What the strategy proposes for some sizes that stand for all of the kernel, or for those in the
/// range alone, as far as that is legal for all. The best one takes least beside what is best at
/// each of those sizes, in geometric mean. For a kernel without symbols what the strategy proposes.
llvm::SmallVector<Candidate> proposeForSizes(const Strategy &strategy, kernel::KernelOp kernel,
                                             bool exactOnly, unsigned searchStates,
                                             const SizeRange *range = nullptr);

/// A list for a range of one symbol, which is legal for the kernel narrowed to that.
struct RangeCandidate {
  SizeRange range;
  Candidate candidate;
};

/// Lists for ranges of one symbol, from few points to many; the last is that of the kernel itself,
/// for all sizes that the others leave.
using RangeCandidates = llvm::SmallVector<RangeCandidate>;

/// Where lists for ranges of sizes take less than one of the `candidates` for all of them, those.
/// Else nothing.
RangeCandidates proposeVariants(const Strategy &strategy, kernel::KernelOp kernel, bool exactOnly,
                                llvm::ArrayRef<Candidate> candidates);

} // namespace tw::schedule
