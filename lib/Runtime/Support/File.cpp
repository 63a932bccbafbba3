// Reading files whole, writing them whole or not at all.
#include "File.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tw::support;

static bool fail(std::string &error, const char *what, const std::string &path) {
  error = std::string(what) + " " + path + ": " + strerror(errno);
  return false;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : data(std::exchange(other.data, nullptr)), size(std::exchange(other.size, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(data, other.data);
  std::swap(size, other.size);
  return *this;
}

MappedFile::~MappedFile() {
  if (data)
    munmap(const_cast<uint8_t *>(data), size);
}

bool MappedFile::open(const std::string &path, std::string &error) {
  // A pipe that nobody writes to is refused, not waited for.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fail(error, "cannot open", path);
  struct stat status;
  bool found = fstat(file, &status) == 0;
  if (found && !S_ISREG(status.st_mode)) {
    error = "cannot open " + path + ": not a regular file";
    close(file);
    return false;
  }
  MappedFile opened;
  if (found && status.st_size > 0) {
    void *mapping = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    found = mapping != MAP_FAILED;
    if (found) {
      opened.data = static_cast<const uint8_t *>(mapping);
      opened.size = size_t(status.st_size);
    }
  }
  if (!found)
    fail(error, "cannot read", path);
  close(file);
  if (found)
    *this = std::move(opened);
  return found;
}

static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(size_t(written));
  }
  return true;
}

/// For pipes and devices, which must not be replaced by files.
static bool writeInPlace(const std::string &path, std::initializer_list<std::string_view> pieces,
                         std::string &error) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return fail(error, "cannot write", path);
  bool written = true;
  for (std::string_view piece : pieces)
    written = written && writeAll(file, piece);
  int number = errno;
  close(file);
  errno = number;
  return written || fail(error, "cannot write", path);
}

bool tw::support::writeFileAtomically(const std::string &given,
                                      std::initializer_list<std::string_view> pieces,
                                      std::string &error, Replace replace) {
  struct stat status;
  bool exists = replace == Replace::Files && stat(given.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return writeInPlace(given, pieces, error);
  // A link stays a link: its file is replaced.
  std::string path = given;
  if (char *resolved = exists ? realpath(given.c_str(), nullptr) : nullptr) {
    path = resolved;
    free(resolved);
  }
  std::string temporary;
  int file = -1;
  for (unsigned attempt = 0; file < 0 && attempt < 100; ++attempt) {
    temporary = path + ".tmp" + std::to_string(getpid()) + "." + std::to_string(attempt);
    file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST)
      break;
  }
  if (file < 0)
    return fail(error, "cannot write", path);
  bool written = true;
  for (std::string_view piece : pieces)
    written = written && writeAll(file, piece);
  written = written && fsync(file) == 0;
  int number = errno;
  if (close(file) != 0 && written) {
    written = false;
    number = errno;
  }
  if (written && rename(temporary.c_str(), path.c_str()) != 0) {
    written = false;
    number = errno;
  }
  if (!written) {
    unlink(temporary.c_str());
    errno = number;
    return fail(error, "cannot write", path);
  }
  size_t slash = path.rfind('/');
  std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  if (int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) {
    fsync(opened);
    close(opened);
  }
  return true;
}

bool tw::support::makeFolders(const std::string &path, std::string &error) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
      return fail(error, "cannot make folder", folder);
    if (slash == path.npos)
      return true;
  }
}
