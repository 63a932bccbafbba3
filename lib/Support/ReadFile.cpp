// Files are mapped; pipes are read up to a limit, since they need not end.
#include "tw/Support/ReadFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using sys::fs::file_type;

using Buffer = std::unique_ptr<MemoryBuffer>;

static Error failToRead(StringRef path, const Twine &reason) {
  return createStringError("cannot read '" + path + "': " + reason);
}

static StringRef describeKind(file_type type) {
  switch (type) {
  case file_type::directory_file:
    return "a folder";
  case file_type::fifo_file:
    return "a pipe";
  case file_type::socket_file:
    return "a socket";
  default:
    return "a device";
  }
}

/// At most `limit` bytes, and one more if there are more.
static Expected<SmallVector<char, 0>> readStream(sys::fs::file_t file, StringRef path,
                                                 uint64_t limit) {
  constexpr size_t chunk = 1 << 16;
  SmallVector<char, 0> bytes;
  while (bytes.size() <= limit) {
    size_t size = bytes.size();
    bytes.resize_for_overwrite(size + std::min<uint64_t>(chunk, limit + 1 - size));
    Expected<size_t> count =
        sys::fs::readNativeFile(file, MutableArrayRef<char>(bytes).drop_front(size));
    if (!count)
      return failToRead(path, toString(count.takeError()));
    bytes.truncate(size + *count);
    if (!*count)
      break;
  }
  return bytes;
}

static Expected<Buffer> readOpened(sys::fs::file_t file, StringRef path, uint64_t limit) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(file, status))
    return failToRead(path, error.message());
  auto failSize = [&](const Twine &found) {
    return failToRead(path, "expected at most " + Twine(limit) + " bytes, found " + found);
  };
  file_type type = status.type();
  bool isInput = path == "-";
  if (type == file_type::regular_file && !isInput) {
    if (status.getSize() > limit)
      return failSize(Twine(status.getSize()));
    ErrorOr<Buffer> buffer = MemoryBuffer::getOpenFile(file, path, status.getSize());
    if (!buffer)
      return failToRead(path, buffer.getError().message());
    return std::move(*buffer);
  }
  bool isStream =
      type == file_type::fifo_file || type == file_type::socket_file || isatty(int(file));
  if (!isStream && !isInput)
    return failToRead(path, "expected a file or a pipe, found " + describeKind(type));
  Expected<SmallVector<char, 0>> bytes = readStream(file, path, limit);
  if (!bytes)
    return bytes.takeError();
  if (bytes->size() > limit)
    return failSize("more");
  return MemoryBuffer::getMemBufferCopy(StringRef(bytes->data(), bytes->size()), path);
}

Expected<Buffer> tw::readText(StringRef path, uint64_t limit) {
  if (path == "-")
    return readOpened(sys::fs::getStdinHandle(), path, limit);
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return failToRead(path, toString(file.takeError()));
  Expected<Buffer> text = readOpened(*file, path, limit);
  (void)sys::fs::closeFile(*file);
  return text;
}

static Expected<Buffer> mapStatus(int file, StringRef path) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(file, status))
    return failToRead(path, error.message());
  if (status.type() != file_type::regular_file)
    return failToRead(path, "expected a file, found " + describeKind(status.type()));
  ErrorOr<Buffer> buffer = MemoryBuffer::getOpenFile(file, path, status.getSize(),
                                                     /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failToRead(path, buffer.getError().message());
  return std::move(*buffer);
}

Expected<Buffer> tw::mapOpened(int file, StringRef path) {
  if (file < 0)
    return failToRead(path, std::error_code(errno, std::generic_category()).message());
  Expected<Buffer> buffer = mapStatus(file, path);
  ::close(file);
  return buffer;
}

Expected<Buffer> tw::mapFile(StringRef path) {
  return mapOpened(::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path);
}
