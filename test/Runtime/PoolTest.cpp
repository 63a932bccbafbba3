// The host driver's pool: every program runs once, whatever the threads do.
#include "../../lib/Runtime/Drivers/Host/Pool.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tw::runtime;
using tw::runtime::host::Pool;

namespace {

void countProgram(void *user, uint32_t, uint32_t begin, uint32_t end) {
  for (auto *hits = static_cast<uint32_t *>(user); begin < end; ++begin)
    ++hits[begin];
}

/// Jobs of changing size, with breaks that let workers fall asleep.
void drive(Pool &pool, uint32_t seed, unsigned &mistakes) {
  constexpr uint32_t jobs = 600, jobsBetweenBreaks = 100;
  Pool::Caller caller(pool);
  for (uint32_t i = 0; i < jobs; ++i) {
    std::vector<uint32_t> hits((i * 2654435761u + seed) % 257);
    pool.run(caller, uint32_t(hits.size()), countProgram, hits.data());
    for (uint32_t count : hits)
      mistakes += count != 1;
    if (i % jobsBetweenBreaks == 0)
      usleep(400);
  }
}

} // namespace

/// Two callers, as many and more threads than cores: those spin and sleep at once.
TEST(PoolTest, RunsEachProgramOnce) {
  for (uint32_t threads : {1, 2, 3, 5})
    for (uint32_t cores : {1, 8}) {
      Pool pool(defaultAllocator());
      ASSERT_TRUE(pool.start(threads, cores));
      EXPECT_EQ(pool.threadCount(), threads);
      unsigned mistakes[2] = {};
      std::thread other([&] { drive(pool, 7, mistakes[1]); });
      drive(pool, 1, mistakes[0]);
      other.join();
      EXPECT_EQ(mistakes[0] + mistakes[1], 0u) << threads << " threads, " << cores << " cores";
    }
}

/// While a thread is held up by its first program, the others run the rest of its range.
TEST(PoolTest, OthersTakeOverWhatAThreadDoesNotReach) {
  Pool pool(defaultAllocator());
  ASSERT_TRUE(pool.start(2, 2));
  Pool::Caller caller(pool);
  constexpr uint32_t count = 1000;
  struct Job {
    std::atomic<uint32_t> done{0};
    bool timedOut = false;
  } job;
  pool.run(
      caller, count,
      [](void *user, uint32_t, uint32_t begin, uint32_t end) {
        Job &job = *static_cast<Job *>(user);
        // Chunks are small: all but those of the first program's chunk get done meanwhile.
        for (unsigned i = 0; begin == 0 && job.done < count * 9 / 10; ++i) {
          usleep(100);
          if (i > 100'000) {
            job.timedOut = true;
            break;
          }
        }
        job.done += end - begin;
      },
      &job);
  EXPECT_FALSE(job.timedOut);
  EXPECT_EQ(job.done, count);
}

namespace {

/// Members write in turns, and each looks at what all have written in its turn.
struct Turns {
  Pool &pool;
  std::vector<uint32_t> slots;
  std::atomic<uint32_t> mistakes{0}, runs{0};
  uint32_t expected = 0;

  static void run(void *user, uint32_t thread, uint32_t members) {
    Turns &turns = *static_cast<Turns *>(user);
    ++turns.runs;
    if (thread == 0)
      turns.expected += members;
    for (uint32_t turn = 1; turn <= 20; ++turn) {
      turns.slots[thread] = turn;
      turns.pool.barrier(thread, members);
      for (uint32_t member = 0; member < members; ++member)
        turns.mistakes += turns.slots[member] != turn;
      turns.pool.barrier(thread, members);
    }
  }
};

} // namespace

/// Among jobs of the other kind, of two callers, with as many and more threads than cores.
TEST(PoolTest, ThreadsOfATeamWaitForEachOther) {
  for (uint32_t threads : {1, 2, 3, 5})
    for (uint32_t cores : {1, 8}) {
      Pool pool(defaultAllocator());
      ASSERT_TRUE(pool.start(threads, cores));
      unsigned mistakes = 0;
      std::thread other([&] { drive(pool, 7, mistakes); });
      Turns turns{pool, std::vector<uint32_t>(threads)};
      Pool::Caller caller(pool);
      for (uint32_t job = 1; job <= 60; ++job) {
        pool.runTogether(caller, Turns::run, &turns);
        EXPECT_EQ(turns.runs, turns.expected);
        if (job % 20 == 0)
          usleep(400);
      }
      other.join();
      EXPECT_EQ(turns.mistakes + mistakes, 0u) << threads << " threads, " << cores << " cores";
    }
}

/// A job in which a caller stays until another caller's job is over.
TEST(PoolTest, NoCallerWaitsForAnothersJob) {
  for (uint32_t threads : {2, 4}) {
    Pool pool(defaultAllocator());
    ASSERT_TRUE(pool.start(threads, threads));
    struct Jobs {
      Pool &pool;
      std::atomic<bool> begun{false}, over{false};
      bool timedOut = false;
    } jobs{pool};
    std::thread other([&] {
      Pool::Caller caller(pool);
      while (!jobs.begun)
        std::this_thread::yield();
      std::vector<uint32_t> hits(100);
      pool.run(caller, 100, countProgram, hits.data());
      pool.runTogether(caller, [](void *, uint32_t, uint32_t) {}, nullptr);
      EXPECT_EQ(hits, std::vector<uint32_t>(100, 1));
      jobs.over = true;
    });
    Pool::Caller caller(pool);
    pool.run(
        caller, 4,
        [](void *user, uint32_t, uint32_t begin, uint32_t) {
          Jobs &jobs = *static_cast<Jobs *>(user);
          jobs.begun = true;
          for (unsigned i = 0; begin == 0 && !jobs.over && !jobs.timedOut; ++i) {
            usleep(100);
            jobs.timedOut = i > 100'000;
          }
        },
        &jobs);
    EXPECT_FALSE(jobs.timedOut) << threads << " threads";
    other.join();
  }
}

