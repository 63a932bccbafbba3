// What reads programs that are not MLIR: importers, by the ending of the file's name.
#pragma once

#include "tw/Import/ONNX/ONNX.h"

namespace tw {

struct Importer {
  /// How names of its files end: ".onnx".
  llvm::StringLiteral ending;
  /// Reads a file as a program of tgraph with a func.func @main. Errors are diagnostics; then the
  /// result is null.
  mlir::OwningOpRef<mlir::ModuleOp> (*read)(mlir::MLIRContext &context, llvm::StringRef path,
                                            const onnx::ImportOptions &options);
};

/// Adds an importer of a program that embeds the compiler; of two for one ending the later one
/// holds. Before programs are read: the list has no lock.
void registerImporter(const Importer &importer);

/// The importer of the file, or null.
const Importer *findImporter(llvm::StringRef path);

} // namespace tw
