// The threads that MLIR's passes run on.
#pragma once

#include "llvm/Support/ThreadPool.h"

#include <memory>

namespace mlir {
class MLIRContext;
}

namespace tw {

/// Makes `context` safe for several threads, and lets passes on what is nested in a module run on
/// this thread's Workers, while this lives. Nothing changes where there are no workers, or where
/// the context's owner has given it threads of its own. What the system does not give is done
/// without: MLIR's own pool would end the process.
///
/// Nothing else may use the context while this begins or ends.
class ContextWorkers {
public:
  explicit ContextWorkers(mlir::MLIRContext &context);
  ~ContextWorkers();
  ContextWorkers(const ContextWorkers &) = delete;
  ContextWorkers &operator=(const ContextWorkers &) = delete;

  /// Whether the threads of the context are those of a ContextWorkers: who waits there for a group
  /// of tasks runs tasks of that group alone, while another pool may run any that is queued, also
  /// one that waits for what the first one holds.
  static bool areOf(mlir::MLIRContext &context);

private:
  mlir::MLIRContext &context;
  /// NULL if this changed nothing.
  std::unique_ptr<llvm::ThreadPoolInterface> pool;
};

} // namespace tw
