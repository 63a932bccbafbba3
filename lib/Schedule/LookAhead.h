// Threads that search copies of a block before the search of the block itself gets there.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <deque>
#include <functional>
#include <optional>

namespace tw::schedule {

/// While the kernels of a function's block are searched from the last to the first, the context's
/// other threads search copies of it, from the first kernels on, in parts: what they ask for is
/// known then. What they find is dropped, so nothing depends on how far they come.
class LookAhead {
public:
  /// Searches a copy, part by part, on any thread.
  using Search = std::function<void(LookAhead &ahead, mlir::Block &copy)>;

  /// Begins, where there are threads and kernels enough. The block belongs to a function and its
  /// kernels are not changed meanwhile but by who calls this.
  LookAhead(mlir::Block &block, Search search);
  /// Ends all searches.
  ~LookAhead();
  LookAhead(const LookAhead &) = delete;
  LookAhead &operator=(const LookAhead &) = delete;

  /// Of the kernels at the beginning so many are left to who called this.
  void setLeft(size_t kernels) { left = kernels; }

  /// The next part of a copy's kernels as they were at first; none at the end. Any thread.
  llvm::ArrayRef<kernel::KernelOp> takePart(llvm::ArrayRef<kernel::KernelOp> kernels);

  /// Whether what is still asked for is of no use; any thread.
  bool isOver() const { return over; }

private:
  Search search;
  std::deque<mlir::OwningOpRef<mlir::FunctionOpInterface>> copies;
  std::atomic<size_t> left, nextPart = 0;
  std::atomic<bool> over = false;
  std::optional<llvm::ThreadPoolTaskGroup> tasks;
};

} // namespace tw::schedule
