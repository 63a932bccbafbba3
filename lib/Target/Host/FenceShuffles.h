// Keeps LLVM from looking at long chains of shuffles as one.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tw::host {

/// Puts a fence for arithmetic, which is no instruction, behind every third of the shuffles that
/// read one another. LLVM tries to merge each shuffle of a block with all those that it is made of,
/// whose number grows with each step: half of what a transposition of 16 x 16 takes to be made goes
/// there, for nothing.
///
/// It runs last: other passes know little of fences.
class FenceShufflesPass : public llvm::PassInfoMixin<FenceShufflesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tw::host
