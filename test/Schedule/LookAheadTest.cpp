// What is joined does not depend on the threads that look ahead.
#include "LookAhead.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Support/ContextWorkers.h"
#include "tw/Support/Workers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "gtest/gtest.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

constexpr unsigned kLayers = 20, kKernelsOfLayer = 3;

/// Softmax of rows, from its parts, so many times with other extents.
std::string makeLayers() {
  std::string arguments, types, results, body;
  llvm::raw_string_ostream os(body);
  for (unsigned layer = 0; layer < kLayers; ++layer) {
    std::string n = std::to_string(layer), rows = std::to_string(8 + layer / 2);
    std::string type = "tensor<" + rows + "x" + std::to_string(40 + 8 * (layer % 5)) + "xf32>";
    std::string axes = "(%i : " + rows + ", %j : " + std::to_string(40 + 8 * (layer % 5)) + ")";
    llvm::StringRef comma = layer ? ", " : "";
    arguments += (comma + "%x" + n + ": " + type).str();
    types += (comma + type).str();
    results += (comma + "%y" + n).str();
    os << "%e" << n << " = tkernel.kernel " << axes << " reads(%a = %x" << n << " : " << type
       << ") -> " << type << " {\n%0 = tkernel.load %a[%i, %j] : " << type
       << "\n%1 = math.exp %0 : f32\ntkernel.store %1, 0[%i, %j] : f32\n}\n"
       << "%s" << n << " = tkernel.kernel " << axes << " reads(%a = %e" << n << " : " << type
       << ") -> tensor<" << rows << "xf32> {\n%0 = tkernel.load %a[%i, %j] : " << type
       << "\n%1 = tkernel.reduce addf %0 over (%j) : f32\ntkernel.store %1, 0[%i] : f32\n}\n"
       << "%y" << n << " = tkernel.kernel " << axes << " reads(%a = %e" << n << " : " << type
       << ", %b = %s" << n << " : tensor<" << rows << "xf32>) -> " << type
       << " {\n%0 = tkernel.load %a[%i, %j] : " << type << "\n%1 = tkernel.load %b[%i] : tensor<"
       << rows << "xf32>\n%2 = arith.divf %0, %1 : f32\ntkernel.store %2, 0[%i, %j] : f32\n}\n";
  }
  return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "return " + results +
         " : " + types + "\n}\n";
}

class LookAheadTest : public testing::Test {
protected:
  LookAheadTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(makeLayers(), &context);
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    registerPasses();
    return registry;
  }

  mlir::Block &getBlock() {
    return cast<FunctionOpInterface>(module->getBody()->front()).getFunctionBody().front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(LookAheadTest, TakesEachPartOnce) {
  Workers four(4);
  ContextWorkers workers(context);
  std::mutex mutex;
  std::set<unsigned> taken;
  {
    schedule::LookAhead ahead(getBlock(), [&](schedule::LookAhead &ahead, mlir::Block &copy) {
      SmallVector<KernelOp> kernels(copy.getOps<KernelOp>());
      EXPECT_EQ(kernels.size(), kLayers * kKernelsOfLayer);
      EXPECT_NE(&copy, &getBlock());
      for (auto part = ahead.takePart(kernels); !part.empty(); part = ahead.takePart(kernels)) {
        std::lock_guard lock(mutex);
        for (KernelOp kernel : part)
          EXPECT_TRUE(taken.insert(llvm::find(kernels, kernel) - kernels.begin()).second);
      }
    });
    for (size_t known = 0; known == 0; std::this_thread::yield()) {
      std::lock_guard lock(mutex);
      known = taken.size();
    }
  }
  EXPECT_TRUE(taken.count(0));
}

TEST_F(LookAheadTest, LeavesWhatOthersHaveReached) {
  Workers two(2);
  ContextWorkers workers(context);
  SmallVector<KernelOp> kernels(getBlock().getOps<KernelOp>());
  schedule::LookAhead ahead(getBlock(), [](schedule::LookAhead &, mlir::Block &) {});
  ahead.setLeft(17);
  EXPECT_EQ(ahead.takePart(kernels).front(), kernels[0]);
  EXPECT_EQ(ahead.takePart(kernels).front(), kernels[8]);
  EXPECT_TRUE(ahead.takePart(kernels).empty());
}

/// Who waits on threads of another pool may run any task there, also one that waits for what the
/// first one holds.
TEST_F(LookAheadTest, NotOnThreadsOfOthers) {
  llvm::StdThreadPool pool(llvm::hardware_concurrency(4));
  context.setThreadPool(pool);
  std::atomic<unsigned> searches = 0;
  {
    schedule::LookAhead ahead(getBlock(),
                              [&](schedule::LookAhead &, mlir::Block &) { ++searches; });
    pool.wait();
  }
  EXPECT_EQ(searches, 0u);
  context.disableMultithreading();
}

TEST_F(LookAheadTest, JoinsDoNotDependOnIt) {
  std::string joined[4];
  unsigned counts[] = {1, 2, 8, 0};
  llvm::StdThreadPool others(llvm::hardware_concurrency(4));
  for (auto [text, count] : llvm::zip(joined, counts)) {
    Workers workers(std::max(count, 1u));
    if (count == 0)
      context.setThreadPool(others);
    OwningOpRef<ModuleOp> own(module->clone());
    PassManager passes(&context);
    ASSERT_TRUE(succeeded(
        parsePassPipeline("kernel-join{machine=host traits=threads=2}", passes, llvm::errs())));
    ASSERT_TRUE(succeeded(passes.run(*own)));
    llvm::raw_string_ostream(text) << *own;
  }
  EXPECT_LT(StringRef(joined[0]).count("= tkernel.kernel"), kLayers * kKernelsOfLayer);
  EXPECT_EQ(joined[0], joined[1]);
  EXPECT_EQ(joined[0], joined[2]);
  EXPECT_EQ(joined[0], joined[3]);
  context.disableMultithreading();
}

} // namespace
