// The price of a loop tree on one core of a CPU, in cycles, by what takes them.
#pragma once

#include "tw/Schedule/LoopTree.h"
#include "tw/Target/Host/HostStrategy.h"

#include <limits>

namespace tw::schedule::host {

/// Cycles of the core if all data were in the first cache: for each block the busiest of its ports
/// or the longest chain of sums, as port models of instructions count (IACA, llvm-mca), on tiles.
/// Of a team, those of the thread that ends last: what all do, its share of what they share, and a
/// barrier behind that each time, which takes what a launch does.
double priceCore(const LoopTree &tree, const HostTraits &traits);

/// The share of the iterations of these leaves, of a grid or a team, that the thread takes which
/// ends last.
double getShare(kernel::KernelOp kernel, const Plan &plan, llvm::ArrayRef<unsigned> leaves,
                const HostTraits &traits);

/// Cycles that moving data from beyond the first cache takes, by level: from the second cache, from
/// the last one, from memory; finding pages, whose table is a cache too; and what a core that takes
/// `core` cycles by itself waits for. The core's own cycles are left to the caller.
///
/// A loop leaves in a cache what its body touches, if that fits; so an access brings each line once
/// for the outermost loop whose body fits, and again for each iteration of the loops around that
/// one (Wolf and Lam, "A data locality optimizing algorithm", PLDI 1991).
HostPrice priceTraffic(const LoopTree &tree, double core, const HostTraits &traits);

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The price of a kernel and of those that its list makes, which run in each call.
struct ListPrice {
  HostPrice terms;
  double cycles = 0;
  unsigned launches = 0;

  void add(const HostPrice &kernel);
};

/// The price of the kernel under a list. None if the list is illegal, or if it is seen to take more
/// than `most` cycles before all is priced.
std::optional<ListPrice> priceList(kernel::KernelOp kernel, kernel::ScheduleAttr list,
                                   const HostTraits &traits, double most = kUnlimited);

inline constexpr size_t kAllCandidates = std::numeric_limits<size_t>::max();

/// Prices the candidates that have none yet, on several threads; those that cannot become loops
/// stay at 0 cycles. So may others that are not among so many cheapest.
void priceAll(kernel::KernelOp kernel, const HostTraits &traits,
              llvm::MutableArrayRef<HostCandidate> candidates, size_t most = kAllCandidates);

/// The order of candidates by price and waits, with as many bits as can mean anything: those that
/// differ by less are equal.
int64_t rankOf(const HostCandidate &candidate, const HostTraits &traits);

} // namespace tw::schedule::host
