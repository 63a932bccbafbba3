// Files that appear whole or not at all.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tw {

/// Writes `bytes` to a temporary file in the same folder, flushes it to disk, and renames it to
/// `path`: whoever opens `path` finds the old contents or the new, also after a crash or on a full
/// disk. "-" is standard output.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes);
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef text);

/// The folder of a file to be written; empty where nothing becomes a file of a folder: for "-", for
/// devices and pipes.
std::string getOutputFolder(llvm::StringRef path);

} // namespace tw
