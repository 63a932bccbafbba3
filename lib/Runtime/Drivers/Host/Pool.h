// Threads that run the programs of a launch together with the caller.
#pragma once

#include "Memory.h"

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace tw::runtime::host {

/// Splits [0, count) into one contiguous chunk per thread. Which thread runs what depends on the
/// numbers alone, and programs are independent: results do not depend on the number of threads.
/// One job at a time; others wait.
class Pool {
public:
  using Body = void (*)(void *user, uint32_t thread, uint32_t begin, uint32_t end);

  explicit Pool(const Allocator &allocator) : workers(allocator) {}
  ~Pool();

  /// Starts `threads` - 1 workers, or as many as the system gives. False if there is no memory.
  bool start(uint32_t threads);
  uint32_t threadCount() const { return started + 1; }

  /// Runs body on chunks that cover [0, count), the caller being thread 0; returns when all are
  /// done. Floating-point environments are the default during the body.
  void run(uint32_t count, Body body, void *user);

private:
  struct Worker {
    Pool *pool = nullptr;
    uint32_t thread = 0;
    pthread_t handle = {};
  };
  static void *work(void *argument);
  void runChunk(uint32_t thread) const;

  Array<Worker> workers;
  uint32_t started = 0;
  std::mutex mutex;
  Body body = nullptr;
  void *user = nullptr;
  uint32_t count = 0;
  bool stopping = false;
  /// Grows with each job: what the workers wait for.
  std::atomic<uint32_t> job{0};
  /// Workers that have not finished the job: what the caller waits for.
  std::atomic<uint32_t> pending{0};
};

} // namespace tw::runtime::host
