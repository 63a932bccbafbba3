// Loaded before a program (LD_PRELOAD), kills it before its Nth call that changes a file: N is
// TENSORWRIGHT_KILL_AT. Without it, or with one beyond the last call, the program runs on; the number
// of calls is then written to the file TENSORWRIGHT_KILL_COUNT, if given.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static std::atomic<long> calls{0};

static void before() {
  static const char *at = getenv("TENSORWRIGHT_KILL_AT");
  if (++calls == (at ? atol(at) : -1))
    kill(getpid(), SIGKILL);
}

__attribute__((destructor)) static void report() {
  long total = calls;
  const char *path = getenv("TENSORWRIGHT_KILL_COUNT");
  if (FILE *file = path ? fopen(path, "w") : nullptr) {
    fprintf(file, "%ld\n", total);
    fclose(file);
  }
}

#define TW_BEFORE(result, name, parameters, arguments)                                             \
  extern "C" __attribute__((visibility("default"))) result name parameters {                       \
    static auto next = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name));            \
    before();                                                                                      \
    return next arguments;                                                                         \
  }

TW_BEFORE(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
TW_BEFORE(ssize_t, writev, (int fd, const iovec *parts, int count), (fd, parts, count))
TW_BEFORE(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
TW_BEFORE(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at),
          (fd, data, size, at))
TW_BEFORE(int, ftruncate, (int fd, off_t size), (fd, size))
TW_BEFORE(int, ftruncate64, (int fd, off64_t size), (fd, size))
TW_BEFORE(int, fsync, (int fd), (fd))
TW_BEFORE(int, fdatasync, (int fd), (fd))
TW_BEFORE(int, rename, (const char *from, const char *to), (from, to))
TW_BEFORE(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
TW_BEFORE(int, link, (const char *from, const char *to), (from, to))
TW_BEFORE(int, linkat, (int a, const char *from, int b, const char *to, int flags),
          (a, from, b, to, flags))
TW_BEFORE(int, unlink, (const char *path), (path))
TW_BEFORE(int, mkstemp, (char *pattern), (pattern))
TW_BEFORE(int, mkdir, (const char *path, mode_t mode), (path, mode))
TW_BEFORE(int, fchmod, (int fd, mode_t mode), (fd, mode))
