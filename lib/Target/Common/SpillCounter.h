// Counts what register allocation put on the stack, in the code as it will be printed.
#pragma once

#include "tw/Target/Common/CodeGeneration.h"

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace tw::codegen {

/// Stores to and loads from spill slots, folded into other instructions or not. Runs after all
/// passes that change code.
class SpillCounter : public llvm::MachineFunctionPass {
public:
  static char ID;
  explicit SpillCounter(llvm::StringMap<SpillCounts> &counts)
      : MachineFunctionPass(ID), counts(counts) {}

  llvm::StringRef getPassName() const override { return "count spills"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override;
  bool runOnMachineFunction(llvm::MachineFunction &function) override;

private:
  llvm::StringMap<SpillCounts> &counts;
};

} // namespace tw::codegen
