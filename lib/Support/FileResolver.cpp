// Maps the files that `#tgraph.file` constants name.
#include "tw/Support/FileResolver.h"

#include "tw/Format/OpenBeneath.h"
#include "tw/Support/ReadFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace tw;
using llvm::StringRef;

FileResolver FileResolver::around(StringRef path, bool followLinks) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return FileResolver(folder.empty() ? "." : folder, llvm::sys::path::filename(path), followLinks);
}

bool FileResolver::isInside(StringRef name) {
  // Modules have no backslashes in paths, which are not theirs to tell apart.
  if (name.empty() || name.contains('\0') || name.contains('\\') ||
      llvm::sys::path::is_absolute(name))
    return false;
  for (auto part = llvm::sys::path::begin(name), end = llvm::sys::path::end(name); part != end;
       ++part)
    if (*part == "..")
      return false;
  return true;
}

std::optional<std::string> FileResolver::getPathFrom(StringRef other) const {
  llvm::SmallString<128> real, above;
  if (llvm::sys::fs::real_path(folder, real) ||
      llvm::sys::fs::real_path(other.empty() ? "." : other, above))
    return std::nullopt;
  StringRef rest = real;
  if (!rest.consume_front(above))
    return std::nullopt;
  if (!rest.empty() && !above.ends_with("/") && !rest.consume_front("/"))
    return std::nullopt;
  return rest.str();
}

llvm::Expected<StringRef> FileResolver::file(StringRef name) {
  if (!isInside(name))
    return llvm::createStringError("file '" + name + "' lies outside the folder '" + folder + "'");
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<llvm::MemoryBuffer> &entry = files[name];
  if (!entry) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    bool anywhere = followLinks || name == named;
    int opened =
        (anywhere ? format::openAnywhere : format::openBeneath)(folder.c_str(), name.str().c_str());
    if (opened < 0 && errno == EXDEV)
      return llvm::createStringError("cannot read '" + path +
                                     "': a symbolic link leads out of the folder '" + folder +
                                     "', which only --follow-links allows");
    auto buffer = mapOpened(opened, path);
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

/// Of whole pages of a mapping; the file has what was in them.
static void dropPages(StringRef bytes) {
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t first = uintptr_t(bytes.begin()) / page * page;
  uintptr_t last = uintptr_t(bytes.end()) / page * page;
  if (first < last)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

llvm::Error FileResolver::visit(StringRef name, uint64_t offset, uint64_t length,
                                llvm::function_ref<bool(StringRef)> visit) {
  constexpr size_t pieceBytes = size_t(8) << 20;
  llvm::Expected<StringRef> all = bytes(name, offset, length);
  if (!all)
    return all.takeError();
  bool isMapped;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isMapped = files[name]->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
  }
  for (StringRef rest = *all; !rest.empty();) {
    StringRef piece = rest.take_front(pieceBytes);
    rest = rest.drop_front(piece.size());
    bool goesOn = visit(piece);
    if (isMapped)
      dropPages(piece);
    if (!goesOn)
      break;
  }
  return llvm::Error::success();
}
