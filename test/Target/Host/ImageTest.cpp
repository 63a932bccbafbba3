// Code generation and linking: a hand-written kernel runs, and what an image cannot hold is
// refused.
#include "Loader.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Support/Workers.h"
#include "tw/Target/Host/Description.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// y[i] = x[i] * 2.5 over the programs asked for.
const char *const scaleSource = R"(
llvm.func @scale(%launch: !llvm.ptr, %begin: i32, %end: i32, %scratch: !llvm.ptr) {
  %factor = llvm.mlir.constant(2.5 : f32) : f32
  %one = llvm.mlir.constant(1 : i64) : i64
  %bindings = llvm.load %launch : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %bindings : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %bindings[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %y = llvm.load %second : !llvm.ptr -> !llvm.ptr
  %lo = llvm.zext %begin : i32 to i64
  %hi = llvm.zext %end : i32 to i64
  llvm.br ^head(%lo : i64)
^head(%i: i64):
  %more = llvm.icmp "ult" %i, %hi : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %value = llvm.load %from : !llvm.ptr -> f32
  %product = llvm.fmul %value, %factor : f32
  llvm.store %product, %to : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^exit:
  llvm.return
}
)";

class ImageTest : public testing::Test {
protected:
  ImageTest()
      : context(makeRegistry()), handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
        }) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    tw::registerDialects(registry);
    return registry;
  }

  FailureOr<tw::host::Image> compile(const char *source, std::vector<std::string> kernels,
                                     const char *cpu) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return failure();
    return tw::host::compileToImage(*module, kernels, {cpu, 3});
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

TEST_F(ImageTest, RunsAKernelOverARange) {
  for (const char *cpu : {"native", "x86-64-v3"}) {
    auto image = compile(scaleSource, {"scale"}, cpu);
    ASSERT_TRUE(succeeded(image));
    tw::test::LoadedImage loaded(*image);
    std::vector<float> x(100), y(100, -1.0f);
    for (int i = 0; i < 100; ++i)
      x[i] = float(i);
    void *bindings[] = {x.data(), y.data()};
    tw::test::Launch launch{bindings, nullptr, {100, 1, 1}};
    loaded.kernel(0)(&launch, 10, 93, nullptr);
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(y[i], i < 10 || i >= 93 ? -1.0f : 2.5f * float(i)) << i;
    EXPECT_EQ(image->textOffset % 65536, 0u);
    EXPECT_GE(image->entries[0].offset, image->textOffset);
  }
}

TEST_F(ImageTest, GivesTheSameBytesTwice) {
  auto first = compile(scaleSource, {"scale"}, "x86-64-v4");
  auto second = compile(scaleSource, {"scale"}, "x86-64-v4");
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(first->bytes, second->bytes);
  EXPECT_TRUE(llvm::is_contained(first->features, "avx512f"));
}

/// y[0] = table[0] * n for kernel number n, through a function and a table that all of them use.
std::string makeKernels(size_t count) {
  std::string source = R"(
llvm.mlir.global internal constant @table(dense<[0.5, 4.0]> : tensor<2xf32>) : !llvm.array<2 x f32>
llvm.func @scaled(%by: f32) -> f32 attributes {no_inline} {
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %half = llvm.load %table : !llvm.ptr -> f32
  %product = llvm.fmul %half, %by : f32
  llvm.return %product : f32
})";
  for (size_t i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    source += "\nllvm.func @k" + number +
              R"((%launch: !llvm.ptr, %begin: i32, %end: i32, %scratch: !llvm.ptr) {
  %bindings = llvm.load %launch : !llvm.ptr -> !llvm.ptr
  %y = llvm.load %bindings : !llvm.ptr -> !llvm.ptr
  %by = llvm.mlir.constant()" +
              number + R"(.0 : f32) : f32
  %product = llvm.call @scaled(%by) : (f32) -> f32
  llvm.store %product, %y : f32, !llvm.ptr
  llvm.return
})";
  }
  return source;
}

