// The list of targets, the null target, and what is checked before any target compiles.
#include "tw/Target/Target.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

class TargetTest : public testing::Test {
protected:
  TargetTest()
      : context(makeRegistry()), handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
        }) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    tw::registerDialects(registry);
    return registry;
  }

  static std::string copyKernel(const std::string &element) {
    std::string memory = "memref<8x" + element + ">", tile = "tensor<8x" + element + ">";
    return "ttile.func @copy(%x: " + memory + ") results(%y: " + memory + ") grid(%i = 3) {\n" +
           "%t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0)>>(%i) : " + memory +
           " -> " + tile +
           "\nttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>(%i) : " + tile +
           " -> " + memory + "\nttile.return\n}";
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

TEST_F(TargetTest, TargetsAreListedByName) {
  std::vector<std::string> names;
  for (const tw::Target *target : tw::allTargets()) {
    names.push_back(target->name.str());
    EXPECT_EQ(tw::findTarget(target->name), target);
    EXPECT_FALSE(target->summary.empty());
    auto description = target->describe(UnknownLoc::get(&context), {});
    ASSERT_TRUE(succeeded(description));
    EXPECT_NE(description->find(target->name.str()), std::string::npos);
  }
  EXPECT_TRUE(llvm::is_contained(names, "host"));
  EXPECT_TRUE(llvm::is_contained(names, "null"));
  EXPECT_TRUE(llvm::is_sorted(names));
  EXPECT_EQ(tw::findTarget("toaster"), nullptr);
}

TEST_F(TargetTest, GpusSayTheSameOfThemselves) {
  std::vector<std::string> known;
  for (const char *name : {"cuda", "amd", "opencl", "vulkan"}) {
    const tw::Target *target = tw::findTarget(name);
    tw::TargetOptions options;
    options.cpu = target->chips.empty() ? "" : target->chips.front().str();
    auto text = target->describe(UnknownLoc::get(&context), options);
    ASSERT_TRUE(succeeded(text));
    llvm::Expected<llvm::json::Value> json = llvm::json::parse(*text);
    ASSERT_TRUE(bool(json)) << *text;
    std::vector<std::string> keys;
    for (auto &[key, value] : *json->getAsObject())
      keys.push_back(key.str());
    llvm::sort(keys);
    // The numbers of a machine, where the chip is in a table.
    llvm::erase(keys, "machine");
    EXPECT_TRUE(llvm::is_contained(keys, "localBytes") && llvm::is_contained(keys, "maxThreads"));
    if (known.empty())
      known = keys;
    EXPECT_EQ(keys, known) << name;
  }
}

TEST_F(TargetTest, NullTargetAcceptsKernels) {
  auto module = parseSourceString<ModuleOp>(copyKernel("f32"), &context);
  ASSERT_TRUE(module);
  auto artefacts = tw::findTarget("null")->compile(*module, {});
  ASSERT_TRUE(succeeded(artefacts));
  ASSERT_EQ(artefacts->size(), 1u);
  tw::Artefact *artefact = artefacts->data();
  EXPECT_EQ(artefact->format, "null");
  EXPECT_TRUE(artefact->bytes.empty());
  ASSERT_EQ(artefact->entries.size(), 1u);
  EXPECT_EQ(artefact->entries[0].name, "copy");
  EXPECT_EQ(artefact->entries[0].programs, 3u);
}

TEST_F(TargetTest, HostTargetLeavesTheModuleAlone) {
  auto module = parseSourceString<ModuleOp>(copyKernel("f32"), &context);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  auto artefacts = tw::findTarget("host")->compile(*module, {"x86-64-v3", 1});
  ASSERT_TRUE(succeeded(artefacts));
  ASSERT_EQ(artefacts->size(), 1u);
  tw::Artefact *artefact = artefacts->data();
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
  EXPECT_EQ(artefact->format, "host");
  EXPECT_EQ(artefact->textOffset % 65536, 0u);
  EXPECT_FALSE(artefact->requiredFeatures.empty());
}

TEST_F(TargetTest, MissingElementTypesAreNamedOnce) {
  auto module = parseSourceString<ModuleOp>(copyKernel("i4"), &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(succeeded(tw::verifyForTarget(*module, *tw::findTarget("null"))));
  EXPECT_TRUE(failed(tw::verifyForTarget(*module, *tw::findTarget("host"))));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(
      messages[0],
      "element type 'i4' is not available on target host: cast the program's tensors to one of " +
          tw::listElementTypes(&context, *tw::findTarget("host")) +
          ", or choose another target [T0406]");
  EXPECT_TRUE(StringRef(messages[0]).contains("f32, f64, bf16, f16, i1, i8, i16, i32, i64, ui8"));
}

TEST_F(TargetTest, KernelsHaveAtMostSixteenBuffers) {
  std::string reads;
  for (int i = 0; i < 16; ++i)
    reads += (i ? ", %x" : "%x") + std::to_string(i) + ": memref<8xf32>";
  auto module = parseSourceString<ModuleOp>(
      "ttile.func @wide(" + reads + ") results(%y: memref<8xf32>) {\nttile.return\n}", &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(tw::verifyForTarget(*module, *tw::findTarget("host"))));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "'ttile.func' op has 17 buffers, expected at most 16 [T0333]");
}

} // namespace
