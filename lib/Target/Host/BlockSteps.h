// The instructions of straight-line code as steps that can be taken in another order.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instruction.h"

#include <optional>
#include <vector>

namespace tw::host {

/// What each instruction of a block needs and which of them keep their order: those with effects,
/// and loads of what the block may write; but not stores to places of their own.
class BlockSteps {
public:
  BlockSteps(llvm::BasicBlock &block, llvm::BatchAAResults &aliases, bool hasMaskRegisters);

  /// Vectors that are the same whatever the block computes.
  int64_t countConstants() const;

protected:
  struct Step {
    llvm::Instruction *instruction;
    /// Operands of this block, and the vectors in registers that are read, also those from
    /// elsewhere.
    llvm::SmallVector<llvm::Value *, 4> operands, registers;
    /// The first one with effects that needs this one.
    unsigned result = UINT_MAX;
    /// The one with effects before this one with effects.
    std::optional<unsigned> after;
    /// Whether it has effects, or sees those of others.
    bool isFixed = false;
    /// Taken right before the first one that needs it.
    bool isLazy = false;
    bool isTaken = false;
    /// What it adds if it comes next, while that is known.
    std::optional<int64_t> cost;
  };

  llvm::BasicBlock &block;
  std::vector<Step> steps;
  llvm::DenseMap<const llvm::Value *, unsigned> index;
  /// Vectors from elsewhere, and those that live on behind the block or through all of it.
  llvm::SetVector<llvm::Value *> around;
  llvm::DenseSet<const llvm::Value *> lasting;

  /// Whether the value takes a register of those that are counted.
  bool isVector(const llvm::Value *value) const;

private:
  llvm::BatchAAResults &aliases;
  bool hasMaskRegisters;
  /// A write for each object that is written; no object where it is not known.
  llvm::SmallVector<llvm::MemoryLocation> writes;
  bool writesAnywhere = false, storesMove = false;

  void findWrites();
  void findOperands();
  void findResults();
  bool areStoresApart();
  bool isMovable(const llvm::Instruction &instruction);
  bool isUsedElsewhere(llvm::Value *value) const;
  bool isNeededBehind(llvm::Value *value) const;
};

/// A border in front of an instruction: a use, which is no instruction, of what was computed
/// before. The code generator moves nothing over it, and merges no loads from its two sides.
void addBorder(llvm::Instruction *computed, llvm::Instruction &before);

} // namespace tw::host
