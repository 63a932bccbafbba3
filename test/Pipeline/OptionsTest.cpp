// Options by name, lists of targets, and sizes of symbols.
#include "PipelineTest.h"
#include "TargetList.h"

using namespace mlir;
using namespace tw;
using namespace tw::test;

namespace {

class Options : public PipelineTest {
protected:
  FailureOr<SmallVector<TargetRequest, 1>> targets(StringRef list) {
    messages.clear();
    return parseTargets(UnknownLoc::get(&context), list, {"", 1});
  }
};

TEST_F(Options, AreSetByName) {
  CompileOptions options;
  std::string error;
  for (const char *word : {"optimize=2", "threads=16", "debug-info=false", "deterministic=true",
                           "initializer=false", "embed-weights=true", "fast-math=afn,nnan"})
    EXPECT_TRUE(setOption(options, word, error)) << word;
  for (auto [word, bytes] :
       {std::pair("memory=4096", int64_t(4096)), {"memory=4GiB", int64_t(4) << 30}}) {
    EXPECT_TRUE(setOption(options, word, error)) << word;
    EXPECT_EQ(options.memory, bytes);
  }
  EXPECT_EQ(options.optimize, 2u);
  EXPECT_EQ(options.threads, 16);
  EXPECT_EQ(options.fastMath, "afn,nnan");
  EXPECT_TRUE(options.deterministic && options.embedWeights);
  EXPECT_FALSE(options.debugInfo || options.initializer);
  for (const char *word : {"optimize=4", "threads=0", "threads=4097", "threads=", "initializer=1",
                           "fast-math=afn,quick", "fast-math=", "memory=0", "memory=-1",
                           "memory=4GB", "memory=9000000000GiB", "colour=red", ""})
    EXPECT_FALSE(setOption(options, word, error)) << word;
  EXPECT_EQ(options.threads, 16);
  EXPECT_EQ(error.find("unknown compile option '', known are optimize=0..3, "), 0u) << error;
}

TEST_F(Options, TargetsShareAProgramForAllChips) {
  auto requests = targets("cuda:sm_80,host,cuda:sm_90a");
  ASSERT_TRUE(succeeded(requests)) << messages;
  ASSERT_EQ(requests->size(), 2u);
  EXPECT_EQ((*requests)[0].getText(), "cuda:sm_80,sm_90a");
  EXPECT_EQ((*requests)[1].getText(), "host");
  EXPECT_EQ((*requests)[0].chips[1].optLevel, 1u);
  EXPECT_EQ((*requests)[0].stages.target, "cuda");
  // The strictest limit holds for what targets share.
  EXPECT_EQ((*requests)[0].stages.maxBinding, (*requests)[1].stages.maxBinding);
}

TEST_F(Options, TargetsThatAreNone) {
  for (auto [list, message] :
       {std::pair("", "expected NAME or NAME:CHIP, found ''"),
        {"host,", "expected NAME or NAME:CHIP, found ''"},
        {"cuda:", "expected NAME or NAME:CHIP, found 'cuda:'"},
        {"cudo", "unknown target 'cudo'; did you mean 'cuda'?"},
        {"null:chip", "target 'null' has no chips to choose from, found 'null:chip'"},
        {"cuda:sm_1", "unknown chip 'sm_1' of target 'cuda'"},
        {"host,null,host", "'host' is named twice in --target=host,null,host"}}) {
    EXPECT_TRUE(failed(targets(list))) << list;
    EXPECT_TRUE(says(message)) << messages;
  }
}

TEST_F(Options, SymbolsAreSet) {
  constexpr StringLiteral text = R"(
    func.func @main(%x: tensor<?x4xf32, #tgraph.dims<[n, 4]>> {tgraph.name = "x"})
        -> tensor<?x4xf32, #tgraph.dims<[n, 4]>> {
      return %x : tensor<?x4xf32, #tgraph.dims<[n, 4]>>
    })";
  OwningOpRef<ModuleOp> module = parse(text);
  ASSERT_TRUE(module) << messages;
  onnx::ImportOptions options;
  ASSERT_TRUE(succeeded(setSymbols(*module, options)));
  EXPECT_NE(print(*module).find("tgraph.dims"), std::string::npos);
  options.symbols["n"] = 3;
  ASSERT_TRUE(succeeded(setSymbols(*module, options))) << messages;
  EXPECT_NE(print(*module).find("tensor<3x4xf32>"), std::string::npos) << print(*module);

  // What a shape says settles them too, and is told.
  module = parse(text);
  options = {};
  options.shapes = {{"x", {5, 4}}};
  ASSERT_TRUE(succeeded(setSymbols(*module, options))) << messages;
  EXPECT_NE(print(*module).find("tensor<5x4xf32>"), std::string::npos) << print(*module);
  EXPECT_TRUE(says("'n' is 5 by the shapes of inputs")) << messages;

  module = parse(text);
  options = {};
  options.symbols["m"] = 3;
  EXPECT_TRUE(failed(setSymbols(*module, options)));
  EXPECT_TRUE(says("the program has no symbolic dimension 'm'")) << messages;
}

} // namespace
