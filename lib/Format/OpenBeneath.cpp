// Opens files beneath a folder: by openat2, or folder by folder.
#include "tw/Format/OpenBeneath.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

static constexpr int readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
static constexpr int folderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

static int openFolder(const char *folder) { return open(*folder ? folder : ".", folderFlags); }

/// Closes `folder`, and leaves errno as it is.
static int closeFolder(int folder, int result) {
  int reason = errno;
  close(folder);
  errno = reason;
  return result;
}

int tw::format::openAnywhere(const char *folder, const char *path) {
  int from = openFolder(folder);
  return from < 0 ? from : closeFolder(from, openat(from, path, readFlags));
}

/// Opens one part of a path; a link fails with EXDEV.
static int openPart(int folder, const char *name, int flags) {
  int file = openat(folder, name, flags | O_NOFOLLOW);
  char target;
  if (file < 0 && (errno == ELOOP || errno == ENOTDIR)) {
    int reason = errno;
    errno = readlinkat(folder, name, &target, 1) >= 0 ? EXDEV : reason;
  }
  return file;
}

int tw::format::openWithoutLinks(const char *folder, const char *path) {
  int from = openFolder(folder);
  for (std::string_view rest = path; from >= 0;) {
    char name[NAME_MAX + 1];
    size_t slash = rest.find('/');
    std::string_view part = rest.substr(0, slash);
    if (part.size() > NAME_MAX || part == "..") {
      errno = part == ".." ? EXDEV : ENAMETOOLONG;
      return closeFolder(from, -1);
    }
    memcpy(name, part.data(), part.size());
    name[part.size()] = 0;
    bool last = slash == rest.npos;
    int next = openPart(from, part.empty() ? "." : name, last ? readFlags : folderFlags);
    closeFolder(from, next);
    if (last)
      return next;
    from = next;
    rest.remove_prefix(slash + 1);
  }
  return from;
}

int tw::format::openBeneath(const char *folder, const char *path) {
  int from = openFolder(folder);
  if (from < 0)
    return from;
  open_how how = {};
  how.flags = readFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  int file;
  // Somebody who renames folders all the time is not waited for.
  unsigned tries = 100;
  do
    file = int(syscall(SYS_openat2, from, path, &how, sizeof(how)));
  while (file < 0 && (errno == EAGAIN || errno == EINTR) && --tries);
  closeFolder(from, file);
  // Older kernels do not know the call, filters of containers refuse it.
  return file < 0 && (errno == ENOSYS || errno == EPERM) ? openWithoutLinks(folder, path) : file;
}
