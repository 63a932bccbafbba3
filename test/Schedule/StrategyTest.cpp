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

/// How often the best list alone was asked for, and all with a search among so many.
struct Asked {
  unsigned best = 0, all = 0, states = 0;
  bool operator==(const Asked &) const = default;
} asked;

/// Wants a search if it is told so.
class Counting : public schedule::Strategy {
public:
  bool setMachine(StringRef traits, std::string &) override {
    wants = traits == "wants=true";
    return true;
  }
  bool wantsSearch(KernelOp, ArrayRef<schedule::Candidate>) const override { return wants; }
  SmallVector<schedule::Candidate> proposeBest(KernelOp kernel, bool,
                                               bool &wantsMore) const override {
    ++asked.best;
    wantsMore = wants;
    return {{"counting", ScheduleAttr::get(kernel.getContext(), {}), {}, 7}};
  }
  SmallVector<schedule::Candidate> propose(KernelOp kernel, bool,
                                           unsigned searchStates) const override {
    ++asked.all;
    asked.states = searchStates;
    return {{"counting", ScheduleAttr::get(kernel.getContext(), {}), {}, 7}};
  }

private:
  bool wants = false;
};

std::unique_ptr<schedule::Strategy> makePacking() { return std::make_unique<Packing>(); }

std::unique_ptr<schedule::Strategy> makePlain() { return std::make_unique<Plain>(); }

class Strategies : public testing::Test {
protected:
  Strategies() {
    prepareContext(context);
    schedule::registerStrategy("plain", makePlain);
    schedule::registerStrategy("packing", makePacking);
    schedule::registerStrategy("counting", []() -> std::unique_ptr<schedule::Strategy> {
      return std::make_unique<Counting>();
    });
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

/// Lists beside the best one are asked for where somebody reads them, or a search begins with them.
TEST_F(Strategies, BestAlone) {
  auto ask = [&](const std::string &options) {
    asked = {};
    run("machine=counting " + options);
    return asked;
  };
  EXPECT_EQ(ask("search=9"), (Asked{1, 0, 0}));
  EXPECT_EQ(ask("traits=wants=true search=9"), (Asked{1, 1, 9}));
  EXPECT_EQ(ask("traits=wants=true search=0"), (Asked{1, 0, 0}));
  EXPECT_EQ(ask("record=true").all, 1u);
}

/// The host's best list is the first of all, and wants a search where all do: a class of kernels
/// whose own lists are not the cheapest, too.
TEST_F(Strategies, HostBestIsFirst) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
    func.func @main(%x: tensor<64x48xf32>, %w: tensor<32x48xf32>, %t: tensor<3x5x7xf32>) {
      %0 = tkernel.kernel (%i : 64, %j : 48) reads(%a = %x : tensor<64x48xf32>) -> tensor<64x48xf32> {
        %v = tkernel.load %a[%i, %j] : tensor<64x48xf32>
        %e = math.exp %v : f32
        tkernel.store %e, 0[%i, %j] : f32
      }
      %1 = tkernel.kernel (%i : 64, %j : 48) reads(%a = %x : tensor<64x48xf32>) -> tensor<64xf32> {
        %v = tkernel.load %a[%i, %j] : tensor<64x48xf32>
        %e = tkernel.reduce addf %v over(%j) : f32
        tkernel.store %e, 0[%i] : f32
      }
      %2 = tkernel.kernel (%i : 64, %j : 32, %k : 48) reads(%a = %x : tensor<64x48xf32>, %b = %w : tensor<32x48xf32>) -> tensor<64x32xf32> {
        %v = tkernel.load %a[%i, %k] : tensor<64x48xf32>
        %u = tkernel.load %b[%j, %k] : tensor<32x48xf32>
        %e = tkernel.contract %v, %u over(%k) : f32
        tkernel.store %e, 0[%i, %j] : f32
      }
      %3, %4 = tkernel.kernel (%i : 64, %j : 48) reads(%a = %x : tensor<64x48xf32>) -> (tensor<64xf32>, tensor<64x48xf32>) {
        %v = tkernel.load %a[%i, %j] : tensor<64x48xf32>
        %e = tkernel.reduce addf %v over(%j) : f32
        %d = arith.mulf %v, %v : f32
        tkernel.store %e, 0[%i] : f32
        tkernel.store %d, 1[%i, %j] : f32
      }
      %5 = tkernel.kernel (%i : 3, %j : 5, %k : 7) reads(%a = %t : tensor<3x5x7xf32>) -> tensor<5xf32> {
        %v = tkernel.load %a[%i, %j, %k] : tensor<3x5x7xf32>
        %m = tkernel.reduce maximumf %v over(%k) : f32
        %e = math.exp %m : f32
        %s = tkernel.reduce addf %e over(%i) : f32
        tkernel.store %s, 0[%j] : f32
      }
      return
    })",
                                                             &context);
  ASSERT_TRUE(module);
  std::unique_ptr<schedule::Strategy> host = schedule::makeStrategy("host");
  std::string wrong;
  ASSERT_TRUE(host->setMachine("", wrong));
  unsigned kernels = 0, want = 0;
  module->walk([&](KernelOp kernel) {
    ++kernels;
    auto all = host->propose(kernel, /*exactOnly=*/false, /*searchStates=*/0);
    bool wantsMore = false;
    auto best = host->proposeBest(kernel, /*exactOnly=*/false, wantsMore);
    ASSERT_EQ(best.size(), 1u);
    ASSERT_GT(all.size(), 1u);
    EXPECT_EQ(best.front().schedule, all.front().schedule);
    EXPECT_EQ(best.front().cycles, all.front().cycles);
    EXPECT_EQ(best.front().names, all.front().names);
    EXPECT_EQ(wantsMore, host->wantsSearch(kernel, all)) << kernels;
    want += wantsMore;
  });
  EXPECT_EQ(kernels, 5u);
  EXPECT_GT(want, 0u);
  EXPECT_LT(want, kernels);
}

TEST_F(Strategies, Errors) {
  EXPECT_NE(
      run("machine=cpu")
          .find("option machine: no strategy 'cpu'; known are counting, gpu, host, packing, plain"),
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
