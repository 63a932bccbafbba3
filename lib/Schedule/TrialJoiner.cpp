// Making kernels of two on trial.
#include "TrialJoiner.h"

#include "tw/Dialect/Kernel/AxesOfOne.h"
#include "tw/Dialect/Kernel/Instance.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// What is joined of two reads what they do; while several forms of it stand beside each other,
/// readers are not to be counted.
static void markAs(KernelOp joined, KernelOp a, KernelOp b) {
  if (joined && (a->hasAttr(repeatedAttrName) || b->hasAttr(repeatedAttrName)))
    joined->setAttr(repeatedAttrName, UnitAttr::get(joined.getContext()));
}

static bool isProduct(KernelOp kernel) {
  return !kernel.getBody().getOps<ContractOp>().empty();
}

TrialJoiner::TrialJoiner(MLIRContext *context, bool exactOnly, unsigned seed, KernelPrices &prices)
    : joiner(context, !exactOnly), prices(prices) {
  if (seed)
    drawn.emplace(seed);
}

KernelOp TrialJoiner::takeProducer(KernelOp consumer, KernelOp producer, bool keep,
                                   std::string &why) {
  if (prices.runsOnce(producer) && !prices.runsOnce(consumer)) {
    why = "it runs once, of constants alone";
    return nullptr;
  }
  KernelOp joined = draw([&] { return joiner.takeProducer(consumer, producer, keep, why); }, why);
  // As rows of each sequence by itself they would have tiles of their own where there are few.
  if (joined && !drawn && isProduct(consumer) && !isProduct(producer) && hasAxesOfOne(consumer) &&
      !hasAxesOfOne(joined)) {
    why = "rows of the product would be those of one sequence at a time";
    prices.erase(joined);
    return nullptr;
  }
  markAs(joined, consumer, producer);
  if (joined && prices.runsOnce(consumer))
    prices.setRunsOnce(joined);
  return joined;
}

KernelOp TrialJoiner::takeSibling(KernelOp kernel, KernelOp sibling, std::string &why,
                                  bool sumsApart) {
  if (prices.runsOnce(kernel) || prices.runsOnce(sibling)) {
    why = "one of them runs once, of constants alone";
    return nullptr;
  }
  KernelOp joined = draw([&] { return joiner.takeSibling(kernel, sibling, why, sumsApart); }, why);
  markAs(joined, kernel, sibling);
  return joined;
}

KernelOp TrialJoiner::draw(llvm::function_ref<KernelOp()> join, std::string &why) {
  if (!drawn)
    return join();
  why = "not drawn";
  KernelOp joined = drawn->wantsNext() ? join() : KernelOp();
  if (!joined || drawn->admits(joined))
    return joined;
  why = "it would be computed again and again";
  prices.erase(joined);
  return nullptr;
}

JoinRecord schedule::makeRecord(KernelOp kernel, KernelOp other, StringRef reason) {
  return {getFullName(kernel), getFullName(other), "refused", reason.str()};
}
