// Vectors that are loaded again instead of kept, where straight-line code holds too many.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instruction.h"

#include <optional>
#include <vector>

namespace tw::host {

/// What a block keeps in vector registers, its instructions taken in an order.
///
/// Where there is no room, the vector whose next use is farthest is given up, of those that came
/// from memory which the block does not write, and is loaded again before that use: a spill without
/// its store.
class Reloads {
public:
  struct Block {
    /// All instructions but phis and the terminator.
    llvm::ArrayRef<llvm::Instruction *> order;
    /// Whether the value takes a register.
    llvm::function_ref<bool(const llvm::Value *)> isHeld;
    /// Whether the instruction only brings something, and may do so anywhere in the block.
    llvm::function_ref<bool(const llvm::Instruction *)> isBrought;
    /// Values from elsewhere that are held.
    llvm::ArrayRef<llvm::Value *> around;
    /// Values that are held until the block ends.
    const llvm::DenseSet<const llvm::Value *> &lasting;
  };

  Reloads(const Block &block, size_t registers);

  /// How many vectors are loaded again; nothing if there is no other way than to spill.
  std::optional<size_t> plan();

  /// Loads again what the plan says; the instructions lie in their order.
  void apply();

private:
  struct Reload {
    size_t place;
    llvm::Instruction *value;
  };

  Block block;
  size_t registers;
  /// The places where values are used, in their order.
  llvm::DenseMap<const llvm::Value *, llvm::SmallVector<size_t, 4>> uses;
  llvm::DenseSet<const llvm::Value *> reloadable;
  llvm::SmallSetVector<llvm::Value *, 32> held;
  std::vector<Reload> reloads;

  using Values = llvm::SmallVector<llvm::Value *, 4>;
  Values getHeldOperands(const llvm::Instruction *instruction) const;
  size_t getNextUse(const llvm::Value *value, size_t from) const;
  bool makeRoom(size_t from, llvm::ArrayRef<llvm::Value *> needed);
  bool reload(llvm::Value *value, size_t place, Values &needed);
  void dropUnused(llvm::ArrayRef<llvm::Value *> values, size_t from);
};

/// The value whose register it is.
llvm::Value *getRegister(llvm::Value *value);

} // namespace tw::host
