// The C API of the compiler: codes, inputs from bytes, options, and structs of earlier releases.
#include "Encoder.h"
#include "tw-c/Compiler.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

using namespace tw::onnx::test;

namespace {

const TwcApi &api() { return *twcGetApi(TWC_ABI); }

class CApi : public testing::Test {
protected:
  void SetUp() override { start(1); }
  void TearDown() override { api().contextRelease(context); }

  void start(uint32_t threads) {
    api().contextRelease(context);
    TwcOptions options = {sizeof(options), threads, 0};
    ASSERT_EQ(api().contextCreate(&options, &context), TWC_OK);
  }

  static TwcInput bytesOf(const std::string &bytes, TwcInputKind kind = TWC_INPUT_AUTO) {
    TwcInput input = {};
    input.size = sizeof(input);
    input.kind = kind;
    input.bytes = {bytes.data(), bytes.size()};
    return input;
  }
  static TwcInput fileOf(const std::string &path) {
    TwcInput input = {};
    input.size = sizeof(input);
    input.path = path.c_str();
    return input;
  }

  /// The module, empty on failure; the first error is in `message`, with its code.
  TwcCode compile(const TwcInput &input, const TwcCompileOptions *options = nullptr) {
    message.clear();
    module.clear();
    TwcBlob *blob = nullptr;
    TwcCode code = api().compile(context, &input, options, {collect, this}, &blob);
    if (blob) {
      TwcBytes bytes = api().blobBytes(blob);
      module.assign(static_cast<const char *>(bytes.data), bytes.size);
    }
    api().blobRelease(blob);
    EXPECT_EQ(code == TWC_OK, !module.empty());
    return code;
  }
  static void collect(void *user, const TwcDiagnostic *diagnostic) {
    CApi &test = *static_cast<CApi *>(user);
    if (diagnostic->severity == TWC_ERROR && test.message.empty())
      test.message = std::string(diagnostic->code) + ": " + diagnostic->message;
  }

  TwcContext *context = nullptr;
  std::string message, module;
};

const std::string relu = "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n"
                         "  %y = tgraph.relu %x : tensor<64xf32>\n"
                         "  return %y : tensor<64xf32>\n"
                         "}\n";

/// A model whose weights, 48 bytes and more, lie in it.
std::string largeModel() {
  std::string values;
  for (int i = 0; i < 64; ++i)
    values += rawBytes<float>({float(i)});
  Message weights, graph;
  weights.integer(1, 64).integer(2, 1).bytes(8, "w").bytes(9, values);
  graph.message(1, node("Add", {"x", "w"}, {"y"}))
      .bytes(2, "large")
      .message(5, weights)
      .message(11, valueInfo("x", 1, {64}))
      .message(12, valueInfo("y", 1, {64}));
  return model(graph, 17).data;
}

} // namespace

TEST_F(CApi, CodesTellFailuresApart) {
  EXPECT_EQ(compile(bytesOf(relu)), TWC_OK) << message;
  EXPECT_EQ(compile(bytesOf("func.func @main(")), TWC_FAILED);
  EXPECT_EQ(message.substr(0, 6), "T0514:") << message;
  EXPECT_EQ(compile(bytesOf("\x08\x08 no model", TWC_INPUT_ONNX)), TWC_FAILED);
  EXPECT_EQ(message.substr(0, 6), "T0101:") << message;
  Message graph;
  graph.message(1, node("Det", {"x"}, {"y"}))
      .message(11, valueInfo("x", 1, {2}))
      .message(12, valueInfo("y", 7, {1, 2}));
  EXPECT_EQ(compile(bytesOf(model(graph, 17).data)), TWC_UNSUPPORTED);
  EXPECT_EQ(message.substr(0, 6), "T0106:") << message;
  const std::string sine = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                           "  %y = stablehlo.sine %x : tensor<4xf32>\n"
                           "  return %y : tensor<4xf32>\n"
                           "}\n";
  EXPECT_EQ(compile(bytesOf(sine, TWC_INPUT_STABLEHLO)), TWC_OK) << message;
  EXPECT_NE(compile(bytesOf(sine)), TWC_OK);
  EXPECT_EQ(compile(fileOf("/nowhere/m.onnx")), TWC_IO_ERROR);
  EXPECT_EQ(compile(fileOf("/nowhere/m.mlir")), TWC_IO_ERROR);
  EXPECT_EQ(message.substr(0, 6), "T0603:") << message;
  TwcCompileOptions options = {};
  options.size = sizeof(options);
  options.target = "hots";
  EXPECT_EQ(compile(bytesOf(relu), &options), TWC_INVALID_ARGUMENT);
  options.target = nullptr;
  options.options = "optimise=3";
  EXPECT_EQ(compile(bytesOf(relu), &options), TWC_INVALID_ARGUMENT);
  TwcInput nothing = {};
  nothing.size = sizeof(nothing);
  EXPECT_EQ(compile(nothing), TWC_INVALID_ARGUMENT);
}

