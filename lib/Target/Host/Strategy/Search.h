// A search over legal lists, for kernels of which no strategy knows much.
#pragma once

#include "tw/Target/Host/HostStrategy.h"

namespace tw::schedule::host {

/// Adds the cheapest list that a search of so many states finds, beginning with the candidates,
/// which are cheapest first, where it is cheaper than all of them; gives names to the values that
/// it speaks of. Nothing is searched where the cheapest candidate is near the least cycles, or
/// where a strategy for a class of kernels proposes something.
/// `wantsSearch` tells whether there would be a search.
bool wantsSearch(kernel::KernelOp kernel, const HostTraits &traits,
                 llvm::ArrayRef<Candidate> candidates);
/// The same of the cheapest candidate, and whether all are of strategies that propose lists for any
/// kernel, which is asked for where it decides.
bool wantsSearch(kernel::KernelOp kernel, const HostTraits &traits, double cheapest,
                 llvm::function_ref<bool()> areForAny);
void searchFurther(kernel::KernelOp kernel, const HostTraits &traits, bool exactOnly,
                   unsigned states, llvm::SmallVectorImpl<HostCandidate> &candidates);

} // namespace tw::schedule::host
