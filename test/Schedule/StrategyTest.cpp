// A program that embeds the compiler adds a strategy of its own, which kernel-schedule finds by
// name.
#include "tw/Schedule/Strategy.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Runs every kernel in one loop nest, in a program or one for each point of its first axis.
class Plain : public schedule::Strategy {
public:
  bool setMachine(StringRef traits, std::string &wrong) override {
    programs = traits == "programs=true";
    wrong = "expected programs=true";
    return programs || traits.empty();
  }
  ScheduleAttr choose(KernelOp kernel, bool) const override {
    SmallVector<Attribute> list;
    if (programs)
      list.push_back(
          GridAttr::get(kernel.getContext(), {cast<StringAttr>(kernel.getAxisNames()[0])}));
    return ScheduleAttr::get(kernel.getContext(), list);
  }

private:
  bool programs = false;
};

std::unique_ptr<schedule::Strategy> makePlain() { return std::make_unique<Plain>(); }

class Strategies : public testing::Test {
protected:
  Strategies() {
    prepareContext(context);
    schedule::registerStrategy("plain", makePlain);
  }

  /// The schedule that the pass with these options gives, or the error.
  std::string run(const std::string &options) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
      func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
        %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
          %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
          %1 = math.exp %0 : f32
          tkernel.store %1, 0[%i, %j] : f32
        }
        return %y : tensor<4x8xf32>
      })",
                                                               &context);
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) { text += d.str(); });
    PassManager passes(&context);
    if (!module || failed(parsePassPipeline("kernel-schedule{" + options + "}", passes)))
      return "no pipeline";
    if (succeeded(passes.run(*module)))
      module->walk([&](KernelOp kernel) {
        llvm::raw_string_ostream stream(text);
        stream << kernel.getScheduleAttr();
      });
    return text;
  }

  MLIRContext context;
};

TEST_F(Strategies, RunByName) {
  EXPECT_EQ(run("machine=plain"), "#tkernel.schedule<[]>");
  EXPECT_EQ(run("machine=plain traits=programs=true"), "#tkernel.schedule<[grid [i]]>");
  EXPECT_NE(run("machine=host").find("tile ["), std::string::npos);
}

TEST_F(Strategies, Errors) {
  EXPECT_NE(
      run("machine=cpu").find("option machine: no strategy 'cpu'; known are gpu, host, plain"),
      std::string::npos);
  EXPECT_NE(run("machine=plain traits=x=1").find("option traits: expected programs=true"),
            std::string::npos);
  EXPECT_NE(run("machine=gpu traits=lanes=8").find("expected serialLanes=N"), std::string::npos);
}

} // namespace
