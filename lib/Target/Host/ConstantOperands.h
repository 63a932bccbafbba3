// Vectors that are constants as operands in memory.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constant.h"

namespace tw::host {

/// The vector constants of a block that instructions can read from memory where they need them, so
/// that these take no register. The code generator prefers to keep constants in registers around a
/// loop, and to put on the stack what the loop computes.
class ConstantOperands {
public:
  explicit ConstantOperands(llvm::BasicBlock &block);

  size_t count() const { return uses.size(); }

  /// Makes each use a load of its own, but of the `kept` constants that are used most, and of those
  /// that follow each other closely. Borders keep the loads apart.
  void read(size_t kept);

private:
  llvm::BasicBlock &block;
  llvm::MapVector<llvm::Constant *, llvm::SmallVector<llvm::Use *>> uses;

  /// The constants less those that are used most.
  llvm::DenseSet<llvm::Constant *> choose(size_t kept) const;
  void addBorders(const llvm::DenseSet<llvm::Constant *> &chosen);
};

} // namespace tw::host
