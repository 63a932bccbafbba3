// Work that is done by several threads.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>

namespace tw {

/// How many threads together do what this thread shares, while this lives; 0: one per core. Where
/// none lives, a thread does its work alone.
class Workers {
public:
  explicit Workers(unsigned count);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

private:
  unsigned before;
};

/// Calls `work` with each number below `count`, by this thread and its workers, and returns when
/// all is done. Threads that the system does not give are done without. Each has a stack of 8 MB,
/// as LLVM and MLIR expect.
void shareWork(size_t count, llvm::function_ref<void(size_t)> work);

} // namespace tw
