// Threads that run the programs of a launch together with the caller.
#pragma once

#include "Driver.h"
#include "Memory.h"
#include "Placement.h"

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace tw::runtime::host {

/// Splits [0, count) into one contiguous range per thread, so that a thread keeps the data of
/// neighbours and of the same programs from launch to launch. Each claims small chunks from the
/// front of its own range, then from the backs of the ranges of others: programs of uneven cost, a
/// thread that other work holds up or that is still waking, delay a launch by a chunk at most.
/// Which thread runs a program is left to chance; programs are independent, so results are not.
///
/// Callers share the pool: each keeps a core for itself, and the workers of the other cores help
/// one of them at a time. A caller that finds them busy runs its programs alone, chunk by chunk,
/// and takes the workers for what is left as soon as they are free; one that had them for the job
/// before lets others try first. Nobody waits for another caller's job.
///
/// The scheduler may wake a worker on the CPU where the caller runs, and leave both there though
/// others are idle. A worker that finds itself on the CPU of the caller, or of a worker before it,
/// steps away (Placement.h), and one that sleeps keeps off the caller's; a caller that waits for
/// one on its own CPU gives way to it. Masks that threads have are respected.
///
/// Or there are no workers: an executor of somebody else's runs jobs in its threads, each of which
/// claims chunks from the front of what is left, and nothing above is about those.
class Pool {
public:
  using Body = void (*)(void *user, uint32_t thread, uint32_t begin, uint32_t end);

  explicit Pool(const Allocator &allocator) : workers(allocator), ranges(allocator) {}
  ~Pool();

  /// Starts `threads` - 1 workers, or as many as the system gives. With more threads than `cores`
  /// nobody spins or steps away. False if there is no memory.
  bool start(uint32_t threads, uint32_t cores);
  /// Instead: jobs run in at most `threads` threads of `executor`.
  void lend(const Executor &executor, uint32_t threads);
  uint32_t threadCount() const { return executor.parallel ? lent : started + 1; }

  /// A thread that runs jobs while this lives, so that the others leave it a core.
  class Caller {
  public:
    /// With at most `most` threads, itself included; 0: all there are.
    explicit Caller(Pool &pool, uint32_t most = 0) : pool(pool), most(most ? most : UINT32_MAX) {
      pool.callers.fetch_add(1);
    }
    ~Caller() { pool.callers.fetch_sub(1); }
    Caller(const Caller &) = delete;
    Caller &operator=(const Caller &) = delete;

  private:
    friend Pool;
    Pool &pool;
    uint32_t most;
    /// Had the workers for its last job.
    bool hadWorkers = false;
  };

  /// Runs body on chunks that cover [0, count), the caller being thread 0; returns when all are
  /// done. One thread gets one chunk. Floating-point environments are the default during the body.
  void run(Caller &caller, uint32_t count, Body body, void *user);

  /// Runs body once in each of some threads, the caller being thread 0 of `members`, all at the
  /// same time; returns when all are done. Only such bodies may wait for each other.
  using TeamBody = void (*)(void *user, uint32_t thread, uint32_t members);
  void runTogether(Caller &caller, TeamBody body, void *user);
  /// Called by `thread` of `members` in such a body: returns once every one has called it as often.
  /// What each has written before is then seen by all. Spins as a worker does, then sleeps.
  void barrier(uint32_t thread, uint32_t members);

private:
  struct Worker {
    Pool *pool = nullptr;
    uint32_t thread = 0;
    pthread_t handle = {};
    /// When it may step away again.
    uint64_t nextStep = 0;
    /// The last of the jobs for all threads that it has run.
    uint32_t round = 0;
  };
  struct alignas(64) Range {
    /// What is left of a thread's programs: the first in the upper half, the end in the lower one.
    std::atomic<uint64_t> left{0};
    /// The CPU of a worker that is inside of the job.
    std::atomic<uint32_t> cpu{nowhere};
  };
  struct Chunk {
    uint32_t begin, end;
  };
  static void *work(void *argument);
  uint32_t freeWorkers(const Caller &caller) const;
  void runLent(uint32_t members, uint32_t count, Body body, void *user);
  bool take(Caller &caller);
  void divide(uint32_t begin, uint32_t end, Body body, void *user);
  bool claim(uint32_t owner, bool front, Chunk &chunk);
  template <typename Between> void runChunks(uint32_t thread, Between between);
  bool sayCallerCpu();
  void sleep(uint32_t seen);
  void settle(Worker &worker, bool woken);
  bool waitsForOwnCpu() const;
  void open();
  void close();
  void runMember(uint32_t thread);
  bool enter(Worker &worker);

  Array<Worker> workers;
  Array<Range> ranges;
  uint32_t started = 0;
  Executor executor;
  uint32_t lent = 1;
  /// Of the caller that the workers help.
  std::mutex mutex;
  uint64_t longestSpin = 0;
  std::atomic<bool> stopping{false};
  std::atomic<uint32_t> callers{0};
  /// Those that run a job without workers and would have some.
  std::atomic<uint32_t> waiting{0};
  /// Grows with each job: what the workers wait for.
  alignas(64) std::atomic<uint32_t> job{0};
  /// Where the caller runs; beside what the workers wait for, as all that they need of a job: a line
  /// of another core's takes a quarter of a microsecond where cores are far apart.
  std::atomic<uint32_t> callerCpu{nowhere};
  /// Threads that take part: the caller and the first workers.
  uint32_t members = 1;
  /// Programs of a chunk.
  uint32_t grain = 1;
  /// Of a job that is divided; of one that each thread runs, `teamBody` and its number among those.
  Body body = nullptr;
  TeamBody teamBody = nullptr;
  void *user = nullptr;
  uint32_t round = 0;
  /// Workers inside of the job, and a bit that lets them in. The fields of a job change only while
  /// nobody is inside and the bit is not set; what the caller waits for is zero.
  alignas(64) std::atomic<uint32_t> inside{0};
  std::atomic<uint32_t> sleepers{0};
  /// Threads that have come to the barrier, and how often all have.
  alignas(64) std::atomic<uint32_t> arrived{0};
  alignas(64) std::atomic<uint32_t> passed{0};
};

} // namespace tw::runtime::host
