// Import of StableHLO programs, as JAX prints them, into tgraph.
#pragma once

#include "tw/Import/ONNX/ONNX.h"

namespace tw::stablehlo {

/// Imports the program at `path`, MLIR text with the ops of `stablehlo`, `chlo` and `func` in the
/// pretty form or the generic one, as `func.func @main`. Functions that @main calls become part of
/// it, constants part of the program. Sizes that the program leaves open are those of the options,
/// or stay open within ranges. Every problem is emitted through the context's diagnostics; then the
/// result is null. What cannot be imported is named in one report (T0106).
///
/// The context gets dialects of those names, which know the syntax of ops and nothing else.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context, llvm::StringRef path,
                                              const onnx::ImportOptions &options = {});

/// The same of a text, called `name` in messages.
mlir::OwningOpRef<mlir::ModuleOp> importText(mlir::MLIRContext &context, llvm::StringRef text,
                                             llvm::StringRef name,
                                             const onnx::ImportOptions &options = {});

/// All ops that the importer knows, in the order of their names, as a table in Markdown: what
/// becomes of each, or why it is refused and what to use.
void printOps(llvm::raw_ostream &os);

} // namespace tw::stablehlo