TEST_F(ImageTest, GivesTheSameBytesByAnyNumberOfWorkers) {
  constexpr size_t kCount = 20;
  std::string source = makeKernels(kCount);
  std::vector<std::string> names;
  for (size_t i = 0; i < kCount; ++i)
    names.push_back("k" + std::to_string(i));
  auto alone = compile(source.c_str(), names, "native");
  tw::Workers several(3);
  auto shared = compile(source.c_str(), names, "native");
  ASSERT_TRUE(succeeded(alone) && succeeded(shared));
  EXPECT_EQ(alone->bytes, shared->bytes);
  ASSERT_EQ(shared->entries.size(), kCount);
  tw::test::LoadedImage loaded(*shared);
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(shared->entries[i].name, names[i]);
    float y = -1;
    void *bindings[] = {&y};
    tw::test::Launch launch{bindings, nullptr, {1, 1, 1}};
    loaded.kernel(i)(&launch, 0, 1, nullptr);
    EXPECT_EQ(y, 0.5f * float(i)) << i;
  }
}

TEST_F(ImageTest, NamesTheKernelBehindTheFirstOnesThatNeedsALibrary) {
  std::string source = makeKernels(12) + R"(
    llvm.func @last(%launch: !llvm.ptr, %begin: i32, %end: i32, %scratch: !llvm.ptr) {
      %a = llvm.load %scratch : !llvm.ptr -> f32
      %b = llvm.frem %a, %a : f32
      llvm.store %b, %scratch : f32, !llvm.ptr
      llvm.return
    })";
  std::vector<std::string> names;
  for (size_t i = 0; i < 12; ++i)
    names.push_back("k" + std::to_string(i));
  names.push_back("last");
  EXPECT_TRUE(failed(compile(source.c_str(), names, "x86-64-v3")));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0],
            "kernel 'last': arith.remf needs 'fmodf' of a library, kernels call none [T0403]");
}

TEST_F(ImageTest, NamesTheOperationAndKernelThatNeedALibrary) {
  auto image = compile(R"(
    llvm.func @k(%launch: !llvm.ptr, %begin: i32, %end: i32, %scratch: !llvm.ptr) {
      %a = llvm.load %scratch : !llvm.ptr -> f32
      %b = llvm.frem %a, %a : f32
      llvm.store %b, %scratch : f32, !llvm.ptr
      llvm.return
    })",
                       {"k"}, "x86-64-v3");
  EXPECT_TRUE(failed(image));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0],
            "kernel 'k': arith.remf needs 'fmodf' of a library, kernels call none [T0403]");
}

TEST_F(ImageTest, RefusesWritableData) {
  auto image = compile(R"(
    llvm.mlir.global external @state(1 : i32) : i32
    llvm.func @k(%launch: !llvm.ptr, %begin: i32, %end: i32, %scratch: !llvm.ptr) {
      %p = llvm.mlir.addressof @state : !llvm.ptr
      %old = llvm.load %p : !llvm.ptr -> i32
      %new = llvm.add %old, %begin : i32
      llvm.store %new, %p : i32, !llvm.ptr
      llvm.store %new, %scratch : i32, !llvm.ptr
      llvm.return
    })",
                       {"k"}, "x86-64-v3");
  EXPECT_TRUE(failed(image));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0], "writable data in section '.data', a kernel image holds only code and "
                         "constants [T0403]");
}

TEST_F(ImageTest, RefusesUnknownCpusAndOldOnes) {
  EXPECT_TRUE(failed(compile(scaleSource, {"scale"}, "pentium-mmx-9000")));
  EXPECT_TRUE(failed(compile(scaleSource, {"scale"}, "x86-64-v2")));
  EXPECT_TRUE(failed(compile(scaleSource, {"missing"}, "x86-64-v3")));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0], "unknown CPU 'pentium-mmx-9000', expected native or a name of LLVM's such "
                         "as x86-64-v3 or aarch64 [T0401]");
  EXPECT_EQ(messages[1], "CPU 'x86-64-v2' lacks avx, expected at least x86-64-v3 (AVX2, FMA, BMI2, "
                         "F16C) [T0401]");
  EXPECT_EQ(messages[2], "no function 'missing' to make a kernel of [T0402]");
}

TEST_F(ImageTest, SaysWhereTheLinkerCannotWrite) {
  std::string old = getenv("TMPDIR") ? getenv("TMPDIR") : "";
  setenv("TMPDIR", "/dev/null/none", 1);
  EXPECT_TRUE(failed(compile(scaleSource, {"scale"}, "x86-64-v3")));
  if (old.empty())
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", old.c_str(), 1);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "cannot make a temporary folder: Not a directory [T0404]");
}

