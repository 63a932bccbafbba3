// Prefetches in front of the loads that need not wait for them.
#include "Prefetches.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

bool tw::host::isPrefetch(const Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::prefetch;
}

size_t tw::host::countHeldByPrefetches(const BasicBlock &block) {
  const Instruction *last = nullptr;
  for (const Instruction &instruction : block)
    if (isPrefetch(instruction))
      last = &instruction;
  size_t held = 0;
  if (!last)
    return held;
  for (const Instruction &instruction : block) {
    if (&instruction == last)
      break;
    const Type *type = instruction.getType();
    if (instruction.mayReadFromMemory() && (type->isVectorTy() || type->isFloatingPointTy()))
      held += any_of(instruction.users(), [&](const User *user) {
        auto *reader = cast<Instruction>(user);
        return reader->getParent() != &block || isa<PHINode>(reader) || last->comesBefore(reader);
      });
  }
  return held;
}

/// Adds what computes the address in its block, in front of what needs it; false if some of that
/// cannot move.
static bool collectAddress(Instruction *instruction, SetVector<Instruction *> &first) {
  if (first.contains(instruction))
    return true;
  for (Value *operand : instruction->operands()) {
    auto *needed = dyn_cast<Instruction>(operand);
    if (!needed || needed->getParent() != instruction->getParent() || isa<PHINode>(needed))
      continue;
    if (needed->mayReadOrWriteMemory() || needed->mayHaveSideEffects() ||
        !collectAddress(needed, first))
      return false;
  }
  first.insert(instruction);
  return true;
}

bool tw::host::prefetchFirst(BasicBlock &block) {
  SetVector<Instruction *> first;
  for (Instruction &instruction : block)
    if (isPrefetch(instruction)) {
      SetVector<Instruction *> wanted = first;
      if (collectAddress(&instruction, wanted))
        first = std::move(wanted);
    }
  for (Instruction *instruction : reverse(first))
    instruction->moveBefore(block, block.getFirstNonPHIIt());
  return !first.empty();
}
