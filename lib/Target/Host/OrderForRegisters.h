// Straight-line code in an order in which few vectors live at once.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tw::host {

/// Where a block holds more vectors at once than there are registers, its instructions are put into
/// another order: next comes what adds the fewest vectors to those that live, and loads come right
/// before what needs them. What writes memory keeps its order, but for stores to places of their
/// own, which nothing in the block reads; no load passes a write that may change what it reads, and
/// prefetches change nothing. What has no room in any order is loaded again before it is needed, if
/// it came from memory that the block does not write; a block for which that is not enough stays as
/// it is. Where the vectors fit but their constants do not, and instructions take operands from
/// memory, constants are read there.
///
/// It runs behind LLVM's optimiser, which has joined loads of one address by then. Unrolled windows
/// are what it is for: they come tap by tap, so that what taps share would live while a whole tile
/// passes.
class OrderForRegistersPass : public llvm::PassInfoMixin<OrderForRegistersPass> {
public:
  /// `registers`: vector registers of the CPU; `hasMaskRegisters`: masks take none of them;
  /// `hasMemoryOperands`: what computes can read an operand from memory itself.
  OrderForRegistersPass(unsigned registers, bool hasMaskRegisters, bool hasMemoryOperands)
      : registers(registers), hasMaskRegisters(hasMaskRegisters),
        hasMemoryOperands(hasMemoryOperands) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  unsigned registers;
  bool hasMaskRegisters, hasMemoryOperands;
};

} // namespace tw::host
