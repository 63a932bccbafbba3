// What kernels of a block cost, for passes that replace some by others where that is cheaper.
#pragma once

#include "LookAhead.h"
#include "Proposals.h"

#include "llvm/ADT/DenseSet.h"

namespace tw::schedule {

/// Work of what comes out over that of the parts, each at its best, beyond which its price is not
/// asked for: what is computed again would have to be free.
inline constexpr double kMostAgain = 2;

/// Share of the price of the parts that what comes out has to be below where it takes no launch
/// less: its list makes a kernel of what was taken, whose place is rather with what it reads. The
/// same where the list has boxes for windows, of which prices are as rough as that.
inline constexpr double kMuchCheaper = 0.95;

/// What the least cycles leave out of account is no larger part of a price.
inline constexpr double kLeastShare = 0.9;

/// The blocks with kernels of a program's functions, in their order. Searching some of them may add
/// functions to the program.
llvm::SmallVector<mlir::Block *> getBlocksOfFunctions(mlir::Operation *program);

/// Least cycles, prices and launches of kernels, which are in one block at a time or in none, and
/// which of them run once. Kernels may be added at any time and are taken out by `erase`. One
/// thread.
class KernelPrices {
public:
  /// Where these are for a copy of a block, `ahead` is whose copy: nothing has a price once that is
  /// over. Both outlive this.
  explicit KernelPrices(Proposals &proposals, const LookAhead *ahead = nullptr)
      : proposals(proposals), ahead(ahead) {}

  /// Begins with a block, whose kernels are prepared for any schedule, and marked with where their
  /// data lie until `end`.
  void begin(mlir::Block &block);
  void end();
  /// Begins with a copy of such a block.
  void beginCopy(mlir::Block &copy);

  /// Erases the kernel, which has no users.
  void erase(kernel::KernelOp kernel);

  /// Whether the kernel runs once for a loaded program, as far as was known of those before it:
  /// nothing gains by doing it again in a call.
  bool runsOnce(kernel::KernelOp kernel) const { return once.contains(kernel); }
  void setRunsOnce(kernel::KernelOp kernel) { once.insert(kernel); }

  /// Cycles that no schedule goes below; 0 for unknown.
  double getLeast(kernel::KernelOp kernel);
  double getLeast(llvm::ArrayRef<kernel::KernelOp> kernels);

  /// Cycles of the cheapest list; nothing where nobody knows, or what is the least: what is
  /// computed again has no bound then.
  std::optional<double> get(kernel::KernelOp kernel);
  /// Of all together.
  std::optional<double> get(llvm::ArrayRef<kernel::KernelOp> kernels);

  /// The cheapest list of a kernel that has a price.
  const Candidate &getCheapest(kernel::KernelOp kernel) { return getCandidates(kernel).front(); }

  /// Kernels that run in a call for one that has a price, or for all of these.
  unsigned countLaunches(kernel::KernelOp kernel);
  unsigned countLaunches(llvm::ArrayRef<kernel::KernelOp> kernels);

private:
  bool readsMadeOnce(kernel::KernelOp kernel) const;
  llvm::ArrayRef<Candidate> getCandidates(kernel::KernelOp kernel);

  Proposals &proposals;
  const LookAhead *ahead;
  mlir::Block *block = nullptr;
  llvm::DenseMap<mlir::Operation *, double> leasts; ///< of kernels of the block
  llvm::DenseSet<mlir::Operation *> once;
};

} // namespace tw::schedule
