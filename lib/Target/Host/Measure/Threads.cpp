// Threads that begin together, and launches without work.
#include "Threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <pthread.h>
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

namespace {

/// Threads that are joined in the end. std::thread would end the process where there is none.
class Crew {
public:
  ~Crew() { join(); }

  /// A thread that runs `task`, which outlives it; false if the system gives none.
  bool add(const ThreadTask &task) {
    auto run = [](void *given) -> void * {
      (*static_cast<const ThreadTask *>(given))();
      return nullptr;
    };
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, const_cast<ThreadTask *>(&task)) != 0)
      return false;
    threads.push_back(thread);
    return true;
  }

  void join() {
    for (pthread_t thread : threads)
      pthread_join(thread, nullptr);
    threads.clear();
  }

private:
  std::vector<pthread_t> threads;
};

} // namespace

bool measure::hasThreads(unsigned count) {
  std::atomic<bool> over = false;
  ThreadTask wait = [&] { over.wait(false); };
  Crew crew;
  bool all = true;
  for (unsigned i = 1; i < count && all; ++i)
    all = crew.add(wait);
  over = true;
  over.notify_all();
  return all;
}

double measure::timeTogether(const std::vector<ThreadTask> &tasks) {
  std::atomic<size_t> ready = 0;
  std::atomic<bool> begun = false;
  std::vector<ThreadTask> waiting;
  for (const ThreadTask &task : tasks)
    waiting.push_back([&] {
      ready.fetch_add(1);
      spinUntil([&] { return begun.load(std::memory_order_acquire); });
      task();
    });
  Crew crew;
  size_t started = 0;
  while (started + 1 < tasks.size() && crew.add(waiting[started + 1]))
    ++started;
  spinUntil([&] { return ready.load() == started; });
  auto start = Clock::now();
  begun.store(true, std::memory_order_release);
  tasks[0]();
  for (size_t i = started + 1; i < tasks.size(); ++i)
    tasks[i]();
  crew.join();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double measure::timeLaunch(unsigned count) {
  constexpr unsigned launches = 101;
  std::atomic<unsigned> launch = 0, answers = 0;
  ThreadTask answer = [&] {
    for (unsigned seen = 1; seen <= launches; ++seen) {
      spinUntil([&] { return launch.load(std::memory_order_acquire) >= seen; });
      answers.fetch_add(1, std::memory_order_acq_rel);
    }
  };
  Crew crew;
  unsigned started = 0;
  while (started + 1 < count && crew.add(answer))
    ++started;
  std::vector<double> seconds;
  for (unsigned i = 1; i <= launches; ++i) {
    auto start = Clock::now();
    launch.store(i, std::memory_order_release);
    spinUntil([&] { return answers.load(std::memory_order_acquire) == i * started; });
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  crew.join();
  std::nth_element(seconds.begin(), seconds.begin() + launches / 2, seconds.end());
  return seconds[launches / 2];
}
