// The table of stages: names, where a program is, and what may be there at a border.
#include "PipelineTest.h"

using namespace mlir;
using namespace tw;
using namespace tw::test;

namespace {

class Stages : public PipelineTest {};

TEST_F(Stages, NamesAndDialects) {
  EXPECT_EQ(getStages().front().name, "graph");
  EXPECT_EQ(getStages().back().name, "tile");
  for (auto [i, stage] : llvm::enumerate(getStages())) {
    EXPECT_EQ(findStage(stage.name), i);
    EXPECT_EQ(getStageNames()[i], stage.name);
  }
  EXPECT_EQ(findStage("tkernel"), findStage("kernel"));
  EXPECT_EQ(findStage("code"), codeStage());
  EXPECT_EQ(findStage("kernels"), std::nullopt);
}

TEST_F(Stages, EachStageIsDetectedAfterItRan) {
  OwningOpRef<ModuleOp> module = parse(sample);
  EXPECT_EQ(detectStage(*module), 0u);
  StageOptions options;
  for (unsigned stage = 0; stage < getStages().size(); ++stage) {
    ASSERT_TRUE(succeeded(runStages(*module, stage, stage, options))) << messages;
    // A program without movement is at stage view what it is at stage graph.
    unsigned at = getStages()[stage].name == "view" ? stage - 1 : stage;
    EXPECT_EQ(detectStage(*module), at) << getStages()[stage].name.str();
    EXPECT_TRUE(succeeded(verifyStage(*module, stage))) << messages;
  }
}

TEST_F(Stages, SchedulesThatMakeKernelsAreNotDone) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
          attributes {schedule = #tkernel.schedule<[stage x as (i, j) at kernel global]>} {
        %0 = tkernel.load %a[%i, %j] {name = "x"} : tensor<4x8xf32>
        tkernel.store %0, 0[%i, %j] : f32
      }
      return %y : tensor<4x8xf32>
    })");
  ASSERT_TRUE(module) << messages;
  EXPECT_EQ(detectStage(*module), *findStage("kernel"));
}

TEST_F(Stages, BordersNameWhatDoesNotBelong) {
  OwningOpRef<ModuleOp> module = parse(sample);
  EXPECT_TRUE(succeeded(verifyStage(*module, *findStage("graph")))) << messages;
  EXPECT_TRUE(failed(verifyStage(*module, *findStage("tile"))));
  EXPECT_TRUE(says("'tgraph.add' does not belong in a program at stage 'tile', which holds "
                   "tlaunch, ttile"))
      << messages;
  OwningOpRef<ModuleOp> dynamic =
      parse("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }");
  messages.clear();
  EXPECT_TRUE(failed(verifyStage(*dynamic, 0)));
  EXPECT_TRUE(says("expected static shapes at stage 'graph'")) << messages;
}

TEST_F(Stages, PipelinesAreTextWithTheOptions) {
  StageOptions options;
  options.target = "cuda";
  options.schedulePass = "kernel-schedule{machine=gpu}";
  options.maxBinding = 1024;
  options.initializer = false;
  options.folder = "a folder";
  auto textOf = [&](StringRef name) {
    return getPipelineText(getStages()[*findStage(name)], options);
  };
  EXPECT_NE(textOf("graph").find("graph-fold-constants{folder={a folder}}"), std::string::npos);
  EXPECT_NE(textOf("graph").find(",graph-split-constants{max-bytes=1024}"), std::string::npos);
  EXPECT_NE(textOf("schedule").find("kernel-schedule{machine=gpu}"), std::string::npos);
  EXPECT_NE(textOf("schedule").find(",kernel-inline-shared,kernel-layout,kernel-join,kernel-"),
            std::string::npos);
  options.inlinePass = options.layoutPass = "";
  EXPECT_NE(textOf("schedule").find(",kernel-join,kernel-"), std::string::npos);
  EXPECT_EQ(textOf("schedule").find("kernel-inline-shared"), std::string::npos);
  EXPECT_EQ(textOf("schedule").find("kernel-layout"), std::string::npos);
  EXPECT_NE(
      textOf("launch").find("kernel-to-launch{target=cuda},launch-copy-parts,launch-plan-arena"),
      std::string::npos);
  std::string all;
  llvm::raw_string_ostream stream(all);
  printStages(stream);
  EXPECT_EQ(all.find('$'), std::string::npos);
}

} // namespace
