// Spills by function, those in innermost loops apart: there they cost what a kernel is about.
#include "SpillCounter.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;
using namespace tw::codegen;

char SpillCounter::ID = 0;

void SpillCounter::getAnalysisUsage(AnalysisUsage &usage) const {
  usage.setPreservesAll();
  usage.addRequired<MachineLoopInfoWrapperPass>();
  MachineFunctionPass::getAnalysisUsage(usage);
}

/// The spill slot that an access is to.
static std::optional<int> getSlot(const MachineMemOperand &access, const MachineFrameInfo &frame) {
  auto *place = dyn_cast_if_present<FixedStackPseudoSourceValue>(access.getPseudoValue());
  if (!place || !frame.isSpillSlotObjectIndex(place->getFrameIndex()))
    return std::nullopt;
  return place->getFrameIndex();
}

/// Whether the instruction computes with a vector besides what it loads.
static bool readsVector(const MachineInstr &load, const TargetRegisterInfo &registers) {
  return any_of(load.explicit_uses(), [&](const MachineOperand &operand) {
    if (!operand.isReg() || !operand.getReg().isPhysical())
      return false;
    return registers.getRegSizeInBits(*registers.getMinimalPhysRegClass(operand.getReg())) > 64;
  });
}

/// Whether the instruction stores what was read from memory: its slot is another place to read that
/// from.
static bool storesWhatWasRead(const MachineInstr &store, const TargetInstrInfo &instructions,
                              const TargetRegisterInfo &registers) {
  int slot;
  Register stored = instructions.isStoreToStackSlotPostFE(store, slot);
  if (!stored)
    return false;
  const MachineFrameInfo &frame = store.getMF()->getFrameInfo();
  for (const MachineInstr *before = store.getPrevNode(); before; before = before->getPrevNode())
    if (before->modifiesRegister(stored, &registers))
      return before->mayLoad() && before->getNumExplicitDefs() == 1 &&
             !before->memoperands_empty() && !readsVector(*before, registers) &&
             all_of(before->memoperands(), [&](const MachineMemOperand *access) {
               return access->isLoad() && !getSlot(*access, frame);
             });
  return false;
}

bool SpillCounter::runOnMachineFunction(MachineFunction &function) {
  const MachineLoopInfo &loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  const TargetSubtargetInfo &target = function.getSubtarget();
  const MachineFrameInfo &frame = function.getFrameInfo();
  auto isInnermost = [&](const MachineBasicBlock &block) {
    const MachineLoop *loop = loops.getLoopFor(&block);
    return loop && loop->isInnermost();
  };
  // What is brought from memory once, before an innermost loop, is read in it as if from there.
  DenseSet<int> spilled;
  for (const MachineBasicBlock &block : function)
    for (const MachineInstr &instruction : block)
      for (const MachineMemOperand *access : instruction.memoperands())
        if (std::optional<int> slot = getSlot(*access, frame);
            slot && access->isStore() &&
            (isInnermost(block) ||
             !storesWhatWasRead(instruction, *target.getInstrInfo(), *target.getRegisterInfo())))
          spilled.insert(*slot);
  SpillCounts &count = counts[function.getName()];
  for (const MachineBasicBlock &block : function) {
    bool innermost = isInnermost(block);
    for (const MachineInstr &instruction : block) {
      bool touches = any_of(instruction.memoperands(), [&](const MachineMemOperand *access) {
        std::optional<int> slot = getSlot(*access, frame);
        return slot && spilled.contains(*slot);
      });
      count.all += touches;
      count.inLoops += touches && innermost;
    }
  }
  return false;
}
