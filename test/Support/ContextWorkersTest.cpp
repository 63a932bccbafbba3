// MLIR's passes on this thread's workers.
#include "tw/Support/ContextWorkers.h"
#include "tw/Support/Workers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Threading.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>

namespace {

TEST(ContextWorkers, SafeForThreadsWhileThisLives) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::Workers three(3);
  {
    tw::ContextWorkers workers(context);
    EXPECT_TRUE(context.isMultithreadingEnabled());
    EXPECT_EQ(context.getNumThreads(), 3u);
    // Types that are made together are one.
    std::vector<mlir::Type> types(1000);
    mlir::parallelFor(&context, 0, types.size(),
                      [&](size_t i) { types[i] = mlir::IntegerType::get(&context, 100 + i % 7); });
    for (size_t i = 0; i < types.size(); ++i)
      EXPECT_EQ(types[i], mlir::IntegerType::get(&context, 100 + i % 7)) << i;
    tw::ContextWorkers inner(context);
  }
  EXPECT_FALSE(context.isMultithreadingEnabled());
  EXPECT_EQ(context.getNumThreads(), 1u);
}

TEST(ContextWorkers, AsManyTogetherAsAskedFor) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::Workers two(2);
  tw::ContextWorkers workers(context);
  std::atomic<int> begun = 0;
  mlir::parallelFor(&context, 0, 2, [&](size_t) {
    ++begun;
    while (begun < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ContextWorkers, WhoWaitsInATaskWorks) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::Workers three(3);
  tw::ContextWorkers workers(context);
  std::atomic<int> done = 0;
  mlir::parallelFor(&context, 0, 20, [&](size_t) {
    mlir::parallelFor(&context, 0, 20,
                      [&](size_t) { mlir::parallelFor(&context, 0, 5, [&](size_t) { ++done; }); });
  });
  EXPECT_EQ(done, 2000);
}

// Without address space for stacks there are no other threads.
TEST(ContextWorkers, DoesWithoutThreads) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 1 << 20;
  std::atomic<int> calls = 0;
  tw::Workers several(8);
  {
    tw::ContextWorkers workers(context);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    mlir::parallelFor(&context, 0, 20, [&](size_t) { ++calls; });
    setrlimit(RLIMIT_AS, &before);
  }
  EXPECT_EQ(calls, 20);
}

TEST(ContextWorkers, NothingWithoutWorkers) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::ContextWorkers workers(context);
  EXPECT_FALSE(context.isMultithreadingEnabled());
}

TEST(ContextWorkers, OwnersThreadsStay) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::StdThreadPool pool(llvm::hardware_concurrency(5));
  context.setThreadPool(pool);
  tw::Workers three(3);
  { tw::ContextWorkers workers(context); }
  EXPECT_TRUE(context.isMultithreadingEnabled());
  EXPECT_EQ(&context.getThreadPool(), &pool);
  context.disableMultithreading();
}

} // namespace
