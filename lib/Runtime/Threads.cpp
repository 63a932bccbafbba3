// Tries whether there are threads.
#include "Threads.h"
#include "Error.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <unistd.h>

TwrtCode tw::runtime::checkThreads(TwrtError *error) {
  constexpr long most = 512;
  long wanted = std::min(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1l) + 2, most), started = 0;
  pthread_t threads[most];
  std::atomic<bool> over = false;
  auto wait = [](void *flag) -> void * {
    static_cast<std::atomic<bool> *>(flag)->wait(false);
    return nullptr;
  };
  int status = 0;
  while (started < wanted && !(status = pthread_create(&threads[started], nullptr, wait, &over)))
    ++started;
  over = true;
  over.notify_all();
  for (long i = 0; i < started; ++i)
    pthread_join(threads[i], nullptr);
  if (status)
    return failSystem(error, "pthread_create", status,
                      "no %ld threads for a driver that may run on the CPU", wanted);
  return TWRT_OK;
}
