// What a strategy proposes for the kernels of a program.
#pragma once

#include "ProposeForSizes.h"

#include "tw/Schedule/Places.h"

#include "llvm/ADT/SetVector.h"

#include <map>
#include <mutex>

namespace tw::schedule {

/// Asks the strategy once for kernels that are equal. Several threads may ask at a time, each with
/// as much of a search, for kernels of fixed sizes.
class Proposals {
public:
  Proposals(std::unique_ptr<Strategy> strategy, bool exactOnly)
      : strategy(std::move(strategy)), exactOnly(exactOnly) {}

  const Strategy &getStrategy() const { return *strategy; }

  /// The first one is what to compare kernels by, and others may be missing; those with sizes that
  /// a call settles at the most of them. The first time somebody asks for a kernel of a block, all
  /// of that are asked for, on the context's threads. None where its KernelAction is refused.
  llvm::ArrayRef<Candidate> get(kernel::KernelOp kernel);

  /// The same for this kernel alone, without those of its block.
  llvm::ArrayRef<Candidate> getAlone(kernel::KernelOp kernel);

  /// Notes the kernel as it is now; askNoted asks for all that were noted, on the context's
  /// threads, where there are several.
  void note(kernel::KernelOp kernel) { noted.insert(&find(kernel)); }
  void askNoted(mlir::MLIRContext *context);

  /// The same for equal kernels.
  const void *getIdentity(kernel::KernelOp kernel) { return &find(kernel); }

  /// Asks for lists of these kernels, and those for ranges of their sizes, on the context's
  /// threads.
  void askTogether(llvm::ArrayRef<kernel::KernelOp> kernels, unsigned searchStates, Wanted wanted,
                   bool withVariants);

  /// Lists for all sizes, with a search among so many if the strategy wants one. The candidates
  /// stay where they are, one place for equal kernels, until they are asked for with more of a
  /// search. None, too, where its KernelAction is refused.
  llvm::ArrayRef<Candidate> getForAll(kernel::KernelOp kernel, unsigned searchStates,
                                      Wanted wanted);

  /// Lists for ranges of the kernel's sizes, the last one for all others; empty where one is as
  /// good.
  llvm::ArrayRef<RangeCandidate> getVariants(kernel::KernelOp kernel, unsigned searchStates);

  /// Lists for few points of a kernel whose constants are packed, the last one its own; empty where
  /// that is as good.
  llvm::ArrayRef<RangeCandidate> getForFew(kernel::KernelOp kernel) {
    return find(kernel).proposals.getForFew(kernel.getScheduleAttr());
  }

private:
  struct Known {
    Known(llvm::SmallVector<Place> places, const Strategy &strategy, kernel::KernelOp kernel,
          bool exactOnly)
        : places(std::move(places)), proposals(strategy, kernel, exactOnly) {}

    llvm::SmallVector<Place> places; ///< of each operand
    KernelProposals proposals;
    std::mutex mutex; ///< of the proposals, but for what never changes
  };

  Known &find(kernel::KernelOp kernel);
  void ask(llvm::ArrayRef<kernel::KernelOp> kernels,
           llvm::function_ref<void(KernelProposals &)> askOne);
  static void askAll(mlir::MLIRContext *context, llvm::ArrayRef<Known *> all,
                     llvm::function_ref<void(KernelProposals &)> askOne);

  std::unique_ptr<Strategy> strategy;
  bool exactOnly;
  std::mutex mutex; ///< of what follows
  std::deque<Known> all;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<Known *, 1>> known;
  llvm::SmallPtrSet<mlir::Block *, 4> askedBlocks;
  llvm::SetVector<Known *> noted; ///< by one thread
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
