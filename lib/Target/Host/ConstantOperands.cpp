// Loads of vector constants that the code generator leaves where they are.
#include "ConstantOperands.h"

#include "BlockSteps.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <numeric>
#include <vector>

using namespace llvm;
using namespace tw::host;

/// Whether one instruction does it that takes a vector from memory. A shift by a constant has that
/// in its code, and others are made of what is known of the constant: divisions of integers, and
/// products of those for which there is no instruction.
static bool readsMemory(const Instruction &instruction) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsic->getIntrinsicID() == Intrinsic::fma;
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::Select:
    return true;
  case Instruction::Mul: {
    unsigned bits = instruction.getType()->getScalarSizeInBits();
    return bits == 16 || bits == 32;
  }
  default:
    return false;
  }
}

/// Whether a value is a vector that code brings from memory: zeros and ones are made in registers.
static bool isBrought(const Value *value) {
  auto *constant = dyn_cast<Constant>(value);
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return constant && type && !isa<UndefValue>(constant) &&
         !type->getElementType()->isIntegerTy(1) && !constant->isNullValue() &&
         !constant->isAllOnesValue();
}

/// The address of a constant, which nothing knows to be one: what is known to be constant is loaded
/// once for all of a function.
static Value *getAddress(GlobalVariable *global, IRBuilder<> &builder) {
  Type *number = builder.getIntPtrTy(global->getDataLayout());
  Instruction *address =
      CastInst::Create(Instruction::PtrToInt, global, number, "", builder.GetInsertPoint());
  return CastInst::Create(Instruction::IntToPtr, address, builder.getPtrTy(), "",
                          builder.GetInsertPoint());
}

ConstantOperands::ConstantOperands(BasicBlock &block) : block(block) {
  for (Instruction &instruction : block)
    if (readsMemory(instruction))
      for (Use &use : instruction.operands())
        if (isBrought(use))
          uses[cast<Constant>(use)].push_back(&use);
}

DenseSet<Constant *> ConstantOperands::choose(size_t kept) const {
  // By uses, and where there are as many by place.
  std::vector<unsigned> order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    size_t usesOfA = uses.begin()[a].second.size(), usesOfB = uses.begin()[b].second.size();
    return std::pair(usesOfB, a) < std::pair(usesOfA, b);
  });
  DenseSet<Constant *> chosen;
  for (unsigned i : drop_begin(order, std::min(kept, order.size())))
    chosen.insert(uses.begin()[i].first);
  return chosen;
}

void ConstantOperands::addBorders(const DenseSet<Constant *> &chosen) {
  // Instructions for which a register holds a constant that was loaded.
  constexpr size_t kClose = 4;
  DenseMap<const Value *, size_t> read;
  Instruction *computed = nullptr;
  for (auto [place, instruction] : enumerate(block)) {
    bool again = false;
    if (readsMemory(instruction))
      for (Value *operand : instruction.operands())
        if (auto *constant = dyn_cast<Constant>(operand); constant && chosen.contains(constant)) {
          auto [found, isFirst] = read.try_emplace(constant, place);
          again |= !isFirst && place - found->second > kClose;
          found->second = place;
        }
    if (again && computed) {
      addBorder(computed, instruction);
      read.clear();
    }
    if (isa<FixedVectorType>(instruction.getType()) && !isa<PHINode>(instruction) &&
        !instruction.mayReadFromMemory())
      computed = &instruction;
  }
}

void ConstantOperands::read(size_t kept) {
  DenseSet<Constant *> chosen = choose(kept);
  addBorders(chosen);
  const DataLayout &layout = block.getDataLayout();
  for (auto &[constant, places] : uses) {
    if (!chosen.contains(constant))
      continue;
    auto *global = new GlobalVariable(*block.getModule(), constant->getType(), /*isConstant=*/true,
                                      GlobalValue::PrivateLinkage, constant);
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    global->setDSOLocal(true);
    Align align = layout.getPrefTypeAlign(constant->getType());
    global->setAlignment(align);
    for (Use *use : places) {
      IRBuilder<> builder(cast<Instruction>(use->getUser()));
      use->set(builder.CreateAlignedLoad(constant->getType(), getAddress(global, builder), align));
    }
  }
}
