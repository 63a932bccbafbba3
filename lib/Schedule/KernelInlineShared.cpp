// The pass that computes in all of its readers what one kernel made, where that is not dearer.
#include "PricedPass.h"
#include "TrialJoiner.h"

#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Strides.h"

#include "llvm/ADT/SetVector.h"

namespace tw {
#define GEN_PASS_DEF_KERNELINLINESHAREDPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Kernels that may compute again what one made.
constexpr size_t kMostReaders = 16;

bool isElementwise(KernelOp kernel) {
  return llvm::none_of(kernel.getBody().front(),
                       [](Operation &op) { return isa<ReduceOp, ContractOp, ScanOp>(op); });
}

/// Whether the kernel multiplies, and sums, what it reads of the other one.
bool multiplies(KernelOp kernel, KernelOp other) {
  auto isOther = [&](Value operand, Value read) {
    return read.getDefiningOp() == other && llvm::any_of(operand.getUsers(), [&](Operation *load) {
             return llvm::any_of(kernel.getBody().getOps<ContractOp>(), [&](ContractOp contract) {
               return load->getNumResults() > 0 &&
                      schedule::isComputedFrom(contract.getResult(), load->getResult(0));
             });
           });
  };
  return llvm::any_of(llvm::seq<unsigned>(0, kernel.getNumOperands()), [&](unsigned i) {
    return isOther(kernel.getOperandArgument(i), kernel.getOperand(i));
  });
}

/// Whether the kernel reads what a product sums: they may become one, of which others read results.
bool readsProducts(KernelOp kernel) {
  return llvm::any_of(kernel->getOperands(), [](Value operand) {
    auto made = operand.getDefiningOp<KernelOp>();
    return made && !made.getBody().getOps<ContractOp>().empty();
  });
}

/// The kernels of the block that read the kernel, in its order; none if something else does, too.
SmallVector<KernelOp> findAllReaders(KernelOp kernel) {
  llvm::SetVector<Operation *> found;
  for (Operation *user : kernel->getUsers()) {
    if (!isa<KernelOp>(user) || user->getBlock() != kernel->getBlock())
      return {};
    found.insert(user);
  }
  auto all = llvm::map_to_vector(found, [](Operation *user) { return cast<KernelOp>(user); });
  llvm::sort(all, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  return all;
}

/// Computes elementwise kernels in all that read them.
class SharedInliner {
public:
  /// By price, or by what the seed draws; `record`, where there is one, is told of it.
  SharedInliner(schedule::Proposals &proposals, bool exactOnly, unsigned seed, MLIRContext *context,
                SmallVectorImpl<schedule::JoinRecord> *record)
      : prices(proposals), joiner(context, exactOnly, seed, prices), record(record) {}

  void run(Block &block);

private:
  void recompute(KernelOp producer);
  bool isCheaper(KernelOp producer, ArrayRef<KernelOp> readers, ArrayRef<KernelOp> joined,
                 schedule::JoinRecord &made);

  schedule::KernelPrices prices;
  schedule::TrialJoiner joiner;
  SmallVectorImpl<schedule::JoinRecord> *record;
};

/// From the last kernel to the first, so that what reads one has what it will be. Sums and
/// products, what is computed of products, and what is multiplied, are left to those that take them
/// with all that lies between.
void SharedInliner::run(Block &block) {
  prices.begin(block);
  SmallVector<KernelOp> kernels(block.getOps<KernelOp>());
  for (KernelOp kernel : llvm::reverse(kernels))
    if (!prices.runsOnce(kernel) && isElementwise(kernel) && !readsProducts(kernel))
      recompute(kernel);
  prices.end();
}

/// Computes what the kernel makes again in each of the several kernels that read it, and drops it,
/// where that is not dearer than to make it once.
void SharedInliner::recompute(KernelOp producer) {
  SmallVector<KernelOp> readers = findAllReaders(producer), joined;
  bool isLeft = llvm::any_of(readers, [&](KernelOp each) { return multiplies(each, producer); });
  if (readers.size() < 2 || readers.size() > kMostReaders || isLeft)
    return;
  schedule::JoinRecord made = schedule::makeRecord(readers.front(), producer, "");
  made.kernel += llvm::formatv(" and {0} more", readers.size() - 1);
  for (KernelOp reader : readers) {
    KernelOp with = joiner.takeProducer(reader, producer, /*keep=*/false, made.reason);
    if (!with)
      break;
    joined.push_back(with);
  }
  bool isTaken = joined.size() == readers.size() &&
                 (joiner.isDrawn() || isCheaper(producer, readers, joined, made));
  for (auto [with, reader] : llvm::zip(joined, readers)) {
    if (isTaken)
      reader->replaceAllUsesWith(with->getResults());
    prices.erase(isTaken ? reader : with);
  }
  if (isTaken) {
    made.verdict = "recomputed";
    prices.erase(producer);
  }
  if (record)
    record->push_back(made);
}

/// Whether the readers that have the producer's body are not dearer than they and it apart.
bool SharedInliner::isCheaper(KernelOp producer, ArrayRef<KernelOp> readers,
                              ArrayRef<KernelOp> joined, schedule::JoinRecord &made) {
  SmallVector<KernelOp> parts(readers);
  parts.push_back(producer);
  double least = prices.getLeast(joined);
  if (least > schedule::kMostAgain * prices.getLeast(parts)) {
    made.reason = "it would be computed again and again";
    return false;
  }
  made.apart = prices.get(parts).value_or(0);
  if (made.apart == 0 || schedule::kLeastShare * least > made.apart) {
    made.reason = made.apart == 0 ? "no price" : "at its best it takes more than the parts";
    return false;
  }
  made.whole = prices.get(joined).value_or(0);
  if (made.whole == 0)
    made.reason = "no schedule of the whole";
  if (made.whole == 0 || made.whole > made.apart)
    return false;
  if (made.whole > schedule::kMuchCheaper * made.apart &&
      prices.countLaunches(joined) >= prices.countLaunches(parts))
    made.reason = "no launch less, and hardly cheaper";
  return made.reason.empty();
}

struct KernelInlineShared
    : schedule::ReplacingPass<tw::impl::KernelInlineSharedPassBase<KernelInlineShared>> {
  using ReplacingPass::ReplacingPass;

  void replace(schedule::Proposals &proposals,
               SmallVectorImpl<schedule::JoinRecord> *records) override {
    SharedInliner inliner(proposals, deterministic, seed, &getContext(), records);
    for (Block *block : schedule::getBlocksOfFunctions(getOperation()))
      inliner.run(*block);
  }
};

} // namespace
