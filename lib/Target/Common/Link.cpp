// Runs lld in this process, one link at a time.
#include "tw/Target/Common/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <mutex>
#include <sys/file.h>
#include <unistd.h>

using namespace llvm;

LLD_HAS_DRIVER(elf)

namespace tw::codegen {

static constexpr StringLiteral folderName = "tensorwright-link";

/// Locks a file in the folder; below zero if there is none or somebody else holds it.
static int lockFile(const Twine &folder, StringRef name, int flags = 0) {
  int file =
      open((folder + "/" + name).str().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    return -1;
  }
  return file;
}

/// Marks a new folder as used: the file gets its name when it is locked, so that nobody finds it
/// before.
static int lockFolder(const Twine &folder) {
  int file = lockFile(folder, "new", O_CREAT);
  if (file >= 0 && sys::fs::rename(folder + "/new", folder + "/lock")) {
    close(file);
    return -1;
  }
  return file;
}

/// Removes folders of processes that are gone. A folder without a lock may be about to get one,
/// unless it is old.
static void removeLeftovers(StringRef place) {
  constexpr std::chrono::minutes longEnough(1);
  std::error_code code;
  for (sys::fs::directory_iterator entry(place, code, /*follow_symlinks=*/false), end;
       !code && entry != end; entry.increment(code)) {
    StringRef path = entry->path();
    sys::fs::file_status status;
    if (!sys::path::filename(path).starts_with(folderName) ||
        sys::fs::status(path, status, /*follow=*/false) || !sys::fs::is_directory(status) ||
        status.getUser() != getuid())
      continue;
    int lock = lockFile(path, "lock");
    bool isOld = status.getLastModificationTime() + longEnough < std::chrono::system_clock::now();
    if (lock >= 0 || (isOld && !sys::fs::exists(path + "/lock")))
      sys::fs::remove_directories(path);
    if (lock >= 0)
      close(lock);
  }
}

PrivateFolder::PrivateFolder(std::string &error) {
  std::error_code code = sys::fs::createUniqueDirectory(folderName, path);
  if (!code && (lock = lockFolder(path)) < 0) {
    code = std::error_code(errno, std::generic_category());
    sys::fs::remove_directories(path);
  }
  if (code) {
    error = "cannot make a temporary folder: " + code.message();
    path.clear();
    return;
  }
  removeLeftovers(sys::path::parent_path(path));
}

PrivateFolder::~PrivateFolder() {
  if (!path.empty())
    sys::fs::remove_directories(path);
  if (lock >= 0)
    close(lock);
}

std::string PrivateFolder::file(StringRef name) const {
  SmallString<128> full(path);
  sys::path::append(full, name);
  return full.str().str();
}

bool writeFile(const std::string &path, StringRef content, std::string &error) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::OF_None);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    error = "cannot write '" + path + "': " + code.message();
  return !code;
}

bool runLinker(ArrayRef<const char *> arguments, std::string &error) {
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  std::string output;
  raw_string_ostream stream(output);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return true;
  error = "the linker failed: " + StringRef(output).trim().str();
  return false;
}

} // namespace tw::codegen
