// Threads that take one number after another.
#include "tw/Support/Workers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Threading.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>

using tw::Workers;

static thread_local unsigned workersOfThisThread = 1;

Workers::Workers(unsigned count) : before(workersOfThisThread) { workersOfThisThread = count; }
Workers::~Workers() { workersOfThisThread = before; }

namespace {

constexpr size_t kStackBytes = size_t(8) << 20;

struct Share {
  size_t count;
  llvm::function_ref<void(size_t)> work;
  std::atomic<size_t> next = 0;

  void take() {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  }
};

} // namespace

void tw::shareWork(size_t count, llvm::function_ref<void(size_t)> work) {
  Share share{count, work};
  size_t all = llvm::hardware_concurrency(workersOfThisThread).compute_thread_count();
  llvm::SmallVector<pthread_t> others;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  auto help = [](void *given) -> void * {
    static_cast<Share *>(given)->take();
    return nullptr;
  };
  while (others.size() + 1 < std::min(all, count)) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, help, &share) != 0)
      break;
    others.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  share.take();
  for (pthread_t thread : others)
    pthread_join(thread, nullptr);
}
