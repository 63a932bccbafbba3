// A pool of threads: spins for a while, then sleeps; ranges of one's own first, then of others.
#include "Pool.h"
#include "Clock.h"
#include "FloatEnvironment.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::host;

/// Nanoseconds that a thread spins before it sleeps: longer than the gap between two launches of a
/// plan, and than what a sleeping thread takes to wake, some 50 microseconds. A thread that spun in
/// vain spins less the next time.
static constexpr uint64_t mostSpin = 200'000, leastSpin = 50'000;

/// A range is claimed in about so many chunks: what is left over at the end of a job is small, and
/// a claim, some 20 nanoseconds, is rare.
static constexpr uint32_t chunksPerRange = 32;

static constexpr uint32_t openBit = 1u << 31;

static void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Waits until `value` is no longer `old`; spins for `spin` nanoseconds at most. False if it slept.
static bool waitChange(const std::atomic<uint32_t> &value, uint32_t old, uint64_t spin) {
  constexpr unsigned roundsPerLook = 32;
  for (uint64_t start = spin ? now() : 0; spin;) {
    for (unsigned i = 0; i < roundsPerLook; ++i) {
      if (value.load(std::memory_order_acquire) != old)
        return true;
      relax();
    }
    if (now() - start > spin)
      break;
  }
  value.wait(old, std::memory_order_acquire);
  return false;
}

bool Pool::start(uint32_t threads, uint32_t cores) {
  if (!workers.reset(threads > 1 ? threads - 1 : 0) || !ranges.reset(threads))
    return false;
  longestSpin = threads > cores ? 0 : mostSpin;
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
  stopping.store(true, std::memory_order_relaxed);
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  for (uint32_t i = 0; i < started; ++i)
    pthread_join(workers[i].handle, nullptr);
}

bool Pool::claim(uint32_t owner, bool front, Chunk &chunk) {
  std::atomic<uint64_t> &left = ranges[owner].left;
  uint64_t old = left.load(std::memory_order_relaxed), rest;
  do {
    uint32_t begin = uint32_t(old >> 32), end = uint32_t(old);
    if (begin == end)
      return false;
    uint32_t size = std::min(grain, end - begin);
    if (front) {
      chunk = {begin, begin + size};
      rest = uint64_t(begin + size) << 32 | end;
    } else {
      chunk = {end - size, end};
      rest = uint64_t(begin) << 32 | (end - size);
    }
  } while (!left.compare_exchange_weak(old, rest, std::memory_order_relaxed));
  return true;
}

void Pool::runChunks(uint32_t thread) {
  DefaultFloatEnvironment environment;
  uint32_t threads = threadCount();
  Chunk chunk;
  for (uint32_t i = 0; i < threads; ++i) {
    uint32_t owner = thread + i < threads ? thread + i : thread + i - threads;
    while (claim(owner, i == 0, chunk))
      body(user, thread, chunk.begin, chunk.end);
  }
}

void Pool::leave() {
  if (inside.fetch_sub(1, std::memory_order_acq_rel) == 1)
    inside.notify_one();
}

void *Pool::work(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Pool &pool = *worker.pool;
  uint64_t spin = pool.longestSpin;
  for (uint32_t seen = 0;;) {
    if (waitChange(pool.job, seen, spin))
      spin = std::min(spin * 2, pool.longestSpin);
    else
      spin = std::min(std::max(spin / 2, leastSpin), pool.longestSpin);
    seen = pool.job.load(std::memory_order_acquire);
    if (pool.stopping.load(std::memory_order_relaxed))
      return nullptr;
    // One that comes when the job is over finds the bit gone and looks at nothing.
    if (pool.inside.fetch_add(1, std::memory_order_acq_rel) & openBit)
      pool.runChunks(worker.thread);
    pool.leave();
  }
}

void Pool::run(uint32_t count, Body newBody, void *newUser) {
  if (count == 0)
    return;
  if (count == 1 || started == 0) {
    DefaultFloatEnvironment environment;
    newBody(newUser, 0, 0, count);
    return;
  }
  std::lock_guard lock(mutex);
  uint64_t threads = threadCount();
  body = newBody;
  user = newUser;
  grain = uint32_t(std::max<uint64_t>(1, count / (threads * chunksPerRange)));
  for (uint64_t i = 0; i < threads; ++i) {
    uint64_t begin = count * i / threads, end = count * (i + 1) / threads;
    ranges[i].left.store(begin << 32 | end, std::memory_order_relaxed);
  }
  // Open first: a worker that has seen the number must find the job.
  inside.fetch_or(openBit, std::memory_order_release);
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  runChunks(0);
  inside.fetch_and(~openBit, std::memory_order_acq_rel);
  for (uint32_t left; (left = inside.load(std::memory_order_acquire)) != 0;)
    waitChange(inside, left, longestSpin);
}
