// Where the prefetches of a block stand among its loads.
#pragma once

#include "llvm/IR/BasicBlock.h"

namespace tw::host {

bool isPrefetch(const llvm::Instruction &instruction);

/// How many values that the block loads wait in registers for its last prefetch: the code generator
/// moves no load over one, as they are declared to write memory, so what comes from memory ahead
/// of it and is needed behind it lives there.
size_t countHeldByPrefetches(const llvm::BasicBlock &block);

/// Puts prefetches in front of all else in the block, with what computes their addresses; those
/// whose addresses come from memory stay. Returns whether there were any.
bool prefetchFirst(llvm::BasicBlock &block);

} // namespace tw::host
