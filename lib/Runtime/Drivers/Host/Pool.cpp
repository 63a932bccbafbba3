// A pool of threads: spins for a while, then sleeps; ranges of one's own first, then of others.
#include "Pool.h"
#include "Clock.h"
#include "FloatEnvironment.h"

#include <algorithm>
#include <utility>

using namespace tw::runtime;
using namespace tw::runtime::host;

/// Nanoseconds that a thread spins before it sleeps: longer than the gap between two launches of a
/// plan, and than what a sleeping thread takes to wake, some 50 microseconds. A thread that spun in
/// vain spins less the next time.
static constexpr uint64_t mostSpin = 200'000, leastSpin = 50'000;

/// A range is claimed in about so many chunks: what is left over at the end of a job is small, and
/// a claim, some 20 nanoseconds, is rare.
static constexpr uint32_t chunksPerRange = 32;

/// Nanoseconds between two steps of a worker, each of which takes some tens of thousands: where
/// others keep all CPUs busy, stepping away does not help, and must not cost much.
static constexpr uint64_t stepPause = 1'000'000;

static constexpr uint32_t openBit = 1u << 31;

/// Spins until `value` is no longer `old`, `spin` nanoseconds at most, and gives way to other
/// threads meanwhile if `yields` says so. False if it is `old` still.
template <typename Yields>
static bool spinUntilChange(const std::atomic<uint32_t> &value, uint32_t old, uint64_t spin,
                            Yields yields) {
  constexpr unsigned roundsPerLook = 32;
  for (uint64_t start = spin ? now() : 0; spin;) {
    for (unsigned i = 0; i < roundsPerLook; ++i) {
      if (value.load(std::memory_order_acquire) != old)
        return true;
      relax();
    }
    if (now() - start > spin)
      break;
    if (yields())
      sched_yield();
  }
  return false;
}

