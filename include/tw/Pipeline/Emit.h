// A target's code in a form to look at, from a program at any stage.
#pragma once

#include "tw/Pipeline/Compiler.h"
#include "tw/Target/Target.h"

namespace tw {

/// The target that prints `form`, or null.
const Target *findTargetOfForm(llvm::StringRef form);

/// Runs the stages that the program still lacks and prints its kernels in `form` of the target of
/// `options`. A program in thread form (one gpu.module) is printed as it is. The module is left at
/// its last stage. `files` as for compileTo. Errors are diagnostics.
mlir::FailureOr<std::string> emitCode(mlir::ModuleOp module, llvm::StringRef form,
                                      const CompileOptions &options,
                                      const FileResolver *files = nullptr);

} // namespace tw
