// Preloaded: the system gives no thread.
#include <cerrno>
#include <pthread.h>

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t *, const pthread_attr_t *,
                                                             void *(*)(void *), void *) noexcept {
  return EAGAIN;
}
