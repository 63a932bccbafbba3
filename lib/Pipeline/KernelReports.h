// What a compilation says of its kernels: costs, schedules, and what else was thought of.
#pragma once

#include "ModuleWriter.h"

namespace tw {

/// Text of the private functions that hold one kernel each, and what the report, where there is
/// one, says of them. Takes the records of scheduling from the kernels.
mlir::LogicalResult collectKernels(mlir::ModuleOp module, const CompileOptions &options,
                                   CompiledTarget &target, TargetReport *report);

} // namespace tw
