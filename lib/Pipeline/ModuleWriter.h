// Writes the bytes of a module from a compiled program.
#pragma once

#include "tw/Pipeline/Compiler.h"
#include "tw/Target/Target.h"

#include "llvm/ADT/StringMap.h"

namespace tw {

/// What the module writer takes besides the module at the tile stage.
struct WriterInput {
  const Artefact *artefact = nullptr;
  /// The point form of each kernel as text, by symbol; empty to leave them out.
  llvm::StringMap<std::string> sources;
  llvm::StringMap<int64_t> flops;
};

/// The module with one program per `tlaunch.func`. The same input gives the same bytes. Errors are
/// diagnostics.
mlir::FailureOr<std::vector<uint8_t>> writeModule(mlir::ModuleOp module, const WriterInput &input,
                                                  FileResolver &files, CompileReport *report);

} // namespace tw
