// What a compilation says of itself: the report as text, as JSON and as an explanation, and the
// numbers that it takes from the records of scheduling.
#include "PipelineTest.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tw;
using namespace tw::test;

namespace {

class Report : public PipelineTest {
protected:
  CompileReport compileSample(StringRef program, CompileOptions options) {
    CompileReport report;
    FileResolver files = FileResolver::around("");
    OwningOpRef<ModuleOp> module = parse(program);
    EXPECT_TRUE(module && succeeded(compile(*module, files, options, &report))) << messages;
    return report;
  }
};

/// A report that no compiler made.
CompileReport makeReport() {
  CompileReport report;
  TargetReport &target = report.targets.emplace_back();
  target.target = "host";
  target.launches = 3;
  KernelReport &first = target.kernels.emplace_back();
  first.name = "sum";
  first.axes = "i 8";
  first.key = "sum (i 4, j 2)";
  first.launches = 2;
  first.schedule = "[grid [i]]";
  first.primitives = {{"grid [i]", "exact"}};
  first.counted = {"", "", {{"core", 400}, {"L2", 1200}}, 1400};
  first.candidates = {{"rows", "[grid [i]]", {{"core", 400}}, 1500, true},
                      {"general", "[]", {{"core", 9000}}, 9000, false}};
  KernelReport &second = target.kernels.emplace_back();
  second.name = "sum_pack";
  second.axes = "i 8";
  second.madeFor = "sum (i 4, j 2)";
  second.launches = 1;
  second.byHand = true;
  second.counted = {"", "", {{"core", 5e6}}, 5e6};
  return report;
}

TEST_F(Report, ExplainsKernelsByWhatTheyTake) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  makeReport().explain(stream);
  EXPECT_EQ(text, R"(total: 2 kernels, 3 launches, 0 flops, 0 bytes, 5.00 Mcycles of one core

sum_pack (i 8): 0 flops, 0 bytes, 0 programs, 1 launches, 99.9 % of the cycles
  schedule    none: loops in the order of the kernel
  made for    sum (i 4, j 2)
  strategy    none, by hand
  estimate    5.00 Mcycles: core 100 %
  limit       core, 5.00 Mcycles

sum (i 8): 0 flops, 0 bytes, 0 programs, 2 launches, 0.1 % of the cycles
  schedule    exact          grid [i]
  in a file   sum (i 4, j 2)
  strategy    rows, 1 of 2 candidates
  estimate    1.5 kcycles: core 27 %
  limit       core, 0.4 kcycles
  candidate   general, 9.0 kcycles: core 100 %
              []
)");
}

TEST_F(Report, JsonHoldsTheSame) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  makeReport().printJson(stream);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  ASSERT_TRUE(bool(json));
  const llvm::json::Array &kernels =
      *(*json->getAsObject()->getArray("targets"))[0].getAsObject()->getArray("kernels");
  ASSERT_EQ(kernels.size(), 2u);
  const llvm::json::Object &made = *kernels[0].getAsObject(), &sum = *kernels[1].getAsObject();
  EXPECT_EQ(made.getString("madeFor"), "sum (i 4, j 2)");
  EXPECT_EQ(made.getBoolean("byHand"), true);
  EXPECT_EQ(made.get("key"), nullptr);
  EXPECT_EQ(sum.getString("key"), "sum (i 4, j 2)");
  EXPECT_EQ(sum.getNumber("totalCycles"), 2800);
  EXPECT_EQ(sum.getArray("candidates")->size(), 2u);
}

TEST_F(Report, ReadsWhatSchedulingWroteDown) {
  CompileReport report = compileSample(sample, makeOptions("host:x86-64-v3", /*explain=*/true));
  ASSERT_EQ(report.targets.size(), 1u);
  ASSERT_EQ(report.targets[0].kernels.size(), 1u);
  const KernelReport &kernel = report.targets[0].kernels[0];
  EXPECT_EQ(kernel.key, "add (i 4, j 8)");
  EXPECT_FALSE(kernel.byHand);
  ASSERT_TRUE(kernel.getChosen());
  EXPECT_EQ(kernel.getChosen(), &kernel.candidates.front());
  EXPECT_GT(kernel.counted.cycles, 0);
  // Where nobody asks nothing is written down.
  report = compileSample(sample, makeOptions("host:x86-64-v3"));
  EXPECT_TRUE(report.targets[0].kernels[0].candidates.empty());
  EXPECT_TRUE(report.targets[0].kernels[0].key.empty());
}

TEST_F(Report, CountsKernelsThatSchedulesMakeOnce) {
  constexpr StringLiteral program = R"(
    func.func @main(%x: tensor<96x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<96x1024xf32> {
      %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<96x1024xf32>, tensor<1024x1024xf32> -> tensor<96x1024xf32>
      return %0 : tensor<96x1024xf32>
    })";
  CompileOptions options = makeOptions("host:znver4", /*explain=*/true);
  options.threads = 1;
  const TargetReport target = compileSample(program, options).targets[0];
  ASSERT_EQ(target.kernels.size(), 2u);
  bool isFirst = target.kernels[0].madeFor.empty();
  const KernelReport &product = target.kernels[!isFirst], &packing = target.kernels[isFirst];
  EXPECT_EQ(packing.madeFor, product.key);
  // The price of the list is that of both.
  EXPECT_NEAR(target.getCycles(), product.getChosen()->cycles, 1);
}

TEST_F(Report, SchedulesOfTheProgramAreByHand) {
  constexpr StringLiteral program = R"(
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = tkernel.kernel @copy (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
          attributes {schedule = #tkernel.schedule<[order [i, j]]>} {
        %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
        tkernel.store %0, 0[%i, %j] : f32
      }
      return %y : tensor<4x8xf32>
    })";
  CompileReport report = compileSample(program, makeOptions("host:x86-64-v3", /*explain=*/true));
  const KernelReport &kernel = report.targets[0].kernels[0];
  EXPECT_TRUE(kernel.byHand);
  EXPECT_EQ(kernel.getChosen(), nullptr);
  EXPECT_FALSE(kernel.candidates.empty());
  // Devices' schedules are reported, too, with their price.
  report = compileSample(sample, makeOptions("vulkan", /*explain=*/true));
  ASSERT_EQ(report.targets[0].kernels[0].candidates.size(), 1u);
  EXPECT_EQ(report.targets[0].kernels[0].candidates[0].strategy, "gpu");
  EXPECT_GT(report.targets[0].kernels[0].candidates[0].cycles, 0);
}

} // namespace
