// Fences behind every third shuffle.
#include "FenceShuffles.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// Shuffles that LLVM may still merge with each other. Of the 48,100 instructions of
/// EfficientNet-B0 fences behind every third shuffle make 48,114, behind every second 48,196.
constexpr unsigned kLongestChain = 3;

PreservedAnalyses tw::host::FenceShufflesPass::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<ShuffleVectorInst *> ends;
  for (BasicBlock &block : function) {
    // Of each shuffle of the block, how many come one after the other up to it.
    SmallDenseMap<const Value *, unsigned> chains;
    for (Instruction &instruction : block) {
      auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
      if (!shuffle)
        continue;
      unsigned chain = 1 + std::max(chains.lookup(shuffle->getOperand(0)),
                                    chains.lookup(shuffle->getOperand(1)));
      Type *element = shuffle->getType()->getElementType();
      if (chain >= kLongestChain && (element->isFloatTy() || element->isDoubleTy())) {
        ends.push_back(shuffle);
        chain = 0;
      }
      chains[shuffle] = chain;
    }
  }
  for (ShuffleVectorInst *shuffle : ends) {
    IRBuilder<> builder(shuffle->getNextNode());
    Value *fence =
        builder.CreateIntrinsic(Intrinsic::arithmetic_fence, {shuffle->getType()}, {shuffle});
    shuffle->replaceUsesWithIf(fence, [&](Use &use) { return use.getUser() != fence; });
  }
  if (ends.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
