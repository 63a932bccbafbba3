// Threads that take one number after another.
#include "tw/Support/Workers.h"

#include "llvm/Support/Threading.h"

#include <algorithm>
#include <atomic>
#include <memory>

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

unsigned tw::countWorkers() {
  return std::max(1u, llvm::hardware_concurrency(workersOfThisThread).compute_thread_count());
}

bool tw::Threads::start(std::function<void()> run) {
  auto given = std::make_unique<std::function<void()>>(std::move(run));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  auto call = [](void *function) -> void * {
    std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()> *>(function));
    (*own)();
    return nullptr;
  };
  pthread_t thread;
  bool isGiven = pthread_create(&thread, &attributes, call, given.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (isGiven) {
    given.release();
    all.push_back(thread);
  }
  return isGiven;
}

void tw::Threads::join() {
  for (pthread_t thread : all)
    pthread_join(thread, nullptr);
  all.clear();
}

void tw::shareWork(size_t count, llvm::function_ref<void(size_t)> work) {
  Share share{count, work};
  Threads others;
  while (others.size() + 1 < std::min<size_t>(countWorkers(), count) &&
         others.start([&] { share.take(); })) {
  }
  share.take();
}
