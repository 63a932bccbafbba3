// Threads that leave a CPU, and a pool that does so for its caller.
#include "../../lib/Runtime/Drivers/Host/Placement.h"
#include "../../lib/Runtime/Clock.h"
#include "../../lib/Runtime/Drivers/Host/Pool.h"

#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tw::runtime;
using namespace tw::runtime::host;

namespace {

cpu_set_t maskOf(std::initializer_list<uint32_t> cpus) {
  CpuSet set;
  for (uint32_t cpu : cpus)
    set.add(cpu);
  return set.set;
}

void setMask(const cpu_set_t &mask) { ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0); }

/// That of the calling thread.
cpu_set_t mask() {
  cpu_set_t found;
  EXPECT_EQ(sched_getaffinity(0, sizeof(found), &found), 0);
  return found;
}

bool same(const cpu_set_t &a, const cpu_set_t &b) { return CPU_EQUAL(&a, &b); }

/// The CPUs that the tests may use, in order.
std::vector<uint32_t> cpus() {
  cpu_set_t allowed = mask();
  std::vector<uint32_t> found;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed))
      found.push_back(cpu);
  return found;
}

/// In a thread of its own, whose mask is nobody else's.
void inThread(const std::function<void()> &test) { std::thread(test).join(); }

/// Runs until `done` says so of a job, which gets the worker's CPU; false after ten seconds.
bool runUntil(Pool &pool, const std::function<void()> &inWorker,
              const std::function<bool()> &done) {
  Pool::Caller caller(pool);
  for (uint64_t start = now(); now() - start < 10'000'000'000;) {
    pool.run(
        caller, 64,
        [](void *user, uint32_t thread, uint32_t, uint32_t) {
          if (thread == 1)
            (*static_cast<const std::function<void()> *>(user))();
          for (uint64_t begin = now(); now() - begin < 5'000;) {
          }
        },
        const_cast<std::function<void()> *>(&inWorker));
    if (done())
      return true;
  }
  return false;
}

} // namespace

TEST(KeepOff, DoesNothingWithOneCpu) {
  inThread([] {
    uint32_t cpu = cpus()[0];
    cpu_set_t one = maskOf({cpu});
    setMask(one);
    {
      KeepOff keepOff(cpu);
      EXPECT_FALSE(keepOff.holds());
      EXPECT_TRUE(same(mask(), one));
    }
    EXPECT_TRUE(same(mask(), one));
    EXPECT_EQ(currentCpu(), cpu);
  });
}

TEST(KeepOff, DoesNothingForCpusThatTheThreadIsNotAllowed) {
  inThread([] {
    uint32_t only = cpus()[0];
    cpu_set_t before = maskOf({only});
    setMask(before);
    for (uint32_t cpu : {nowhere, uint32_t(CPU_SETSIZE), only + 1}) {
      KeepOff keepOff(cpu);
      EXPECT_FALSE(keepOff.holds());
      EXPECT_TRUE(same(mask(), before));
    }
  });
}

TEST(KeepOff, MovesTheThreadAndGivesItsMaskBack) {
  std::vector<uint32_t> all = cpus();
  if (all.size() < 2)
    GTEST_SKIP() << "one CPU";
  inThread([&] {
    cpu_set_t two = maskOf({all[0], all[1]});
    for (uint32_t cpu : {all[0], all[1]}) {
      setMask(maskOf({cpu}));
      setMask(two);
      {
        KeepOff keepOff(cpu);
        EXPECT_TRUE(keepOff.holds());
        EXPECT_EQ(currentCpu(), all[0] + all[1] - cpu);
      }
      EXPECT_TRUE(same(mask(), two));
    }
  });
}

/// Taken CPUs are left out as long as another remains.
TEST(KeepOff, AvoidsTakenCpus) {
  std::vector<uint32_t> all = cpus();
  if (all.size() < 2)
    GTEST_SKIP() << "one CPU";
  inThread([&] {
    CpuSet taken;
    for (size_t i = 0; i + 1 < all.size(); ++i)
      taken.add(all[i]);
    {
      KeepOff keepOff(all[0], taken);
      EXPECT_EQ(currentCpu(), all.back());
    }
    taken.add(all.back());
    KeepOff keepOff(all[0], taken);
    EXPECT_TRUE(keepOff.holds());
    EXPECT_NE(currentCpu(), all[0]);
  });
}

TEST(KeepOff, LeavesAMaskThatSomebodySetMeanwhile) {
  std::vector<uint32_t> all = cpus();
  if (all.size() < 2)
    GTEST_SKIP() << "one CPU";
  inThread([&] {
    cpu_set_t pinned = maskOf({all[0]});
    {
      KeepOff keepOff(all[0]);
      setMask(pinned);
    }
    EXPECT_TRUE(same(mask(), pinned));
  });
}

/// A worker that is put on the CPU of its caller, which cannot leave it, comes to another.
TEST(PoolPlacement, AWorkerLeavesTheCallersCpu) {
  std::vector<uint32_t> all = cpus();
  if (all.size() < 2)
    GTEST_SKIP() << "one CPU";
  inThread([&] {
    cpu_set_t two = maskOf({all[0], all[1]});
    setMask(two);
    Pool pool(defaultAllocator());
    ASSERT_TRUE(pool.start(2, 2));
    setMask(maskOf({all[0]}));
    std::atomic<uint32_t> put{0}, moved{0};
    bool restored = true;
    EXPECT_TRUE(runUntil(
        pool,
        [&] {
          restored &= same(mask(), two);
          if (put < 20 && put <= moved) {
            ++put;
            setMask(maskOf({all[0]}));
            setMask(two);
          } else if (moved < put && currentCpu() == all[1]) {
            ++moved;
          }
        },
        [&] { return moved == 20; }));
    EXPECT_TRUE(restored);
  });
}

/// Threads that somebody pinned to one CPU stay there, and all is done.
TEST(PoolPlacement, PinnedThreadsStay) {
  inThread([] {
    uint32_t cpu = cpus()[0];
    Pool pool(defaultAllocator());
    ASSERT_TRUE(pool.start(2, 2));
    cpu_set_t one = maskOf({cpu});
    setMask(one);
    uint32_t jobs = 0, entered = 0;
    bool pinned = false, stayed = true;
    EXPECT_TRUE(runUntil(
        pool,
        [&] {
          if (!pinned)
            setMask(one);
          pinned = true;
          stayed &= same(mask(), one) && currentCpu() == cpu;
          ++entered;
        },
        [&] { return ++jobs >= 100 && entered >= 10; }));
    EXPECT_TRUE(stayed);
    EXPECT_TRUE(same(mask(), one));
  });
}

/// One thread's calls after another's, on other CPUs each time, with breaks for the worker to
/// sleep.
TEST(PoolPlacement, CallersMove) {
  std::vector<uint32_t> all = cpus();
  Pool pool(defaultAllocator());
  ASSERT_TRUE(pool.start(2, uint32_t(all.size())));
  for (uint32_t i = 0; i < 40; ++i)
    inThread([&] {
      setMask(maskOf({all[i % all.size()]}));
      std::vector<uint32_t> hits(100 + i);
      Pool::Caller caller(pool);
      pool.run(
          caller, uint32_t(hits.size()),
          [](void *user, uint32_t, uint32_t begin, uint32_t end) {
            for (auto *hits = static_cast<uint32_t *>(user); begin < end; ++begin)
              ++hits[begin];
          },
          hits.data());
      for (uint32_t count : hits)
        EXPECT_EQ(count, 1u);
      if (i % 2)
        usleep(500);
    });
}
