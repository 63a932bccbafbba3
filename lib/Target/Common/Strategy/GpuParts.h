// Reductions of much to few results, and few long scans, on devices that run groups of threads.
#pragma once

#include "tw/Schedule/AxisGroups.h"

namespace tw::schedule {

/// A reduction or a scan that is taken apart, so that programs enough compute parts of it and a
/// kernel behind combines them.
struct GpuParts {
  mlir::Operation *reduction;
  AxisGroup reduced;
  int64_t length; ///< points of a part, at most half of those of the group
};

/// None where the kernel has another reduction or scan, where `programs` programs, among which
/// the results are shared, are `enough` already, or parts would be too short.
std::optional<GpuParts> findGpuParts(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                                     llvm::ArrayRef<AxisGroup> groups, int64_t programs,
                                     int64_t enough);

/// A list by which sums that a maximum leads run in so many parts of their axis, or in fewer where
/// that has no such divisor; null where there are none, or parts would be too short.
kernel::ScheduleAttr writeLedParts(kernel::KernelOp kernel, int64_t parts);

} // namespace tw::schedule
