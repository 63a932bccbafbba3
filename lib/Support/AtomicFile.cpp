// Temp file, write, fsync, rename, fsync of the folder.
#include "tw/Support/AtomicFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace {

Error failToWrite(StringRef path, int code) {
  return createStringError(std::error_code(code, std::generic_category()), "cannot write '%s': %s",
                           path.str().c_str(), std::generic_category().message(code).c_str());
}

} // namespace

Error tw::writeFileAtomically(StringRef path, ArrayRef<uint8_t> bytes) {
  if (path == "-") {
    outs().write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    outs().flush();
    int failure = outs().error().value();
    outs().clear_error();
    return failure ? failToWrite("standard output", failure) : Error::success();
  }
  // Devices and pipes are written in place: there is no old file to keep.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status)) {
    if (sys::fs::is_directory(status))
      return failToWrite(path, EISDIR);
    std::error_code code;
    raw_fd_ostream stream(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                          sys::fs::OF_None);
    if (code)
      return failToWrite(path, code.value());
    stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    stream.close();
    int failure = stream.error().value();
    stream.clear_error();
    return failure ? failToWrite(path, failure) : Error::success();
  }
  SmallString<128> temporary;
  int descriptor;
  if (std::error_code code = sys::fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, temporary))
    return failToWrite(path, code.value());
  int failure = 0;
  while (!bytes.empty() && !failure) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0)
      bytes = bytes.drop_front(written);
    else if (errno != EINTR)
      failure = errno;
  }
  if (!failure && ::fsync(descriptor))
    failure = errno;
  if (::close(descriptor) && !failure)
    failure = errno;
  if (!failure && ::rename(temporary.c_str(), path.str().c_str()))
    failure = errno;
  if (failure) {
    sys::fs::remove(temporary);
    return failToWrite(path, failure);
  }
  SmallString<128> folder(path);
  sys::path::remove_filename(folder);
  int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return Error::success();
}

std::string tw::getOutputFolder(StringRef path) {
  sys::fs::file_status status;
  bool inPlace =
      path.empty() || path == "-" ||
      (!sys::fs::status(path, status) && sys::fs::exists(status) && !is_regular_file(status));
  StringRef folder = sys::path::parent_path(path);
  return inPlace ? "" : folder.empty() ? "." : folder.str();
}

Error tw::writeFileAtomically(StringRef path, StringRef text) {
  return writeFileAtomically(
      path, ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}
