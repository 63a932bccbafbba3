// Bytes of the files that `#tgraph.file` constants name.
//
// A resolver belongs to one folder (the model's). Every file is mapped once, on first use, and
// stays mapped as long as the resolver lives; the references it returns point into the mapping.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <mutex>
#include <string>

namespace tw {

/// Safe to use from several threads.
class FileResolver {
public:
  explicit FileResolver(llvm::StringRef folder) : folder(folder) {}

  llvm::StringRef getFolder() const { return folder; }

  /// The whole file `name`, relative to the folder. Names that leave the folder ("..", absolute)
  /// are refused by isInside(); symbolic links are followed.
  llvm::Expected<llvm::StringRef> file(llvm::StringRef name);

  /// Bytes [offset, offset + length) of file `name`.
  llvm::Expected<llvm::StringRef> bytes(llvm::StringRef name, uint64_t offset, uint64_t length);

  /// Whether `name` is a relative path that stays beneath the folder it starts from.
  static bool isInside(llvm::StringRef name);

private:
  std::string folder;
  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

} // namespace tw
