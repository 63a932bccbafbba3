// Modules that a compilation writes, and forms of code.
#include "PipelineTest.h"

#include "tw/Format/Module.h"
#include "tw/Pipeline/Emit.h"

using namespace mlir;
using namespace tw;
using namespace tw::test;

namespace {

class Modules : public PipelineTest {
protected:
  std::vector<uint8_t> compileTo(StringRef program, CompileOptions options) {
    FileResolver files = FileResolver::around("");
    OwningOpRef<ModuleOp> module = parse(program);
    FailureOr<std::vector<uint8_t>> bytes = compile(*module, files, options);
    return succeeded(bytes) ? *bytes : std::vector<uint8_t>();
  }
};

TEST_F(Modules, HoldAProgramForEachTarget) {
  CompileOptions options = makeOptions("host:x86-64-v3,opencl,null");
  options.debugInfo = false;
  std::vector<uint8_t> bytes = compileTo(sample, options);
  ASSERT_FALSE(bytes.empty()) << messages;
  std::string text(bytes.begin(), bytes.end());
  for (const char *name : {"opencl-c", "host", "null", "__kernel"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
  // The point form of kernels is there where it is asked for.
  EXPECT_EQ(text.find("tkernel.kernel"), std::string::npos);
  bytes = compileTo(sample, makeOptions("null"));
  text.assign(bytes.begin(), bytes.end());
  EXPECT_NE(text.find("tkernel.kernel"), std::string::npos);
  EXPECT_EQ(text.find("record"), std::string::npos);
  bytes = compileTo(sample, makeOptions("null", /*explain=*/true));
  text.assign(bytes.begin(), bytes.end());
  EXPECT_EQ(text.find("record"), std::string::npos);
}

TEST_F(Modules, AreTheSameBytesEachTime) {
  EXPECT_EQ(compileTo(sample, makeOptions("opencl")), compileTo(sample, makeOptions("opencl")));
}

TEST_F(Modules, NeedAFunction) {
  EXPECT_TRUE(compileTo("module {}", {}).empty());
  EXPECT_TRUE(says("the program has no function")) << messages;
}

TEST_F(Modules, CodeIsPrintedInForms) {
  EXPECT_EQ(findTargetOfForm("opencl-c"), findTarget("opencl"));
  EXPECT_EQ(findTargetOfForm("opencl"), nullptr);
  OwningOpRef<ModuleOp> module = parse(sample);
  FailureOr<std::string> text = emitCode(*module, "opencl-c", makeOptions("opencl"));
  ASSERT_TRUE(succeeded(text)) << messages;
  EXPECT_NE(text->find("__kernel"), std::string::npos);
}

} // namespace
