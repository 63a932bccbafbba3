// What a strategy proposes for the kernels of a program.
#pragma once

#include "tw/Schedule/Strategy.h"

namespace tw::schedule {

/// Asks the strategy once for kernels that are equal.
class Proposals {
public:
  Proposals(const Strategy &strategy, bool exactOnly, unsigned searchStates)
      : strategy(strategy), exactOnly(exactOnly), searchStates(searchStates) {}

  struct Answer {
    llvm::ArrayRef<Candidate> candidates; ///< for as long as this is alive
    /// An equal kernel had the same.
    bool isKnown;
  };
  Answer get(kernel::KernelOp kernel);

private:
  struct Asked {
    mlir::OwningOpRef<kernel::KernelOp> kernel;
    std::unique_ptr<llvm::SmallVector<Candidate>> candidates;
  };

  const Strategy &strategy;
  bool exactOnly;
  unsigned searchStates;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<Asked>> asked;
};

/// Gives values of the kernel the names that a list from a file speaks of and that those who
/// propose lists for it give them.
void nameAsProposed(kernel::KernelOp kernel, kernel::ScheduleAttr list,
                    llvm::ArrayRef<Candidate> candidates);

/// Whether the kernel, or a primitive, names each value that the list names.
bool namesAreKnown(kernel::KernelOp kernel, kernel::ScheduleAttr list);

} // namespace tw::schedule
