// A pool of threads with static chunks: spins briefly, then sleeps.
#include "Pool.h"
#include "FloatEnvironment.h"

using namespace tw::runtime::host;

/// About 20 microseconds: longer than the gap between two launches of a plan, shorter than what a
/// sleeping thread takes to wake.
static constexpr unsigned spinRounds = 1000;

static void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Waits until `value` is no longer `old`.
static void waitChange(const std::atomic<uint32_t> &value, uint32_t old) {
  for (unsigned i = 0; i < spinRounds; ++i) {
    if (value.load(std::memory_order_acquire) != old)
      return;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
}

bool Pool::start(uint32_t threads) {
  if (!workers.reset(threads > 1 ? threads - 1 : 0))
    return false;
  for (Worker &worker : workers) {
    worker.pool = this;
    worker.thread = started + 1;
    if (pthread_create(&worker.handle, nullptr, work, &worker) != 0)
      break;
    ++started;
  }
  return true;
}

Pool::~Pool() {
  stopping = true;
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  for (uint32_t i = 0; i < started; ++i)
    pthread_join(workers[i].handle, nullptr);
}

void Pool::runChunk(uint32_t thread) const {
  uint64_t threads = threadCount();
  uint32_t begin = uint32_t(uint64_t(count) * thread / threads);
  uint32_t end = uint32_t(uint64_t(count) * (thread + 1) / threads);
  if (begin == end)
    return;
  DefaultFloatEnvironment environment;
  body(user, thread, begin, end);
}

void *Pool::work(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Pool &pool = *worker.pool;
  for (uint32_t seen = 0;;) {
    waitChange(pool.job, seen);
    seen = pool.job.load(std::memory_order_acquire);
    if (pool.stopping)
      return nullptr;
    pool.runChunk(worker.thread);
    if (pool.pending.fetch_sub(1, std::memory_order_acq_rel) == 1)
      pool.pending.notify_one();
  }
}

void Pool::run(uint32_t newCount, Body newBody, void *newUser) {
  if (newCount == 0)
    return;
  if (newCount == 1 || started == 0) {
    DefaultFloatEnvironment environment;
    newBody(newUser, 0, 0, newCount);
    return;
  }
  std::lock_guard lock(mutex);
  body = newBody;
  user = newUser;
  count = newCount;
  pending.store(started, std::memory_order_relaxed);
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  runChunk(0);
  for (uint32_t left; (left = pending.load(std::memory_order_acquire)) != 0;)
    waitChange(pending, left);
}
