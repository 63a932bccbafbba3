// Spills by function, those in innermost loops apart: there they cost what a kernel is about.
#include "SpillCounter.h"

#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace tw::codegen;

char SpillCounter::ID = 0;

void SpillCounter::getAnalysisUsage(AnalysisUsage &usage) const {
  usage.setPreservesAll();
  usage.addRequired<MachineLoopInfoWrapperPass>();
  MachineFunctionPass::getAnalysisUsage(usage);
}

bool SpillCounter::runOnMachineFunction(MachineFunction &function) {
  const MachineLoopInfo &loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  const TargetInstrInfo *instructions = function.getSubtarget().getInstrInfo();
  SpillCounts &count = counts[function.getName()];
  for (const MachineBasicBlock &block : function) {
    const MachineLoop *loop = loops.getLoopFor(&block);
    bool innermost = loop && loop->isInnermost();
    for (const MachineInstr &instruction : block) {
      int64_t touched = instruction.getSpillSize(instructions).has_value() +
                        instruction.getFoldedSpillSize(instructions).has_value() +
                        instruction.getRestoreSize(instructions).has_value() +
                        instruction.getFoldedRestoreSize(instructions).has_value();
      count.all += touched > 0;
      count.inLoops += touched > 0 && innermost;
    }
  }
  return false;
}