TEST(DescriptionTest, GivesWidthByLevel) {
  tw::host::Description v3, v4;
  std::string error;
  ASSERT_TRUE(tw::host::describeCpu("x86-64-v3", v3, error));
  ASSERT_TRUE(tw::host::describeCpu("x86-64-v4", v4, error));
  EXPECT_EQ(v3.lanes(), 8u);
  EXPECT_EQ(v4.lanes(), 16u);
}

TEST(DescriptionTest, RatesAreThoseOfTheDataPaths) {
  tw::host::Description zen4, zen5, haswell;
  std::string error;
  ASSERT_TRUE(tw::host::describeCpu("znver4", zen4, error));
  ASSERT_TRUE(tw::host::describeCpu("znver5", zen5, error));
  ASSERT_TRUE(tw::host::describeCpu("haswell", haswell, error));
  EXPECT_EQ(zen4.lanes(), 16u);
  EXPECT_EQ(zen5.lanes(), 16u);
  EXPECT_EQ(zen4.traits.registers, zen5.traits.registers);
  EXPECT_EQ(zen4.traits.fmaPerCycle, 1);
  EXPECT_EQ(zen5.traits.fmaPerCycle, 2);
  EXPECT_EQ(haswell.lanes(), 8u);
  EXPECT_EQ(haswell.traits.fmaPerCycle, 2);
  EXPECT_TRUE(zen4.traits.bf16Dot && zen4.traits.int8Dot);
  EXPECT_FALSE(haswell.traits.bf16Dot || haswell.traits.int8Dot);
}

using Names = llvm::SmallVector<std::string>;

// The best that the features have, and what no code is made of is not estimated with either.
TEST(DescriptionTest, DotsAreThoseThatCodeIsMadeOf) {
  const std::pair<const char *, Names> expected[] = {
      {"haswell", {"pmaddwd"}},
      {"alderlake", {"avxvnni", "pmaddwd"}},
      {"icelake-server", {"avx512vnni", "pmaddwd"}},
      {"znver4", {"avx512bf16", "avx512vnni", "pmaddwd"}},
      {"aarch64", {}},
      {"cortex-a57", {}},
      {"neoverse-n1", {"sdot"}},
      {"apple-m1", {"sdot"}},
      {"neoverse-v1", {"bfdot", "usdot"}},
  };
  for (const auto &[cpu, names] : expected) {
    tw::host::Description description;
    std::string error;
    ASSERT_TRUE(tw::host::describeCpu(cpu, description, error)) << error;
    EXPECT_EQ(description.dots(), names) << cpu;
    EXPECT_EQ(description.traits.bf16Dot, names.size() && names[0].find("bf") != names[0].npos)
        << cpu;
    EXPECT_EQ(description.traits.int16Dot, llvm::is_contained(names, "pmaddwd")) << cpu;
  }
}

TEST(DescriptionTest, CpusThatAreNotInTheTableTakeTheirLevels) {
  tw::host::Description lunarlake, v3;
  std::string error;
  ASSERT_TRUE(tw::host::describeCpu("lunarlake", lunarlake, error)) << error;
  ASSERT_TRUE(tw::host::describeCpu("x86-64-v3", v3, error));
  EXPECT_EQ(lunarlake.traits.l2Bytes, v3.traits.l2Bytes);
  EXPECT_EQ(lunarlake.traits.fmaLatency, v3.traits.fmaLatency);
}

TEST(DescriptionTest, FilesSayWhatDescribeSays) {
  for (const char *cpu : {"native", "x86-64-v3", "znver4", "sapphirerapids", "aarch64",
                          "neoverse-v1", "cortex-a53"}) {
    tw::host::Description description, read;
    std::string error;
    ASSERT_TRUE(tw::host::describeCpu(cpu, description, error)) << error;
    std::string text = tw::host::toJson(description), path = testing::TempDir() + "/cpu.json";
    std::ofstream(path) << text;
    ASSERT_TRUE(tw::host::describeCpu("@" + path, read, error)) << error;
    EXPECT_EQ(read.traits, description.traits) << cpu;
    EXPECT_EQ(read.features, description.features) << cpu;
    EXPECT_EQ(read.cpu, "@" + path);
    EXPECT_EQ(tw::host::toJson(read), text);
  }
}

} // namespace
