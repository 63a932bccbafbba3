// What a compilation says of its kernels: costs, schedules, and what else was thought of.
#pragma once

#include "ModuleWriter.h"

#include "llvm/ADT/DenseMap.h"

namespace tw {

/// What was known of a kernel before its schedule was applied.
struct EarlyReview {
  ScheduleReview review;
  /// What a file of schedules calls the kernel.
  std::string key;
  /// The program gives the kernel's schedule.
  bool byHand = false;
};

/// What the strategies said of each kernel before its schedule was applied, by location and hint:
/// later its axes and operands may be others. Ops that are decomposed give several kernels one
/// location, and loops of a model that are unrolled several kernels the same of both.
using Reviews =
    llvm::DenseMap<std::pair<mlir::Attribute, mlir::StringAttr>, std::vector<EarlyReview>>;

/// Asks a target that reviews kernels. Errors are diagnostics.
mlir::LogicalResult collectReviews(mlir::ModuleOp module, const TargetRequest &request,
                                   Reviews &reviews);

/// Text of the private functions that hold one kernel each, and what the report, where there is
/// one, says of them.
mlir::LogicalResult collectKernels(mlir::ModuleOp module, const CompileOptions &options,
                                   CompiledTarget &target, const Reviews &reviews,
                                   TargetReport *report);

} // namespace tw