bool Pool::start(uint32_t threads, uint32_t cores) {
  if (!workers.reset(threads > 1 ? threads - 1 : 0) || !ranges.reset(threads))
    return false;
  longestSpin = threads > cores ? 0 : mostSpin;
  sayCallerCpu();
  for (Worker &worker : workers) {
    worker.pool = this;
    worker.thread = started + 1;
    if (pthread_create(&worker.handle, nullptr, work, &worker) != 0)
      break;
    ++started;
    // One that begins on this CPU gets to leave it.
    if (longestSpin)
      sched_yield();
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

/// `between` is called after each chunk.
template <typename Between> void Pool::runChunks(uint32_t thread, Between between) {
  DefaultFloatEnvironment environment;
  Chunk chunk;
  for (uint32_t i = 0; i < members; ++i) {
    uint32_t owner = thread + i < members ? thread + i : thread + i - members;
    while (claim(owner, i == 0, chunk)) {
      body(user, thread, chunk.begin, chunk.end);
      between();
    }
  }
}

/// True if it is another than before.
bool Pool::sayCallerCpu() {
  uint32_t cpu = currentCpu();
  if (cpu == callerCpu.load(std::memory_order_relaxed))
    return false;
  callerCpu.store(cpu, std::memory_order_relaxed);
  return true;
}

/// Steps away from the CPU of the caller; a worker that was woken, so that it need not hurry, also
/// from those of workers before it.
void Pool::settle(Worker &worker, bool woken) {
  uint32_t cpu = currentCpu();
  bool shared = cpu == callerCpu.load(std::memory_order_relaxed);
  for (uint32_t i = 1; woken && i < worker.thread; ++i)
    shared |= cpu == ranges[i].cpu.load(std::memory_order_relaxed);
  if (!shared || longestSpin == 0)
    return;
  uint64_t time = now();
  if (time < worker.nextStep)
    return;
  worker.nextStep = time + stepPause;
  CpuSet taken;
  taken.add(callerCpu.load(std::memory_order_relaxed));
  for (uint32_t i = 1; i < ranges.size(); ++i)
    if (i != worker.thread)
      taken.add(ranges[i].cpu.load(std::memory_order_relaxed));
  KeepOff keepOff(cpu, taken);
}

/// Sleeps until there is another job than `seen`, off the CPU of the caller: where a CPU that
/// sleeps does not count as idle (guests of KVM), the scheduler would put the woken thread behind
/// the one that wakes it, and see to that at its next tick.
void Pool::sleep(uint32_t seen) {
  sleepers.fetch_add(1, std::memory_order_relaxed);
  {
    KeepOff keepOff(longestSpin ? callerCpu.load(std::memory_order_relaxed) : nowhere);
    job.wait(seen, std::memory_order_acquire);
  }
  sleepers.fetch_sub(1, std::memory_order_relaxed);
}

/// A worker inside of the job came to the caller's CPU: it gets no further while the caller spins.
bool Pool::waitsForOwnCpu() const {
  uint32_t cpu = currentCpu();
  for (uint32_t i = 1; i <= started; ++i)
    if (ranges[i].cpu.load(std::memory_order_relaxed) == cpu)
      return true;
  return false;
}

/// False if the job goes without this worker.
bool Pool::enter(Worker &worker) {
  bool isMember = true;
  // One that comes when the job is over finds the bit gone and looks at nothing.
  if (inside.fetch_add(1, std::memory_order_acq_rel) & openBit &&
      (isMember = worker.thread < members)) {
    std::atomic<uint32_t> &cpu = ranges[worker.thread].cpu;
    cpu.store(currentCpu(), std::memory_order_relaxed);
    if (!teamBody) {
      runChunks(worker.thread, [&] {
        settle(worker, false);
        cpu.store(currentCpu(), std::memory_order_relaxed);
      });
    } else if (std::exchange(worker.round, round) != round) {
      // One that saw the number of the job before may come in twice.
      runMember(worker.thread);
    }
    cpu.store(nowhere, std::memory_order_relaxed);
  }
  if (inside.fetch_sub(1, std::memory_order_acq_rel) == 1)
    inside.notify_one();
  return isMember;
}

void *Pool::work(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Pool &pool = *worker.pool;
  uint64_t spin = pool.longestSpin;
  pool.settle(worker, true);
  for (uint32_t seen = 0;;) {
    bool slept = !spinUntilChange(pool.job, seen, spin, [] { return false; });
    if (slept)
      pool.sleep(seen);
    spin = slept ? std::max(spin / 2, leastSpin) : std::max(spin * 2, leastSpin);
    spin = std::min(spin, pool.longestSpin);
    seen = pool.job.load(std::memory_order_acquire);
    if (pool.stopping.load(std::memory_order_relaxed))
      return nullptr;
    pool.settle(worker, slept);
    // Its core is another caller's.
    if (!pool.enter(worker))
      spin = 0;
  }
}

/// Workers whose cores no caller needs, and which this one may have.
uint32_t Pool::freeWorkers(const Caller &caller) const {
  uint32_t others = std::max(callers.load(std::memory_order_relaxed), 1u) - 1;
  return std::min(started - std::min(started, others), caller.most - 1);
}

/// Takes the workers for a job, to be given back by unlocking. One that had them for the job before
/// lets others try first.
bool Pool::take(Caller &caller) {
  uint32_t helpers = freeWorkers(caller);
  bool lets =
      std::exchange(caller.hadWorkers, false) && waiting.load(std::memory_order_relaxed) != 0;
  if (helpers == 0 || lets || !mutex.try_lock())
    return false;
  members = helpers + 1;
  return caller.hadWorkers = true;
}

/// Runs a job with the workers; the lock is held.
void Pool::divide(uint32_t first, uint32_t end, Body newBody, void *newUser) {
  uint64_t count = end - first;
  body = newBody;
  teamBody = nullptr;
  user = newUser;
  grain = uint32_t(std::max<uint64_t>(1, count / (members * chunksPerRange)));
  for (uint64_t i = 0; i < members; ++i) {
    uint64_t begin = first + count * i / members, end = first + count * (i + 1) / members;
    ranges[i].left.store(begin << 32 | end, std::memory_order_relaxed);
  }
  open();
  runChunks(0, [this] { sayCallerCpu(); });
  close();
}

void Pool::run(Caller &caller, uint32_t count, Body newBody, void *newUser) {
  if (count == 0)
    return;
  if (uint32_t members = std::min({lent, caller.most, count}); executor.parallel && members > 1)
    return runLent(members, count, newBody, newUser);
  uint32_t begin = 0;
  bool helped = count > 1 && take(caller);
  if (!helped) {
    DefaultFloatEnvironment environment;
    bool waits = count > 1 && freeWorkers(caller) != 0;
    uint32_t chunk = waits ? std::max(1u, count / (threadCount() * chunksPerRange)) : count;
    waiting.fetch_add(waits, std::memory_order_relaxed);
    while (begin < count && !helped) {
      uint32_t end = begin + std::min(chunk, count - begin);
      newBody(newUser, 0, begin, end);
      begin = end;
      helped = begin < count && take(caller);
    }
    waiting.fetch_sub(waits, std::memory_order_relaxed);
  }
  if (helped) {
    divide(begin, count, newBody, newUser);
    mutex.unlock();
  }
}

void Pool::lend(const Executor &newExecutor, uint32_t threads) {
  executor = newExecutor;
  lent = threads;
}

/// Runs a job in threads of the executor.
void Pool::runLent(uint32_t members, uint32_t count, Body newBody, void *newUser) {
  struct Job {
    Body body;
    void *user;
    uint64_t count, grain;
    std::atomic<uint64_t> next{0};

    static void run(void *context, uint32_t thread) {
      Job &job = *static_cast<Job *>(context);
      DefaultFloatEnvironment environment;
      for (uint64_t begin; (begin = job.next.fetch_add(job.grain)) < job.count;)
        job.body(job.user, thread, uint32_t(begin),
                 uint32_t(std::min(begin + job.grain, job.count)));
    }
  };
  Job job = {newBody, newUser, count, std::max(1u, count / (members * chunksPerRange))};
  executor.parallel(executor.user, members, Job::run, &job);
  // What an executor that calls none, or not all, has left.
  Job::run(&job, 0);
}

/// Lets the workers into the job.
void Pool::open() {
  bool moved = sayCallerCpu();
  // Open first: a worker that has seen the number must find the job.
  inside.fetch_or(openBit, std::memory_order_release);
  job.fetch_add(1, std::memory_order_release);
  job.notify_all();
  // One that slept off the CPU where the caller was may wake on the one where it is now.
  if (moved && longestSpin && sleepers.load(std::memory_order_relaxed) != 0)
    sched_yield();
}

/// Lets nobody in any more and waits for those inside.
void Pool::close() {
  inside.fetch_and(~openBit, std::memory_order_acq_rel);
  for (uint32_t left; (left = inside.load(std::memory_order_acquire)) != 0;)
    if (!spinUntilChange(inside, left, longestSpin, [this] { return waitsForOwnCpu(); }))
      inside.wait(left, std::memory_order_acquire);
}

/// The last barrier keeps the job open until everybody has come in.
void Pool::runMember(uint32_t thread) {
  DefaultFloatEnvironment environment;
  teamBody(user, thread, members);
  barrier(thread, members);
}

void Pool::runTogether(Caller &caller, TeamBody newBody, void *newUser) {
  if (!take(caller)) {
    DefaultFloatEnvironment environment;
    newBody(newUser, 0, 1);
    return;
  }
  teamBody = newBody;
  user = newUser;
  ++round;
  open();
  runMember(0);
  close();
  mutex.unlock();
}

void Pool::barrier(uint32_t thread, uint32_t members) {
  if (members == 1)
    return;
  uint32_t old = passed.load(std::memory_order_relaxed);
  if (arrived.fetch_add(1, std::memory_order_acq_rel) == members - 1) {
    arrived.store(0, std::memory_order_relaxed);
    passed.fetch_add(1, std::memory_order_release);
    passed.notify_all();
    return;
  }
  auto sharesCpu = [&] {
    uint32_t cpu = currentCpu();
    (thread == 0 ? callerCpu : ranges[thread].cpu).store(cpu, std::memory_order_relaxed);
    bool shared = thread != 0 && callerCpu.load(std::memory_order_relaxed) == cpu;
    for (uint32_t i = 1; i < members; ++i)
      shared |= i != thread && ranges[i].cpu.load(std::memory_order_relaxed) == cpu;
    return shared;
  };
  while (passed.load(std::memory_order_acquire) == old)
    if (!spinUntilChange(passed, old, longestSpin, sharesCpu))
      passed.wait(old, std::memory_order_acquire);
}
