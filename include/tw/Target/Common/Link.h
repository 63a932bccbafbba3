// The linker in this process, and files that tools need for a moment.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tw::codegen {

/// A temporary folder of our own, removed with all its files at the end. One that a killed process
/// left is removed by the next that makes a folder in the same place: the file "lock" in it is
/// locked as long as its process lives.
class PrivateFolder {
public:
  /// On failure sets `error` and is not valid.
  explicit PrivateFolder(std::string &error);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;

  bool valid() const { return !path.empty(); }
  /// The path of a file in it.
  std::string file(llvm::StringRef name) const;

private:
  llvm::SmallString<128> path;
  int lock = -1;
};

/// Writes a file; on failure returns false and sets `error`.
bool writeFile(const std::string &path, llvm::StringRef content, std::string &error);

/// Runs ld.lld with `arguments` (the first is its name). One link runs at a time in a process: lld
/// keeps global state. On failure returns false and sets `error` to what it printed.
bool runLinker(llvm::ArrayRef<const char *> arguments, std::string &error);

} // namespace tw::codegen
