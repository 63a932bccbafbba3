// Maps the files that `#tgraph.file` constants name.
#include "tw/Support/FileResolver.h"

#include "tw/Support/ReadFile.h"

#include "llvm/Support/Path.h"

using namespace tw;
using llvm::StringRef;

bool FileResolver::isInside(StringRef name) {
  if (name.empty() || name.contains('\0') || llvm::sys::path::is_absolute(name))
    return false;
  for (auto part = llvm::sys::path::begin(name), end = llvm::sys::path::end(name); part != end;
       ++part)
    if (*part == "..")
      return false;
  return true;
}

llvm::Expected<StringRef> FileResolver::file(StringRef name) {
  if (!isInside(name))
    return llvm::createStringError("file '" + name + "' lies outside the folder '" + folder + "'");
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<llvm::MemoryBuffer> &entry = files[name];
  if (!entry) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    auto buffer = mapFile(path);
    if (!buffer)
      return buffer.takeError();
    entry = std::move(*buffer);
  }
  return entry->getBuffer();
}

llvm::Expected<StringRef> FileResolver::bytes(StringRef name, uint64_t offset, uint64_t length) {
  llvm::Expected<StringRef> all = file(name);
  if (!all)
    return all;
  if (offset > all->size() || length > all->size() - offset)
    return llvm::createStringError("file '" + name + "' has " + llvm::Twine(all->size()) +
                                   " bytes, expected at least " + llvm::Twine(offset) + " + " +
                                   llvm::Twine(length));
  return all->substr(offset, length);
}
