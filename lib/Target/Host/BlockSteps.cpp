// What instructions of a block need, and which of them may move.
#include "BlockSteps.h"

#include "Prefetches.h"
#include "Reloads.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace tw::host;

/// What an instruction reads or writes, if it is one place that a pointer tells.
static std::optional<MemoryLocation> getLocation(const Instruction &instruction) {
  if (auto location = MemoryLocation::getOrNone(&instruction))
    return location;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::masked_load)
    return MemoryLocation::getForArgument(intrinsic, 0, nullptr);
  if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::masked_store)
    return MemoryLocation::getForArgument(intrinsic, 1, nullptr);
  return std::nullopt;
}

/// Whether it only brings something: an address, a mask, what lies in memory.
static bool isCheap(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  return instruction.mayReadFromMemory() || !type || type->getElementType()->isIntegerTy(1) ||
         isa<ShuffleVectorInst, InsertElementInst>(instruction);
}

BlockSteps::BlockSteps(BasicBlock &block, BatchAAResults &aliases, bool hasMaskRegisters)
    : block(block), aliases(aliases), hasMaskRegisters(hasMaskRegisters) {
  for (Instruction &instruction : block)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator()) {
      index[&instruction] = steps.size();
      steps.emplace_back().instruction = &instruction;
    }
  findWrites();
  storesMove = areStoresApart();
  findOperands();
  findResults();
}

int64_t BlockSteps::countConstants() const {
  SmallPtrSet<const Value *, 16> constants;
  for (const Step &step : steps)
    for (const Value *operand : step.instruction->operands())
      if (isa<ConstantDataVector, ConstantVector, ConstantFP, ConstantInt>(operand) &&
          operand->getType()->isVectorTy())
        constants.insert(operand);
  return constants.size();
}

bool BlockSteps::isVector(const Value *value) const {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type && !isa<Constant>(value) &&
         !(hasMaskRegisters && type->getElementType()->isIntegerTy(1));
}

bool BlockSteps::isUsedElsewhere(Value *value) const {
  return any_of(value->users(), [&](User *user) {
    auto *instruction = cast<Instruction>(user);
    return instruction->getParent() != &block || isa<PHINode>(instruction) ||
           instruction->isTerminator();
  });
}

/// Whether a value from elsewhere lives on behind the block.
bool BlockSteps::isNeededBehind(Value *value) const {
  auto *phi = dyn_cast<PHINode>(value);
  return !phi || phi->getParent() != &block || isUsedElsewhere(phi);
}

void BlockSteps::findOperands() {
  std::optional<unsigned> fixed;
  for (auto [i, step] : enumerate(steps)) {
    Instruction *instruction = step.instruction;
    bool isCast = isa<BitCastInst>(instruction);
    SmallSetVector<Value *, 4> operands, registers;
    for (Value *operand : instruction->operands()) {
      if (index.contains(operand))
        operands.insert(operand);
      if (Value *held = getRegister(operand); isVector(held) && !isCast)
        registers.insert(held);
    }
    step.operands = operands.takeVector();
    step.registers = registers.takeVector();
    if (isMovable(*instruction)) {
      step.isLazy = isCast || (isCheap(*instruction) && all_of(step.operands, [&](Value *operand) {
                                 return steps[index.lookup(operand)].isLazy;
                               }));
    } else {
      step.isFixed = true;
      if (!storesMove || !isa<StoreInst>(instruction)) {
        step.after = fixed;
        fixed = i;
      }
    }
    if (isUsedElsewhere(instruction))
      lasting.insert(getRegister(instruction));
    for (Value *held : step.registers)
      if (!index.contains(held) && around.insert(held) && isNeededBehind(held))
        lasting.insert(held);
  }
}

void BlockSteps::findResults() {
  for (size_t i = steps.size(); i-- > 0;) {
    Step &step = steps[i];
    if (step.isFixed)
      step.result = std::min<unsigned>(step.result, i);
    for (Value *operand : step.operands) {
      unsigned &result = steps[index.lookup(operand)].result;
      result = std::min(result, step.result);
    }
  }
}

void BlockSteps::findWrites() {
  SmallPtrSet<const Value *, 4> objects;
  for (const Step &step : steps) {
    if (!step.instruction->mayWriteToMemory() || isa<NoAliasScopeDeclInst>(step.instruction) ||
        isPrefetch(*step.instruction))
      continue;
    std::optional<MemoryLocation> location = getLocation(*step.instruction);
    if (!location) {
      writesAnywhere = true;
      continue;
    }
    const Value *object = getUnderlyingObject(location->Ptr);
    if (objects.insert(object).second)
      writes.push_back(MemoryLocation::getBeforeOrAfter(object, location->AATags));
  }
}

/// Whether stores may pass each other, as all that the block writes and reads are places of their
/// own, and stores alone write. What goes past the caches is written line by line.
bool BlockSteps::areStoresApart() {
  constexpr size_t kMost = 64;
  SmallVector<MemoryLocation> stores;
  for (const Step &step : steps) {
    const Instruction *instruction = step.instruction;
    if (instruction->mayReadFromMemory() && !isPrefetch(*instruction) && !isMovable(*instruction))
      return false;
    if (auto *store = dyn_cast<StoreInst>(instruction)) {
      if (!store->isSimple() || store->hasMetadata(LLVMContext::MD_nontemporal) ||
          stores.size() == kMost)
        return false;
      stores.push_back(MemoryLocation::get(store));
    } else if (instruction->mayWriteToMemory() && !isPrefetch(*instruction) &&
               !isa<NoAliasScopeDeclInst>(instruction)) {
      return false;
    }
  }
  for (auto [i, store] : enumerate(stores))
    for (const MemoryLocation &other : drop_begin(stores, i + 1))
      if (!aliases.isNoAlias(store, other))
        return false;
  return !writesAnywhere;
}

bool BlockSteps::isMovable(const Instruction &instruction) {
  if (instruction.mayHaveSideEffects())
    return false;
  if (!instruction.mayReadFromMemory())
    return true;
  std::optional<MemoryLocation> location = getLocation(instruction);
  if (!location || writesAnywhere)
    return false;
  MemoryLocation object =
      MemoryLocation::getBeforeOrAfter(getUnderlyingObject(location->Ptr), location->AATags);
  return all_of(writes,
                [&](const MemoryLocation &write) { return aliases.isNoAlias(object, write); });
}

void tw::host::addBorder(Instruction *computed, Instruction &before) {
  IRBuilder<>(&before).CreateIntrinsic(Intrinsic::fake_use, {computed});
}
