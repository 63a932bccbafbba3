// What a strategy proposes for a kernel whose sizes a call settles.
#pragma once

#include "FixedProposals.h"

#include "tw/Dialect/Kernel/Apart.h"
#include "tw/Dialect/Kernel/Instance.h"

#include <optional>

namespace tw::schedule {

/// The sizes that a symbol has, where they are not all of its range.
struct SizeRange {
  mlir::StringAttr symbol;
  int64_t least, most;
};

/// A list for a range of one symbol, which is legal for the kernel narrowed to that.
struct RangeCandidate {
  SizeRange range;
  Candidate candidate;
};

/// Lists for ranges of one symbol, from few points to many; the last is that of the kernel itself,
/// for all sizes that the others leave.
using RangeCandidates = llvm::SmallVector<RangeCandidate>;

/// What the function around a kernel says of the kernel's symbols.
struct SymbolFacts {
  explicit SymbolFacts(kernel::KernelOp kernel);

  /// The size that the program expects most, if it is in the range.
  std::optional<int64_t> getTypical(mlir::StringAttr symbol, const SizeRange *range) const;

  /// Sizes that the program expects most; of a product that of its factors.
  llvm::SmallDenseMap<mlir::StringAttr, int64_t> typical;
  /// Those of which another value moves nothing in memory (a position in a cache): a choice by one
  /// would have calls planned anew.
  llvm::SmallDenseSet<mlir::StringAttr> positions;
  /// The fewest points where they are not 1.
  llvm::SmallDenseMap<mlir::StringAttr, int64_t> least;
};

/// The symbols whose number of points decides how a kernel is best computed: sizes of axes that are
/// summed over, or along which something that is loaded is used again.
llvm::SmallVector<mlir::StringAttr> getDecidingSymbols(kernel::KernelOp kernel,
                                                       const SymbolFacts &facts);

/// An axis of `factor` points for each one of a symbol.
struct AxisOfSymbol {
  unsigned axis;
  int64_t factor;
  mlir::StringAttr symbol;
};

/// Axes whose points decide how a kernel is best computed and are those of a symbol, or a multiple:
/// all sequences of a batch have as many rows.
llvm::SmallVector<AxisOfSymbol> getDecidingAxes(kernel::KernelOp kernel, const SymbolFacts &facts);

/// Whether a list packs constants, once for all calls.
bool packsForAllCalls(kernel::KernelOp kernel, kernel::ScheduleAttr list);

/// The ranges of a symbol that may have lists of their own, from few points to the most; many
/// points are one range or several.
llvm::SmallVector<SizeRange> getClasses(kernel::KernelOp kernel, mlir::StringAttr symbol,
                                        bool ofMany = false);

/// A size for each symbol of a kernel.
using Sizes = llvm::SmallDenseMap<mlir::StringAttr, int64_t>;

/// Whether all lists are wanted, or the best alone: of a kernel of fixed sizes others may be
/// missing then.
enum class Wanted { All, Best };

/// What a strategy proposes for one kernel and for all that are equal to it. It works on a copy,
/// several of them on several threads.
class KernelProposals {
public:
  KernelProposals(const Strategy &strategy, kernel::KernelOp kernel, bool exactOnly);

  kernel::KernelOp getKernel() { return copy.get(); }

  /// Of a kernel with sizes that a call settles those for the most of each that are legal for all.
  /// Else what the strategy proposes, of which all but the first may be missing. That one is what
  /// kernels are compared by.
  llvm::ArrayRef<Candidate> getForMost();

  /// What the strategy proposes for some sizes that stand for all of the kernel, as far as that is
  /// legal for all. The best one takes least beside what is best at each of those sizes, in
  /// geometric mean. With a search among so many lists, if the strategy wants one. The candidates
  /// stay where they are until they are asked for with more of a search, or for more of them.
  llvm::ArrayRef<Candidate> getForAll(unsigned searchStates, Wanted wanted = Wanted::All);

  /// Where lists for ranges of sizes take less than one for all of them, those. Else nothing.
  llvm::ArrayRef<RangeCandidate> getVariants(unsigned searchStates);

  /// For what is left of a kernel when constants are packed: where lists made from its own for few
  /// points take less, those for ranges of them, the last one its own. Panels stay as they are.
  /// Empty where it is as good.
  llvm::ArrayRef<RangeCandidate> getForFew(kernel::ScheduleAttr list);

