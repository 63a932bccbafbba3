// Least cycles, prices and launches of a block's kernels.
#include "KernelPrices.h"

#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Strides.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

SmallVector<mlir::Block *> schedule::getBlocksOfFunctions(Operation *program) {
  SmallVector<mlir::Block *> blocks;
  program->walk([&](FunctionOpInterface function) {
    llvm::append_range(blocks, getProgramBlocks(function));
  });
  return blocks;
}

/// Whether the store writes no two elements side by side: every other pixel, say.
static bool isSpread(StoreOp store) {
  auto kernel = store->getParentOfType<KernelOp>();
  return llvm::none_of(llvm::seq<unsigned>(0, kernel.getNumAxes()), [&](unsigned axis) {
    return getUsualStride(store, kernel.getAxis(axis)) == 1;
  });
}

/// Whether the price is too rough to compare with others. Of a product beside other pieces of a
/// result prices were half or a quarter of what was measured, where no strategy for products made
/// the tiles or where they are stored spread.
static bool isRough(KernelOp kernel, const Candidate &candidate) {
  auto stores = kernel.getBody().getOps<StoreOp>();
  return !kernel.getBody().getOps<ContractOp>().empty() && llvm::any_of(stores, isPiece) &&
         (candidate.isForAny || llvm::any_of(stores, isSpread));
}

void KernelPrices::begin(mlir::Block &block) {
  for (auto kernel : block.getOps<KernelOp>())
    if (!kernel.getSchedule())
      proposals.getStrategy().prepare(kernel);
  markMemory(block);
  beginCopy(block);
}

void KernelPrices::end() { unmarkMemory(*block); }

void KernelPrices::beginCopy(mlir::Block &copy) {
  block = &copy;
  // Kernels may lie where some of the last block did.
  leasts.clear();
  once.clear();
  for (auto kernel : copy.getOps<KernelOp>())
    if (readsMadeOnce(kernel) && llvm::all_of(kernel.getResults(), isMadeOnce))
      once.insert(kernel);
}

void KernelPrices::erase(KernelOp kernel) {
  once.erase(kernel);
  leasts.erase(kernel);
  kernel.erase();
}

bool KernelPrices::readsMadeOnce(KernelOp kernel) const {
  return kernel->getNumOperands() > 0 && llvm::all_of(kernel.getOperands(), [&](Value operand) {
           auto source = operand.getDefiningOp<KernelOp>();
           return source && source->getBlock() == kernel->getBlock() ? runsOnce(source)
                                                                     : isMadeOnce(operand);
         });
}

double KernelPrices::getLeast(KernelOp kernel) {
  const Strategy &strategy = proposals.getStrategy();
  if (kernel->getBlock() != block)
    return strategy.getLeastCycles(kernel);
  auto [it, isNew] = leasts.try_emplace(kernel, 0);
  if (isNew)
    it->second = strategy.getLeastCycles(kernel);
  return it->second;
}

double KernelPrices::getLeast(ArrayRef<KernelOp> kernels) {
  double cycles = 0;
  for (KernelOp kernel : kernels)
    cycles += getLeast(kernel);
  return cycles;
}

ArrayRef<Candidate> KernelPrices::getCandidates(KernelOp kernel) {
  return ahead ? proposals.getAlone(kernel) : proposals.get(kernel);
}

std::optional<double> KernelPrices::get(KernelOp kernel) {
  if (getLeast(kernel) == 0 || (ahead && ahead->isOver()))
    return std::nullopt;
  ArrayRef<Candidate> candidates = getCandidates(kernel);
  if (candidates.empty() || candidates.front().cycles == 0 || isRough(kernel, candidates.front()))
    return std::nullopt;
  return candidates.front().getComparedCycles();
}

std::optional<double> KernelPrices::get(ArrayRef<KernelOp> kernels) {
  double cycles = 0;
  for (KernelOp kernel : kernels) {
    std::optional<double> own = get(kernel);
    if (!own)
      return std::nullopt;
    cycles += *own;
  }
  return cycles;
}

unsigned KernelPrices::countLaunches(KernelOp kernel) {
  const Candidate &candidate = getCheapest(kernel);
  if (!makesKernels(candidate.schedule))
    return 1;
  if (candidate.launches)
    return candidate.launches;
  // What comes before the kernel is made in a block of its own.
  mlir::Block own;
  auto copy = cast<KernelOp>(kernel->clone());
  own.push_back(copy);
  giveNames(copy, candidate.names);
  copy.setScheduleAttr(candidate.schedule);
  if (failed(makeKernels(copy)))
    return 1;
  return llvm::count_if(own.getOps<KernelOp>(), [&](KernelOp made) {
    return made == copy || !isMadeOnce(made.getResult(0));
  });
}

unsigned KernelPrices::countLaunches(ArrayRef<KernelOp> kernels) {
  unsigned launches = 0;
  for (KernelOp kernel : kernels)
    launches += countLaunches(kernel);
  return launches;
}
