// Bytes of the files that `#tgraph.file` constants name.
//
// A resolver belongs to one folder (the model's). Every file is mapped once, on first use, and
// stays mapped as long as the resolver lives; the references it returns point into the mapping.
// Files of others' making name what they like: nothing outside of the folder is opened, be it by
// "..", by an absolute path or by a symbolic link, unless the caller lets links be followed.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tw {

/// Safe to use from several threads.
class FileResolver {
public:
  /// `named` is a file of the folder that the user has named, so that it may be a link to anywhere.
  explicit FileResolver(llvm::StringRef folder, llvm::StringRef named = "",
                        bool followLinks = false)
      : folder(folder), named(named), followLinks(followLinks) {}
  /// Of the folder that a file which the user has named lies in.
  static FileResolver around(llvm::StringRef path, bool followLinks = false);

  llvm::StringRef getFolder() const { return folder; }
  llvm::StringRef getNamed() const { return named; }
  bool followsLinks() const { return followLinks; }

  /// The whole file `name`, relative to the folder.
  llvm::Expected<llvm::StringRef> file(llvm::StringRef name);

  /// Bytes [offset, offset + length) of file `name`.
  llvm::Expected<llvm::StringRef> bytes(llvm::StringRef name, uint64_t offset, uint64_t length);

  /// The same bytes piece by piece, in order, until `visit` returns false. What was visited takes
  /// no memory of the process afterwards: for who reads all of weights of any size.
  llvm::Error visit(llvm::StringRef name, uint64_t offset, uint64_t length,
                    llvm::function_ref<bool(llvm::StringRef piece)> visit);

  /// The path of this folder from `other`, empty for the same one; nothing where it does not lie
  /// beneath. Both are there.
  std::optional<std::string> getPathFrom(llvm::StringRef other) const;

  /// Whether `name` is a relative path that stays beneath the folder it starts from.
  static bool isInside(llvm::StringRef name);

private:
  std::string folder, named;
  bool followLinks;
  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

} // namespace tw
