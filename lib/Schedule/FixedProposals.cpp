// Kernels at fixed sizes, each asked for once.
#include "FixedProposals.h"

#include "tw/Dialect/Kernel/Apart.h"
#include "tw/Dialect/Kernel/Equality.h"

#include "mlir/IR/Threading.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

FixedProposals::Known &FixedProposals::find(KernelOp kernel) {
  auto &alike = known[kernel::hash(kernel)];
  for (Known *each : alike)
    if (areEqual(*each->kernel, kernel))
      return *each;
  return *alike.emplace_back(&all.emplace_back(copyWithoutOperands(kernel)));
}

void FixedProposals::ask(ArrayRef<KernelOp> kernels) {
  SmallVector<Known *> open;
  // Copies use what the kernels read, which is for one thread.
  std::deque<KernelApart> copies;
  for (KernelOp kernel : kernels) {
    Known &own = find(kernel);
    if (own.areAll)
      continue;
    own.isAsked = own.areAll = true;
    open.push_back(&own);
    copies.emplace_back(kernel);
  }
  if (open.empty())
    return;
  parallelFor(kernels.front()->getContext(), 0, open.size(), [&](size_t i) {
    open[i]->candidates = strategy.propose(copies[i].get(), exactOnly, /*searchStates=*/0);
  });
}

ArrayRef<Candidate> FixedProposals::get(KernelOp kernel, unsigned searchStates) {
  Known &own = find(kernel);
  bool wants = !own.areAll ||
               (own.searchStates < searchStates && strategy.wantsSearch(kernel, own.candidates));
  own.searchStates = std::max(own.searchStates, searchStates);
  if (wants)
    own.candidates = strategy.propose(kernel, exactOnly, own.searchStates);
  own.isAsked = own.areAll = true;
  return own.candidates;
}

ArrayRef<Candidate> FixedProposals::getBest(KernelOp kernel, unsigned searchStates) {
  Known &own = find(kernel);
  if (!own.isAsked)
    own.candidates = strategy.proposeBest(kernel, exactOnly, own.wantsMore);
  own.isAsked = true;
  return own.areAll || (own.searchStates < searchStates && own.wantsMore)
             ? get(kernel, searchStates)
             : ArrayRef<Candidate>(own.candidates);
}

double FixedProposals::getCycles(KernelOp kernel, ScheduleAttr list) {
  auto [it, isNew] = find(kernel).cycles.try_emplace(list, 0);
  if (isNew)
    it->second = strategy.getCycles(kernel, list);
  return it->second;
}
