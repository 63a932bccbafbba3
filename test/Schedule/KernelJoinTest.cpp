// What the search for joins knows of a kernel goes with the kernel.
#include "tw/Pipeline/Registration.h"
#include "tw/Schedule/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Axes and ops of a kernel whose sizes are settled.
std::string describe(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
    os << kernel.getExtent(axis).most << " ";
  for (Operation &op : kernel.getBody().front())
    os << op.getName() << " ";
  return text;
}

std::set<std::string> asked, unasked;

/// The host's, which notes of which kernels the least cycles were asked for before lists were.
class Recording : public schedule::Strategy {
public:
  bool setMachine(StringRef traits, std::string &wrong) override {
    return host->setMachine(traits, wrong);
  }
  void prepare(KernelOp kernel) const override { host->prepare(kernel); }
  double getLeastCycles(KernelOp kernel) const override {
    asked.insert(describe(kernel));
    return host->getLeastCycles(kernel);
  }
  double getCycles(KernelOp kernel, ScheduleAttr list) const override {
    return host->getCycles(kernel, list);
  }
  bool takesVariants() const override { return host->takesVariants(); }
  SmallVector<schedule::Candidate> propose(KernelOp kernel, bool exactOnly,
                                           unsigned searchStates) const override {
    if (std::string text = describe(kernel); !asked.count(text))
      unasked.insert(text);
    return host->propose(kernel, exactOnly, searchStates);
  }

private:
  std::unique_ptr<schedule::Strategy> host = schedule::makeStrategy("host");
};

/// Parts of attention for few queries and keys are priced in kernels that are gone when those for a
/// few more are, which lie where they did.
TEST(KernelJoin, AsksForEachKernelOfARange) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  prepareContext(context);
  schedule::registerStrategy("recording", []() -> std::unique_ptr<schedule::Strategy> {
    return std::make_unique<Recording>();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    !x = tensor<8x12x?x64xf32, #tgraph.dims<[8, 12, S, 64]>>
    !s = tensor<8x12x?x?xf32, #tgraph.dims<[8, 12, S, S]>>
    func.func @main(%q: !x, %k: !x, %v: !x) -> !x
        attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 512, step = 1>}} {
      %s = tgraph.contract "bhid,bhjd->bhij" %q, %k : !x, !x -> !s
      %p = tgraph.softmax %s dim 3 : !s
      %y = tgraph.contract "bhij,bhjd->bhid" %p, %v : !s, !x -> !x
      return %y : !x
    })",
                                                             &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  ASSERT_TRUE(succeeded(parsePassPipeline(
      "func.func(graph-decompose,canonicalize,graph-to-view,canonicalize,cse,view-to-kernel,cse,"
      "kernel-fuse),kernel-join{machine=recording}",
      passes, llvm::errs())));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  EXPECT_GT(asked.size(), 10u);
  // Of sizes that are left to a call the most are proposed for, which no kernel has: those of all
  // calls, and of the range of 9 to 16 in which attention is its parts.
  for (const std::string &text : unasked)
    EXPECT_TRUE(text.find("511 ") != std::string::npos || text.find("15 15 ") != std::string::npos)
        << text;
}

} // namespace
