// Sharing work among threads: every number once, whatever the threads.
#include "tw/Support/Workers.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

TEST(Workers, EachNumberOnce) {
  for (unsigned workers : {0u, 1u, 3u, 100u})
    for (size_t count : {0u, 1u, 2u, 50u}) {
      std::vector<std::atomic<int>> calls(count);
      tw::Workers several(workers);
      tw::shareWork(count, [&](size_t i) { ++calls[i]; });
      for (size_t i = 0; i < count; ++i)
        EXPECT_EQ(calls[i], 1) << i << " of " << count << " by " << workers;
    }
}

TEST(Workers, AsManyTogetherAsAskedFor) {
  // Neither call returns before the other has begun.
  std::atomic<int> begun = 0;
  tw::Workers two(2);
  tw::shareWork(2, [&](size_t) {
    ++begun;
    while (begun < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(Workers, AloneUnlessToldOtherwise) {
  auto expectAlone = [] {
    tw::shareWork(4, [caller = std::this_thread::get_id()](size_t) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
    });
  };
  expectAlone();
  {
    tw::Workers several(4);
    tw::Workers alone(1);
    expectAlone();
    // What is told in one thread holds in that thread.
    std::thread(expectAlone).join();
  }
  expectAlone();
}

// Without address space for stacks there are no other threads.
TEST(Workers, DoesWithoutThreads) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 1 << 20;
  std::atomic<int> calls = 0;
  tw::Workers several(8);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  tw::shareWork(20, [&](size_t) { ++calls; });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(calls, 20);
}

} // namespace
