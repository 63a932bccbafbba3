// Reading the files that users name.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tw {

/// The most bytes of a schedule or of a description of a target, and of a program.
inline constexpr uint64_t smallTextLimit = uint64_t(16) << 20;
inline constexpr uint64_t programLimit = uint64_t(1) << 30;

/// The text of a file, a pipe or a terminal, followed by a zero; "-" is standard input. Devices,
/// folders and what holds more than `limit` bytes are refused, in a message that names the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readText(llvm::StringRef path, uint64_t limit);

/// The bytes of a regular file, mapped. What is none is refused, in a message that names the path.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mapFile(llvm::StringRef path);

/// The same of a file that is open, and closed by this; one below zero could not be opened, for the
/// reason in errno.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mapOpened(int file, llvm::StringRef path);

} // namespace tw