/// The same computation from a file, which the module then names, and from bytes, which become part
/// of it, and of the file with the weights embedded.
TEST_F(CApi, ModelsAreReadFromBytes) {
  std::filesystem::path folder = testing::TempDir() + "twc-" + std::to_string(getpid());
  std::filesystem::create_directories(folder / "m");
  std::string path = folder / "m" / "model.onnx", bytes = largeModel();
  std::ofstream(path, std::ios::binary) << bytes;
  std::string values = rawBytes<float>({60, 61, 62, 63});
  ASSERT_EQ(compile(fileOf(path)), TWC_OK) << message;
  EXPECT_EQ(module.find(values), module.npos);
  TwcCompileOptions options = {};
  options.size = sizeof(options);
  std::string above = folder;
  options.moduleFolder = above.c_str();
  ASSERT_EQ(compile(fileOf(path), &options), TWC_OK) << message;
  EXPECT_NE(module.find("m/model.onnx"), module.npos);
  options.options = "embed-weights=true debug-info=false";
  ASSERT_EQ(compile(fileOf(path), &options), TWC_OK) << message;
  EXPECT_EQ(module.find("m/model.onnx"), module.npos);
  EXPECT_NE(module.find(values), module.npos);
  std::filesystem::remove_all(folder);

  TwcInput input = bytesOf(bytes);
  ASSERT_EQ(compile(input), TWC_OK) << message;
  EXPECT_NE(module.find(values), module.npos);
  // What is called like a file does not read it.
  input.path = path.c_str();
  ASSERT_EQ(compile(input), TWC_OK) << message;

  float x[64], y[64];
  for (int i = 0; i < 64; ++i)
    x[i] = 0.5f;
  int64_t dims[] = {64};
  TwcTensor argument = {18, 1, dims, x}, result = {18, 1, dims, y};
  ASSERT_EQ(api().interpret(context, &input, &argument, 1, &result, 1, {collect, this}), TWC_OK)
      << message;
  EXPECT_EQ(y[63], 63.5f);
}

TEST_F(CApi, ThreadsAreThoseAskedFor) {
  auto countThreads = [] {
    auto tasks = std::filesystem::directory_iterator("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  auto before = countThreads();
  ASSERT_EQ(compile(bytesOf(relu)), TWC_OK);
  EXPECT_EQ(countThreads(), before) << "one thread compiles by itself";
  std::string alone = module;
  for (uint32_t threads : {3u, 0u}) {
    start(threads);
    ASSERT_EQ(compile(bytesOf(relu)), TWC_OK);
    EXPECT_EQ(module, alone);
    if (threads)
      EXPECT_LE(countThreads(), before + threads);
  }
}

TEST_F(CApi, StructsOfEarlierReleasesAreAccepted) {
  TwcInput input = bytesOf(relu);
  input.size = offsetof(TwcInput, import);
  input.import = "nonsense that an earlier release does not know";
  EXPECT_EQ(compile(input), TWC_OK) << message;
  for (uint32_t unknown : {0u, 4u, uint32_t(sizeof(input) + 8)}) {
    input.size = unknown;
    EXPECT_EQ(compile(input), TWC_INVALID_ARGUMENT);
  }
  EXPECT_EQ(message, "T0506: TwcInput has size " + std::to_string(sizeof(input) + 8) +
                         ", expected " + std::to_string(sizeof(input)));
  TwcCompileOptions options = {};
  options.size = offsetof(TwcCompileOptions, moduleFolder);
  options.moduleFolder = "/no folder that an earlier release knows";
  EXPECT_EQ(compile(bytesOf(relu), &options), TWC_OK) << message;
  options.size = 12;
  EXPECT_EQ(compile(bytesOf(relu), &options), TWC_INVALID_ARGUMENT);
  TwcContext *made = nullptr;
  TwcOptions wrong = {4, 1, 0};
  EXPECT_EQ(api().contextCreate(&wrong, &made), TWC_INVALID_ARGUMENT);
  EXPECT_EQ(made, nullptr);
}
