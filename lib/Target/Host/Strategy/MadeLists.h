// Lists of kernels that the lists of others make.
#pragma once

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Target/Host/HostStrategy.h"

#include <deque>
#include <mutex>

namespace tw::schedule {

/// Panels and windows that lists of one kernel pack are mostly the same: each is asked for once.
/// For all threads; belongs to one context.
class MadeLists {
public:
  /// What `makeHostSchedule` gives the kernel, whose values get their names.
  kernel::ScheduleAttr get(kernel::KernelOp kernel, const HostTraits &traits);

private:
  struct Known {
    mlir::OwningOpRef<kernel::KernelOp> kernel;
    /// Which of what it reads is made once for all calls.
    llvm::SmallVector<bool> madeOnce;
    kernel::ScheduleAttr list;
    llvm::SmallVector<ValueName> names;
  };

  const Known *find(llvm::hash_code hash, kernel::KernelOp kernel,
                    llvm::ArrayRef<bool> madeOnce) const;

  mutable std::mutex mutex;
  std::deque<Known> all;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<const Known *, 1>> known;
};

} // namespace tw::schedule
