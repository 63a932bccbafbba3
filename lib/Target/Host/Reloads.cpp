// Belady's choice of what to give up, over the uses that an order of instructions has.
#include "Reloads.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tw::host;

Value *tw::host::getRegister(Value *value) {
  while (auto *cast = dyn_cast<BitCastInst>(value))
    value = cast->getOperand(0);
  return value;
}

/// Shuffled together from several: a spilled one costs less to bring back.
static bool isMerged(const Instruction *instruction) {
  auto *shuffle = dyn_cast<ShuffleVectorInst>(instruction);
  return shuffle && !shuffle->isZeroEltSplat();
}

Reloads::Reloads(const Block &block, size_t registers) : block(block), registers(registers) {
  for (auto [place, instruction] : enumerate(block.order)) {
    Values operands = getHeldOperands(instruction);
    for (Value *operand : operands)
      uses[operand].push_back(place);
    if (block.isBrought(instruction) && !isMerged(instruction) &&
        all_of(operands, [&](Value *operand) { return reloadable.contains(operand); }))
      reloadable.insert(instruction);
  }
}

Reloads::Values Reloads::getHeldOperands(const Instruction *instruction) const {
  Values operands;
  if (isa<BitCastInst>(instruction))
    return operands;
  for (Value *operand : instruction->operands())
    if (Value *value = getRegister(operand); block.isHeld(value) && !is_contained(operands, value))
      operands.push_back(value);
  return operands;
}

size_t Reloads::getNextUse(const Value *value, size_t from) const {
  auto found = uses.find(value);
  if (found == uses.end())
    return SIZE_MAX;
  const auto *next = llvm::lower_bound(found->second, from);
  return next == found->second.end() ? SIZE_MAX : *next;
}

/// Frees a register, but none of those that are needed.
bool Reloads::makeRoom(size_t from, ArrayRef<Value *> needed) {
  while (held.size() >= registers) {
    Value *farthest = nullptr;
    size_t most = 0;
    for (Value *value : held)
      if (reloadable.contains(value) && !block.lasting.contains(value) &&
          !is_contained(needed, value))
        if (size_t next = getNextUse(value, from); !farthest || next > most) {
          farthest = value;
          most = next;
        }
    if (!farthest)
      return false;
    held.remove(farthest);
  }
  return true;
}

void Reloads::dropUnused(ArrayRef<Value *> values, size_t from) {
  for (Value *value : values)
    if (!block.lasting.contains(value) && getNextUse(value, from) == SIZE_MAX)
      held.remove(value);
}

bool Reloads::reload(Value *value, size_t place, Values &needed) {
  if (!reloadable.contains(value))
    return false;
  auto *instruction = cast<Instruction>(value);
  Values operands = getHeldOperands(instruction);
  for (Value *operand : operands) {
    if (!held.contains(operand) && !reload(operand, place, needed))
      return false;
    needed.push_back(operand);
  }
  dropUnused(operands, place);
  if (!makeRoom(place, needed))
    return false;
  reloads.push_back({place, instruction});
  held.insert(value);
  needed.push_back(value);
  return true;
}

std::optional<size_t> Reloads::plan() {
  held.insert(block.around.begin(), block.around.end());
  if (held.size() > registers)
    return std::nullopt;
  for (auto [place, instruction] : enumerate(block.order)) {
    Values operands = getHeldOperands(instruction), needed = operands;
    for (Value *operand : operands)
      if (!held.contains(operand) && !reload(operand, place, needed))
        return std::nullopt;
    dropUnused(operands, place + 1);
    bool isNeeded =
        block.lasting.contains(instruction) || getNextUse(instruction, place + 1) != SIZE_MAX;
    if (!isNeeded || !block.isHeld(instruction))
      continue;
    if (!makeRoom(place + 1, {}))
      return std::nullopt;
    held.insert(instruction);
  }
  return reloads.size();
}

void Reloads::apply() {
  DenseMap<Value *, Value *> current;
  auto replaceOperands = [&](Instruction *instruction) {
    for (Use &use : instruction->operands()) {
      Value *found = current.lookup(getRegister(use));
      if (!found)
        continue;
      if (use->getType() != found->getType())
        found = new BitCastInst(found, use->getType(), "", instruction->getIterator());
      use.set(found);
    }
  };
  const Reload *next = reloads.data(), *end = next + reloads.size();
  for (auto [place, instruction] : enumerate(block.order)) {
    for (; next != end && next->place == place; ++next) {
      Instruction *copy = next->value->clone();
      copy->insertBefore(instruction->getIterator());
      replaceOperands(copy);
      current[next->value] = copy;
    }
    if (!isa<BitCastInst>(instruction))
      replaceOperands(instruction);
  }
}
