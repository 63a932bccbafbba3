// A kernel at the sizes that stand for all.
#pragma once

#include "ProposeForSizes.h"

#include <array>
#include <deque>

namespace tw::schedule {

/// The number of sizes that kernels are priced at.
inline constexpr unsigned kSizes = 3, kMiddle = 1;

/// What a list has to save at some sizes to be worth another look.
inline constexpr double kWorthIt = 0.05;

/// What a launch takes beside what it computes: how few cycles they are does not matter below that.
inline constexpr double kLaunchCycles = 300;

/// Prices that differ by less are equal.
inline constexpr double kEqual = 0.01;

/// Whether no size of the kernel but that of the range, or what follows from it, is settled by a
/// call.
bool isAlone(kernel::KernelOp kernel, const SizeRange *range);

/// Sizes that stand for all of the kernel or for those of a range, from the most points, by way of
/// what is typical, to the least; the least of a range beside what is typical of other symbols.
/// Some of them may be equal.
std::array<Sizes, kSizes> getRepresentatives(kernel::KernelOp kernel, const SymbolFacts &facts,
                                             const SizeRange *range);

/// Of such sizes for a range those that lists for its fewest points are asked for: the most of the
/// range below, which was asked, unless tiles divide that.
Sizes getFewest(llvm::ArrayRef<Sizes> sizes, const SizeRange *range);

/// Whether the list is legal for any size, and has a tree of loops.
bool isLegalForAll(kernel::KernelOp kernel, const Candidate &candidate, bool exactOnly);

/// The sizes that lists of a kernel are priced at.
struct KernelProposals::PricedSizes {
  std::array<Sizes, kSizes> sizes;
  /// Cycles of the best list that is proposed for each, whether or not it is legal for others; of
  /// any list where nobody was asked.
  double best[kSizes] = {};
  /// Whether the program expects the one in the middle most, and whether the strategy is asked for
  /// it.
  bool isTypical = false, asksMiddle = false;
  /// Whether it is asked for the fewest points, and not for others near by.
  bool asksFewest = true;
  /// Whether the fewest points are so of all symbols.
  bool isAlone = true;

  bool isSmall(unsigned i) const { return i == kSizes - 1 && isAlone; }
};

/// Copies of the kernel at some sizes, each in a block of its own.
class Instances {
public:
  Instances(kernel::KernelOp kernel, llvm::ArrayRef<Sizes> sizes);
  Instances(const Instances &) = delete;
  Instances &operator=(const Instances &) = delete;

  llvm::ArrayRef<kernel::KernelOp> get() const { return kernels; }

private:
  std::deque<mlir::Block> blocks;
  llvm::SmallVector<kernel::KernelOp> kernels;
};

} // namespace tw::schedule
