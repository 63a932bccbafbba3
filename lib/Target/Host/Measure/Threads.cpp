// Threads that begin together, and launches without work.
#include "Threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace tw::host;
using namespace tw::host::measure;

using Clock = std::chrono::steady_clock;

/// Waits without a system call for a moment, then lets others have the core.
template <typename Predicate> static void spinUntil(Predicate holds) {
  constexpr int patience = 10000;
  for (int tries = 0; !holds(); ++tries)
    if (tries > patience)
      std::this_thread::yield();
}

double measure::timeTogether(const std::vector<ThreadTask> &tasks) {
  std::atomic<size_t> ready = 0;
  std::atomic<bool> begun = false;
  std::vector<std::thread> threads;
  for (size_t i = 1; i < tasks.size(); ++i)
    threads.emplace_back([&, i] {
      ready.fetch_add(1);
      spinUntil([&] { return begun.load(std::memory_order_acquire); });
      tasks[i]();
    });
  spinUntil([&] { return ready.load() + 1 == tasks.size(); });
  auto start = Clock::now();
  begun.store(true, std::memory_order_release);
  tasks[0]();
  for (std::thread &thread : threads)
    thread.join();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double measure::timeLaunch(unsigned count) {
  constexpr unsigned launches = 101;
  std::atomic<unsigned> launch = 0, answers = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([&] {
      for (unsigned seen = 1; seen <= launches; ++seen) {
        spinUntil([&] { return launch.load(std::memory_order_acquire) >= seen; });
        answers.fetch_add(1, std::memory_order_acq_rel);
      }
    });
  std::vector<double> seconds;
  for (unsigned i = 1; i <= launches; ++i) {
    auto start = Clock::now();
    launch.store(i, std::memory_order_release);
    spinUntil([&] { return answers.load(std::memory_order_acquire) == i * (count - 1); });
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  for (std::thread &thread : threads)
    thread.join();
  std::nth_element(seconds.begin(), seconds.begin() + launches / 2, seconds.end());
  return seconds[launches / 2];
}