/// Each caller has a core, and they have the workers of the other cores by turns.
TEST(PoolTest, CallersShareTheWorkers) {
  Pool pool(defaultAllocator());
  ASSERT_TRUE(pool.start(3, 3));
  struct Job {
    std::atomic<bool> helped{false};
    std::atomic<uint32_t> most{0};
  };
  auto run = [&](Pool::Caller &caller, Job &job) {
    pool.run(
        caller, 300,
        [](void *user, uint32_t thread, uint32_t, uint32_t) {
          Job &job = *static_cast<Job *>(user);
          job.helped = job.helped || thread != 0;
          for (uint32_t old = job.most;
               old < thread && !job.most.compare_exchange_weak(old, thread);) {
          }
          for (auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
               std::chrono::steady_clock::now() < end;) {
          }
        },
        &job);
  };
  Job jobs[2];
  std::atomic<uint32_t> arrived{0};
  auto call = [&](Job &job) {
    Pool::Caller caller(pool);
    ++arrived;
    while (arrived != 2)
      std::this_thread::yield();
    for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
         !(jobs[0].helped && jobs[1].helped) && std::chrono::steady_clock::now() < end;)
      run(caller, job);
    // The other one stays a caller until both are done.
    ++arrived;
    while (arrived != 4)
      std::this_thread::yield();
  };
  std::thread other([&] { call(jobs[1]); });
  call(jobs[0]);
  other.join();
  EXPECT_TRUE(jobs[0].helped && jobs[1].helped);
  EXPECT_LE(jobs[0].most, 1u) << "the last worker's core is the other caller's";
  EXPECT_LE(jobs[1].most, 1u);
  Pool::Caller caller(pool), second(pool), third(pool);
  Job alone;
  run(caller, alone);
  EXPECT_FALSE(alone.helped) << "each core has a caller";
}

namespace {

/// Called where a thread asks for its CPU, as it does on its ways into jobs and while it spins in a
/// barrier.
std::atomic<void (*)()> onLook{nullptr};

/// Until the flag is set; false after a second.
bool waitFor(const std::atomic<bool> &flag) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!flag)
    if (std::chrono::steady_clock::now() > end)
      return false;
    else
      std::this_thread::yield();
  return true;
}

/// A worker that is on its way into a job which ends without it comes into the next one, a team's,
/// and once more, having seen that one's number, while the caller is not out of it yet.
struct Late {
  std::atomic<bool> holds{false}, isHeld{false}, isOpen{false}, callerWaits{false}, isBack{false};
  std::atomic<uint32_t> runs{0}, looks{0};
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> isCallerDone{false}, isWorkerDone{false};
  static Late *now;

  static void look() {
    Late &late = *now;
    if (std::this_thread::get_id() == late.caller) {
      if (!late.isCallerDone || late.callerWaits.exchange(true))
        return;
      waitFor(late.isBack);
    } else if (late.isWorkerDone) {
      // The first time before it comes in, the second inside.
      if (late.looks.fetch_add(1) == 1)
        late.isBack = true;
    } else if (late.holds && !late.isHeld.exchange(true)) {
      waitFor(late.isOpen);
    }
  }

  static void run(void *user, uint32_t thread, uint32_t) {
    Late &late = *static_cast<Late *>(user);
    if (late.runs.fetch_add(1) == 2) {
      ADD_FAILURE() << "thread " << thread << " runs the team's job twice";
      // The others would wait for it for ever.
      std::_Exit(1);
    }
    late.isOpen = true;
    if (thread == 0) {
      late.isCallerDone = true;
      return;
    }
    waitFor(late.callerWaits);
    late.isWorkerDone = true;
  }
};
Late *Late::now = nullptr;

} // namespace

extern "C" int sched_getcpu() noexcept {
  static auto *real = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "sched_getcpu"));
  if (auto *look = onLook.load())
    look();
  return real();
}

TEST(PoolTest, EachThreadRunsATeamsJobOnce) {
  Pool pool(defaultAllocator());
  ASSERT_TRUE(pool.start(2, 2));
  Pool::Caller caller(pool);
  bool isBack = false;
  // A thread that is held up elsewhere for long makes an attempt void.
  for (unsigned attempt = 0; attempt < 20 && !isBack; ++attempt) {
    pool.runTogether(caller, [](void *, uint32_t, uint32_t) {}, nullptr);
    Late late;
    Late::now = &late;
    onLook = Late::look;
    late.holds = true;
    pool.run(
        caller, 2,
        [](void *user, uint32_t, uint32_t, uint32_t) {
          waitFor(static_cast<Late *>(user)->isHeld);
        },
        &late);
    pool.runTogether(caller, Late::run, &late);
    onLook = nullptr;
    EXPECT_EQ(late.runs, 2u);
    isBack = late.isBack;
    // Nobody looks any more once a job has begun after the hook was taken away.
    pool.runTogether(caller, [](void *, uint32_t, uint32_t) {}, nullptr);
  }
  EXPECT_TRUE(isBack);
}
