// The targets of a compilation, from the text after --target=.
#pragma once

#include "tw/Pipeline/Stages.h"
#include "tw/Target/Target.h"

namespace tw {

/// One target with the chips that its kernels are compiled for.
struct TargetRequest {
  const Target *target;
  /// One for each chip, in the order in which they were named; at least one.
  llvm::SmallVector<TargetOptions, 1> chips;
  /// What the stages need of it.
  StageOptions stages;

  /// "amd:gfx942,gfx1100", or the name alone if no chip was named.
  std::string getText() const;
};

/// Whether the target takes the chip; a stand-in is warned of.
mlir::LogicalResult checkChip(mlir::Location location, const Target &target, llvm::StringRef chip);

/// Parses "host,cuda:sm_80,cuda:sm_90a": targets in the order in which they were first named.
/// `options` are those of every chip, but for its name. Errors: unknown targets and chips, entries
/// that are empty or named twice.
mlir::FailureOr<llvm::SmallVector<TargetRequest, 1>>
parseTargets(mlir::Location location, llvm::StringRef list, const TargetOptions &options);

} // namespace tw
