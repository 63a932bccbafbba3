// Which buffers of a program's local memory have that of another one.
#pragma once

#include "tw/Schedule/LoopTree.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tw::schedule {

using MemorySet = llvm::SmallPtrSet<const Node *, 2>;

/// The Alloc nodes that tile-share-memory will replace: of one type with a buffer whose last use is
/// before their first.
MemorySet findSharedMemory(const LoopTree &tree);

} // namespace tw::schedule
