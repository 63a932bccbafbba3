// What a kernel costs, for reports.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "llvm/Support/JSON.h"

namespace tw::kernel {

/// Counts per run of a kernel.
struct Description {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> axes; ///< names and extents
  int64_t flops = 0;     ///< float operations; a product and its sum are two
  int64_t bytes = 0;     ///< of the operands and results, each counted once
  int64_t recompute = 1; ///< the largest recompute factor of a value

  /// "m 64, n 128, k 32".
  std::string getAxesText() const;
  llvm::json::Object toJSON() const;
  void print(llvm::raw_ostream &os) const;
};

/// Shapes are static. The name is the kernel's hint, "kernel" without one.
Description describe(KernelOp kernel);

} // namespace tw::kernel
