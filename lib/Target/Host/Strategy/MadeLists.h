// Prices of kernels that the lists of others make.
#pragma once

#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Schedule/Places.h"
#include "tw/Target/Host/HostStrategy.h"

#include <deque>
#include <mutex>

namespace tw::schedule {

/// Panels and windows that lists of one kernel pack are mostly the same: each is asked for, and
/// priced, once.
/// For all threads; belongs to one context.
class MadeLists {
public:
  /// The price of the kernel, which gets the list that `makeHostSchedule` gives it, by `priceOne`,
  /// which may change it.
  std::optional<HostPrice>
  price(kernel::KernelOp kernel, const HostTraits &traits, bool alone,
        llvm::function_ref<std::optional<HostPrice>(kernel::KernelOp)> priceOne);

private:
  struct Known {
    mlir::OwningOpRef<kernel::KernelOp> kernel;
    llvm::SmallVector<Place> places; ///< of its operands
    bool alone;
    std::optional<HostPrice> price;
  };

  const Known *find(llvm::hash_code hash, kernel::KernelOp kernel, llvm::ArrayRef<Place> places,
                    bool alone) const;

  mutable std::mutex mutex;
  std::deque<Known> all;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<const Known *, 1>> known;
};

} // namespace tw::schedule
