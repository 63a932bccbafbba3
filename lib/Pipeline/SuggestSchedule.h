// What a kernel's schedule would be if nobody had written one.
#pragma once

#include "TargetList.h"

#include "mlir/IR/OwningOpRef.h"

namespace tw {

/// As TargetOptions::suggestSchedule says, for a kernel of a program at stage launch.
std::string suggestSchedule(mlir::ModuleOp program, llvm::StringRef kernel, const Target &target,
                            const TargetOptions &chip);

} // namespace tw
