// Work that is done by several threads.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <functional>
#include <pthread.h>

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

/// How many that are for this thread, itself among them: at least 1.
unsigned countWorkers();

/// Threads with a stack of 8 MB, as LLVM and MLIR expect. They are joined before this ends.
class Threads {
public:
  Threads() = default;
  ~Threads() { join(); }
  Threads(const Threads &) = delete;
  Threads &operator=(const Threads &) = delete;

  /// Whether the system gave a thread for `run`.
  bool start(std::function<void()> run);
  void join();
  size_t size() const { return all.size(); }

private:
  llvm::SmallVector<pthread_t> all;
};

/// Calls `work` with each number below `count`, by this thread and its workers, and returns when
/// all is done. Threads that the system does not give are done without.
void shareWork(size_t count, llvm::function_ref<void(size_t)> work);

} // namespace tw