  /// No list is looked for at these sizes.
  void leaveOut(const SizeRange &range);

private:
  struct RangeKernel;
  struct Ranges;

  struct PricedSizes;

  /// The same for the kernel narrowed to a range. `isBest` tells whether the first one is about as
  /// good as any at the sizes that were asked for.
  llvm::SmallVector<Candidate> proposeForSizes(kernel::KernelOp narrowed, unsigned searchStates,
                                               const SizeRange *range, bool *isBest = nullptr);
  /// Whether the strategy's machine has room for the list at the most of all sizes.
  bool hasRoom(kernel::KernelOp narrowed, const Candidate &candidate) const;

  /// Adds what the strategy proposes for the kernel at a size, as far as it is legal for all, and
  /// returns all of that.
  llvm::ArrayRef<Candidate> collect(kernel::KernelOp narrowed, kernel::KernelOp atSize,
                                    unsigned searchStates,
                                    llvm::SmallVectorImpl<Candidate> &candidates);
  /// What a candidate loses, the sum of logarithms, as far as that is of interest: not much beyond
  /// the limit.
  double getLoss(kernel::KernelOp narrowed, Candidate &candidate, PricedSizes &priced,
                 double limit);
  bool isNearBest(kernel::KernelOp narrowed, const Candidate &candidate, const PricedSizes &priced,
                  double share);
  /// What the list takes at some sizes: what is beyond the end of an axis runs, too.
  double getCycles(kernel::KernelOp narrowed, const Candidate &candidate, const Sizes &sizes,
                   bool isSmall);
  /// Whether the program says of a symbol of these which size is typical.
  bool sayTypical(const Sizes &sizes, const SizeRange *range) const;
  /// The least of these cycles and those of what the list comes to for as few points, where its
  /// panels are packed once for all calls.
  double getCyclesForFew(kernel::KernelOp narrowed, const Candidate &candidate, const Sizes &sizes,
                         double cycles);
  /// Whether the list is about as good as any for the fewest points of the range, beside which
  /// there may be many of other symbols.
  bool isBestForFewest(const Candidate &candidate, const SizeRange &range);
  double getMeanCycles(kernel::KernelOp narrowed, const Candidate &candidate,
                       const SizeRange &range);
  std::optional<Candidate> findBest(kernel::KernelOp narrowed, const SizeRange &range, bool mayMake,
                                    bool *isBest = nullptr);
  /// Asks for what stands for the ranges, on the context's threads.
  void askTogether(const std::deque<RangeKernel> &narrowed);
  Ranges proposeRanges(const Candidate &all, mlir::StringAttr symbol);
  Ranges chooseRanges(const Candidate &all, const Candidate &last,
                      llvm::ArrayRef<SizeRange> classes, int64_t first,
                      const std::deque<RangeKernel> &narrowed,
                      llvm::ArrayRef<std::optional<Candidate>> bests, double worthIt);
  /// The fewest points from these on for which a list is looked for.
  int64_t skipApart(mlir::StringAttr symbol, int64_t points) const;
  RangeCandidates proposeVariants(llvm::ArrayRef<Candidate> candidates);
  /// The cheapest list that is made from this one for a range of the axis.
  std::optional<Candidate> findForFew(const RangeKernel &narrowed, const AxisOfSymbol &few,
                                      kernel::ScheduleAttr list);
  RangeCandidates makeForFewPoints(kernel::ScheduleAttr list);

  const Strategy &strategy;
  bool exactOnly;
  kernel::KernelApart copy;
  SymbolFacts facts;
  bool hasSymbols;
  FixedProposals fixed;
  std::optional<llvm::SmallVector<Candidate>> forMost, forAll;
  bool areAll = false;           ///< whether none of those for all is missing
  unsigned searchStates = 0;     ///< that those for all were looked for with
  bool isBestEverywhere = false; ///< as the first one for all sizes is
  std::optional<RangeCandidates> variants;
  llvm::DenseMap<mlir::Attribute, RangeCandidates> forFew; ///< by list
  llvm::SmallVector<SizeRange, 2> apart;                   ///< from few points to many
};

} // namespace tw::schedule
