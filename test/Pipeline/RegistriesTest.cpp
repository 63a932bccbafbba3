// A program that embeds the compiler adds a target, a stage and an importer of its own; a strategy
// is in test/Schedule/StrategyTest.cpp.
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Format/Container.h"
#include "tw/Import/Importer.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace mlir;
using namespace tw;

namespace {

/// Makes no code; devices need the chip.
FailureOr<SmallVector<Artefact>> compileToNames(ModuleOp module, const TargetOptions &options) {
  Artefact artefact;
  artefact.format = "null";
  artefact.requiredFeatures = {options.cpu};
  for (auto kernel : module.getOps<tile::FuncOp>())
    artefact.entries.push_back({kernel.getSymName().str(), 0, uint64_t(kernel.getNumPrograms())});
  return SmallVector<Artefact>{std::move(artefact)};
}

constexpr llvm::StringLiteral chips[] = {"small", "large"};

const Target names{
    .name = "names",
    .summary = "lists kernels",
    .chips = chips,
    .describe = [](Location, const TargetOptions &) -> FailureOr<std::string> {
      return std::string("{\"target\": \"names\"}");
    },
    .hasElementType = [](Type type) { return type.isF32(); },
    .getMachine = [](Location, const TargetOptions &) -> FailureOr<std::string> {
      return std::string("machine=gpu");
    },
    .buildPipeline = [](OpPassManager &, Location, const TargetOptions &) { return success(); },
    .compile = compileToNames,
};

/// A file of one number is a constant function.
OwningOpRef<ModuleOp> importNumber(MLIRContext &context, StringRef path,
                                   const onnx::ImportOptions &) {
  std::ifstream file(path.str());
  std::string number;
  file >> number;
  return parseProgram(&context,
                      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                      "  %c = tgraph.constant dense<" +
                          number +
                          "> : tensor<4xf32>\n"
                          "  %y = tgraph.add %x, %c : tensor<4xf32>\n"
                          "  return %y : tensor<4xf32>\n}",
                      path);
}

class Registries : public testing::Test {
protected:
  Registries() : handler(&context, [this](Diagnostic &d) { messages += d.str() + "\n"; }) {
    prepareContext(context);
    folder = testing::TempDir() + "registries." + std::to_string(getpid());
    std::filesystem::create_directories(folder);
  }
  ~Registries() override { std::filesystem::remove_all(folder); }

  OwningOpRef<ModuleOp> readNumber() {
    std::string path = folder + "/seven.number";
    std::ofstream(path) << "7.0\n";
    registerImporter({".number", importNumber});
    return readProgram(&context, path);
  }

  MLIRContext context;
  std::string messages, folder;
  ScopedDiagnosticHandler handler;
};

TEST_F(Registries, Importer) {
  EXPECT_EQ(findImporter("model.number"), nullptr);
  OwningOpRef<ModuleOp> module = readNumber();
  ASSERT_TRUE(module) << messages;
  EXPECT_NE(findImporter("model.onnx"), nullptr);
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  EXPECT_NE(text.find("dense<7.0"), std::string::npos) << text;
}

TEST_F(Registries, Target) {
  OwningOpRef<ModuleOp> module = readNumber();
  ASSERT_TRUE(module) << messages;
  CompileOptions options;
  options.target = "names:large";
  FileResolver files = FileResolver::around("");
  EXPECT_EQ(findTarget("names"), nullptr);
  OwningOpRef<ModuleOp> clone(module->clone());
  EXPECT_TRUE(failed(compile(*clone, files, options)));
  EXPECT_NE(messages.find("unknown target 'names'"), std::string::npos) << messages;

  registerTarget(names);
  EXPECT_EQ(findTarget("names"), &names);
  EXPECT_TRUE(llvm::is_sorted(allTargets(), [](auto *a, auto *b) { return a->name < b->name; }));
  CompileReport report;
  auto bytes = compile(*module, files, options, &report);
  ASSERT_TRUE(succeeded(bytes)) << messages;
  ASSERT_EQ(report.targets.size(), 1u);
  EXPECT_EQ(report.targets[0].target, "names:large");
  ASSERT_EQ(report.targets[0].kernels.size(), 1u);
  EXPECT_EQ(report.targets[0].kernels[0].name, "add");
  EXPECT_NE(std::string(bytes->begin(), bytes->end()).find("large"), std::string::npos);

  // The later one of a name holds.
  static const Target other{.name = "names",
                            .summary = "another",
                            .describe = names.describe,
                            .hasElementType = names.hasElementType,
                            .getMachine = names.getMachine,
                            .buildPipeline = names.buildPipeline,
                            .compile = names.compile};
  size_t count = allTargets().size();
  registerTarget(other);
  EXPECT_EQ(findTarget("names"), &other);
  EXPECT_EQ(allTargets().size(), count);
}

TEST_F(Registries, Stage) {
  OwningOpRef<ModuleOp> module = readNumber();
  ASSERT_TRUE(module) << messages;
  static constexpr Stage twice{"twice", "kernels are canonicalized once more", "canonicalize",
                               "func tgraph tkernel arith math affine"};
  EXPECT_FALSE(registerStage(twice, "nowhere"));
  EXPECT_FALSE(registerStage(twice, "twice"));
  size_t count = getStages().size();
  ASSERT_TRUE(registerStage(twice, "kernel"));
  ASSERT_TRUE(registerStage(twice, "kernel"));
  ASSERT_EQ(getStages().size(), count + 1);
  EXPECT_EQ(*findStage("twice"), *findStage("kernel") + 1);
  EXPECT_EQ(*findStage("schedule"), *findStage("twice") + 1);
  EXPECT_EQ(codeStage(), count + 1);

  CompileReport report;
  CompileOptions options;
  options.target = "null";
  FileResolver files = FileResolver::around("");
  ASSERT_TRUE(succeeded(compile(*module, files, options, &report))) << messages;
  EXPECT_TRUE(
      llvm::any_of(report.milliseconds, [](const auto &stage) { return stage.first == "twice"; }));

  // What the stage may not hold is told at its border.
  static constexpr Stage strict{"twice", "holds no kernels", "canonicalize", "func tgraph"};
  ASSERT_TRUE(registerStage(strict, "kernel"));
  EXPECT_TRUE(failed(compile(*readNumber(), files, options)));
  EXPECT_NE(messages.find("'tkernel.kernel' does not belong in a program at stage 'twice'"),
            std::string::npos)
      << messages;
  ASSERT_TRUE(registerStage(twice, "kernel"));
}

} // namespace
