// A pool of threads for MLIR in which whoever waits works.
#include "tw/Support/ContextWorkers.h"
#include "tw/Support/Workers.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

using namespace tw;

namespace {

class Pool : public llvm::ThreadPoolInterface {
public:
  explicit Pool(unsigned most) : most(most) {}

  ~Pool() override {
    wait();
    {
      std::lock_guard lock(mutex);
      ends = true;
    }
    changed.notify_all();
    threads.join();
  }

  void wait() override {
    std::unique_lock lock(mutex);
    workUntil(
        lock, [&] { return tasks.empty() && running.empty(); }, [](auto &) { return true; });
  }

  void wait(llvm::ThreadPoolTaskGroup &group) override {
    std::unique_lock lock(mutex);
    auto isOfGroup = [&](const Task &task) { return task.group == &group; };
    workUntil(
        lock,
        [&] { return llvm::none_of(tasks, isOfGroup) && !llvm::is_contained(running, &group); },
        isOfGroup);
  }

  unsigned getMaxConcurrency() const override { return most; }

private:
  struct Task {
    llvm::unique_function<void()> run;
    llvm::ThreadPoolTaskGroup *group;
  };

  void asyncEnqueue(llvm::unique_function<void()> run, llvm::ThreadPoolTaskGroup *group) override {
    {
      std::lock_guard lock(mutex);
      tasks.push_back({std::move(run), group});
      // Whoever waits is one of them.
      if (threads.size() + 1 < most)
        threads.start([this] {
          std::unique_lock own(mutex);
          workUntil(
              own, [&] { return ends; }, [](auto &) { return true; });
        });
    }
    changed.notify_all();
  }

  /// Runs tasks that are wanted, until it is done; the lock is held but while one runs.
  void workUntil(std::unique_lock<std::mutex> &lock, llvm::function_ref<bool()> isDone,
                 llvm::function_ref<bool(const Task &)> isWanted) {
    while (!isDone()) {
      auto next = llvm::find_if(tasks, isWanted);
      if (next == tasks.end()) {
        changed.wait(lock);
        continue;
      }
      Task task = std::move(*next);
      tasks.erase(next);
      running.push_back(task.group);
      lock.unlock();
      task.run();
      lock.lock();
      running.erase(llvm::find(running, task.group));
      changed.notify_all();
    }
  }

  const unsigned most;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  /// The group of each task that runs.
  llvm::SmallVector<llvm::ThreadPoolTaskGroup *> running;
  Threads threads;
  bool ends = false;
};

} // namespace

/// All pools of this kind that there are.
static std::pair<std::mutex, llvm::SmallPtrSet<const llvm::ThreadPoolInterface *, 4>> ownPools;

bool ContextWorkers::areOf(mlir::MLIRContext &context) {
  std::lock_guard lock(ownPools.first);
  return context.isMultithreadingEnabled() && ownPools.second.contains(&context.getThreadPool());
}

ContextWorkers::ContextWorkers(mlir::MLIRContext &context) : context(context) {
  unsigned workers = countWorkers();
  if (workers < 2 || context.isMultithreadingEnabled())
    return;
  pool = std::make_unique<Pool>(workers);
  context.setThreadPool(*pool);
  std::lock_guard lock(ownPools.first);
  ownPools.second.insert(pool.get());
}

ContextWorkers::~ContextWorkers() {
  if (!pool)
    return;
  context.disableMultithreading();
  std::lock_guard lock(ownPools.first);
  ownPools.second.erase(pool.get());
}
