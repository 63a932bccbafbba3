// A program that embeds the compiler adds strategies of its own, which kernel-schedule finds by
// name; what it does with their lists, and writes down.
#include "tw/Schedule/Strategy.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Schedule/Record.h"

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
  SmallVector<schedule::Candidate> propose(KernelOp kernel, bool, unsigned) const override {
    SmallVector<Attribute> list;
    if (programs)
      list.push_back(
          GridAttr::get(kernel.getContext(), {cast<StringAttr>(kernel.getAxisNames()[0])}));
    return {{"plain", ScheduleAttr::get(kernel.getContext(), list)}};
  }

private:
  bool programs = false;
};

/// Packs what a kernel loads, of those that were made to pack too if it is told so: then there is
/// always one more.
class Packing : public schedule::Strategy {
public:
  bool setMachine(StringRef traits, std::string &) override {
    always = traits == "always=true";
    return true;
  }
  SmallVector<schedule::Candidate> propose(KernelOp kernel, bool, unsigned) const override {
    if (!always && kernel.getSymHint().value_or("").ends_with("_pack"))
      return {};
    MLIRContext *context = kernel.getContext();
    StringAttr name = StringAttr::get(context, "packed");
    SmallVector<StringAttr> axes(kernel.getAxisNames().getAsRange<StringAttr>());
    Attribute stage = StageAttr::get(context, name, axes, /*loop=*/{}, /*global=*/true,
                                     /*window=*/false);
    return {{"packing", ScheduleAttr::get(context, {stage}), {{0, name}}, 7, {{"work", 5}}}};
  }

private:
  bool always = false;
};

std::unique_ptr<schedule::Strategy> makePacking() { return std::make_unique<Packing>(); }

std::unique_ptr<schedule::Strategy> makePlain() { return std::make_unique<Plain>(); }

class Strategies : public testing::Test {
protected:
  Strategies() {
    prepareContext(context);
    schedule::registerStrategy("plain", makePlain);
    schedule::registerStrategy("packing", makePacking);
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
    records.clear();
    names.clear();
    if (succeeded(passes.run(*module)))
      module->walk([&](KernelOp kernel) {
        llvm::raw_string_ostream stream(text);
        stream << kernel.getScheduleAttr();
        records.push_back(schedule::getRecord(kernel));
        StringAttr name = getValueName(&kernel.getBody().front().front());
        names.push_back(name ? name.str() : "");
      });
    return text;
  }

  MLIRContext context;
  /// Of the kernels of the last run, in order, and the names of their first values.
  std::vector<std::optional<schedule::Record>> records;
  std::vector<std::string> names;
};

TEST_F(Strategies, RunByName) {
  EXPECT_EQ(run("machine=plain"), "#tkernel.schedule<[]>");
  EXPECT_EQ(run("machine=plain traits=programs=true"), "#tkernel.schedule<[grid [i]]>");
  EXPECT_NE(run("machine=host").find("tile ["), std::string::npos);
}

TEST_F(Strategies, NamesComeWithTheList) {
  EXPECT_EQ(run("machine=packing"), "#tkernel.schedule<[stage packed as (i, j) at kernel global]>");
  EXPECT_EQ(names, std::vector<std::string>{"packed"});
}

TEST_F(Strategies, MadeKernelsAreScheduled) {
  EXPECT_EQ(run("machine=packing make-kernels=true"), "#tkernel.schedule<[]>#tkernel.schedule<[]>");
  EXPECT_NE(run("machine=packing make-kernels=true traits=always=true")
                .find("schedules still make kernels after 16 rounds"),
            std::string::npos);
}

TEST_F(Strategies, Record) {
  run("machine=packing make-kernels=true");
  EXPECT_FALSE(records[0] || records[1]);
  run("machine=packing make-kernels=true record=true");
  ASSERT_EQ(records.size(), 2u);
  ASSERT_TRUE(records[0] && records[1]);
  EXPECT_TRUE(records[0]->made);
  EXPECT_EQ(records[0]->kernel, "kernel (i 4, j 8)");
  EXPECT_TRUE(records[0]->candidates.empty());
  const schedule::Record &record = *records[1];
  EXPECT_FALSE(record.made || record.byHand);
  EXPECT_EQ(record.kernel, "kernel (i 4, j 8)");
  ASSERT_EQ(record.candidates.size(), 1u);
  EXPECT_EQ(record.candidates[0].generator, "packing");
  EXPECT_EQ(record.candidates[0].cycles, 7);
  EXPECT_EQ(record.candidates[0].terms[0], std::pair(std::string("work"), 5.0));
  // The list as it was, of which nothing is left.
  EXPECT_EQ(record.candidates[0].schedule, record.schedule);
  EXPECT_EQ(record.schedule.getPrimitives().size(), 1u);
}

TEST_F(Strategies, Errors) {
  EXPECT_NE(run("machine=cpu")
                .find("option machine: no strategy 'cpu'; known are gpu, host, packing, plain"),
            std::string::npos);
  EXPECT_NE(run("machine=plain traits=x=1").find("option traits: expected programs=true"),
            std::string::npos);
  EXPECT_NE(run("machine=gpu traits=lanes=8").find("a gpu has no trait 'lanes'"),
            std::string::npos);
  EXPECT_NE(
      run("machine=gpu traits=banks=none").find("banks is 'none', expected a positive integer"),
      std::string::npos);
}

} // namespace
