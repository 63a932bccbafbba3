// What a strategy says of copies of one kernel at fixed sizes.
#pragma once

#include "tw/Schedule/Strategy.h"

#include "mlir/IR/OwningOpRef.h"

#include <deque>

namespace tw::schedule {

/// Asks the strategy once for kernels that are equal. All read what the first one reads: sizes that
/// stand for a range come to the same again and again.
class FixedProposals {
public:
  FixedProposals(const Strategy &strategy, bool exactOnly)
      : strategy(strategy), exactOnly(exactOnly) {}

  /// Asks for all of the kernels that are not known, on the context's threads.
  void ask(llvm::ArrayRef<kernel::KernelOp> kernels);

  /// With a search among so many lists, if the strategy wants one. They stay where they are until
  /// they are asked for with more of a search.
  llvm::ArrayRef<Candidate> get(kernel::KernelOp kernel, unsigned searchStates);

  /// The same, of which all but the first may be missing.
  llvm::ArrayRef<Candidate> getBest(kernel::KernelOp kernel, unsigned searchStates);
  /// Whether that would be found by a search, where it was not searched for yet.
  bool wantsMore(kernel::KernelOp kernel) { return find(kernel).wantsMore; }

  /// Cycles of the list, whose names the kernel has; 0 for unknown.
  double getCycles(kernel::KernelOp kernel, kernel::ScheduleAttr list);

private:
  struct Known {
    explicit Known(mlir::OwningOpRef<kernel::KernelOp> kernel) : kernel(std::move(kernel)) {}

    mlir::OwningOpRef<kernel::KernelOp> kernel; ///< without operands, which it would be a user of
    bool isAsked = false, areAll = false;
    bool wantsMore = false; ///< where these are not all
    unsigned searchStates = 0;
    llvm::SmallVector<Candidate> candidates;
    llvm::DenseMap<mlir::Attribute, double> cycles; ///< of lists
  };

  Known &find(kernel::KernelOp kernel);

  const Strategy &strategy;
  bool exactOnly;
  std::deque<Known> all;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<Known *, 1>> known;
};

} // namespace tw::schedule
