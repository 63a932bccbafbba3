// What a strategy proposes for the kernels of a program.
#pragma once

#include <map>

#include "ProposeForSizes.h"

namespace tw::schedule {

/// Asks the strategy once for kernels that are equal.
class Proposals {
public:
  Proposals(std::unique_ptr<Strategy> strategy, bool exactOnly)
      : strategy(std::move(strategy)), exactOnly(exactOnly) {}

  const Strategy &getStrategy() const { return *strategy; }

  /// With a search among so many lists, if the strategy wants one. The candidates stay where they
  /// are, one place for equal kernels, until they are asked for with more of a search. None, too,
  /// where its KernelAction is refused.
  llvm::ArrayRef<Candidate> get(kernel::KernelOp kernel, unsigned searchStates);

  /// Lists for ranges of the kernel's sizes, the last one for all others; empty where one is as
  /// good.
  llvm::ArrayRef<RangeCandidate> getVariants(kernel::KernelOp kernel, unsigned searchStates);

private:
  struct Asked {
    mlir::OwningOpRef<kernel::KernelOp> kernel; ///< without operands, which it would be a user of
    llvm::SmallVector<bool> isConstant;         ///< for each operand
    std::unique_ptr<llvm::SmallVector<Candidate>> candidates;
    unsigned searchStates = 0;                      ///< that they were looked for with
    std::unique_ptr<RangeCandidates> variants = {}; ///< null where nobody has asked for them
  };

  /// Null where a KernelAction is refused.
  Asked *ask(kernel::KernelOp kernel, unsigned searchStates);

  std::unique_ptr<Strategy> strategy;
  bool exactOnly;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<Asked>> asked;
};

/// The proposals for a machine, as an analysis of the program that passes share.
class ProposalsOfMachines {
public:
  explicit ProposalsOfMachines(mlir::Operation *) {}

  /// Null, with a diagnostic at `op`, for a machine that no strategy knows, or wrong traits.
  Proposals *get(mlir::Operation *op, llvm::StringRef machine, llvm::StringRef traits,
                 bool exactOnly);

private:
  std::map<std::string, Proposals> known;
};

/// Gives values of the kernel the names that a list from a file speaks of and that those who
/// propose lists for it give them.
void nameAsProposed(kernel::KernelOp kernel, kernel::ScheduleAttr list,
                    llvm::ArrayRef<Candidate> candidates);

/// Whether the kernel, or a primitive, names each value that the list names.
bool namesAreKnown(kernel::KernelOp kernel, kernel::ScheduleAttr list);

} // namespace tw::schedule
