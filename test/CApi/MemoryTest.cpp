// The limit of memory of a context: what goes beyond it ends, and the context stays usable.
#include "Api.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace tw::test;

namespace {

constexpr uint64_t kMegabyte = 1 << 20;

class Memory : public CApiTest {
protected:
  void limit(uint64_t megabytes) {
    api().contextRelease(context);
    TwcOptions options = {sizeof(options), 1, megabytes * kMegabyte};
    ASSERT_EQ(api().contextCreate(&options, &context), TWC_OK);
  }

  TwcCode interpret(const TwcModule *module, int64_t rows, int64_t columns) {
    std::vector<float> x(size_t(rows * columns), -1), y(size_t(rows * columns), 1);
    int64_t dims[] = {rows, columns};
    TwcTensor argument = {18, 2, dims, x.data()}, result = {18, 2, dims, y.data()};
    TwcCode code = api().moduleInterpret(module, &argument, 1, &result, 1, sink());
    EXPECT_EQ(y.back(), code == TWC_OK ? 0 : 1);
    return code;
  }
};

/// Takes memory while passes run, as a large program would.
struct Greed {
  size_t bytes = 0, passes = 0;
  void *taken = nullptr;
  ~Greed() { free(taken); }

  static void take(void *user, const char *, const char *) {
    auto &greed = *static_cast<Greed *>(user);
    if (++greed.passes != 6)
      return;
    greed.taken = malloc(greed.bytes);
    memset(greed.taken, 1, greed.bytes);
  }
};

TwcCompileOptions optionsFor(const TwcHooks *hooks) {
  TwcCompileOptions options = {};
  options.size = sizeof(options);
  options.target = "host:x86-64-v3";
  options.hooks = hooks;
  return options;
}

const std::string large = "func.func @main(%x: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {\n"
                          "  %y = tgraph.relu %x : tensor<2048x2048xf32>\n"
                          "  return %y : tensor<2048x2048xf32>\n"
                          "}\n";

} // namespace

TEST_F(Memory, OfTheInterpreter) {
  limit(8);
  TwcModule *module = parse(large);
  EXPECT_EQ(interpret(module, 2048, 2048), TWC_OUT_OF_MEMORY);
  EXPECT_TRUE(contains(messages, "input:2:8: the call has taken ")) << messages;
  EXPECT_TRUE(contains(messages, " bytes of memory and needs 16777216 more, expected at most "
                                 "8388608 [T0517]"))
      << messages;
  api().moduleRelease(module);
  module = parse("func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
                 "  %y = tgraph.relu %x : tensor<2x2xf32>\n"
                 "  return %y : tensor<2x2xf32>\n"
                 "}\n");
  EXPECT_EQ(interpret(module, 2, 2), TWC_OK) << messages;
  api().moduleRelease(module);
  limit(0);
  module = parse(large);
  EXPECT_EQ(interpret(module, 2048, 2048), TWC_OK) << messages;
  api().moduleRelease(module);
}

TEST_F(Memory, OfWhatIsRead) {
  std::string text = relu + std::string(16 * kMegabyte, ' ');
  TwcInput input = {};
  input.size = sizeof(input);
  input.bytes = {text.data(), text.size()};
  limit(8);
  TwcModule *module = nullptr;
  EXPECT_EQ(api().moduleRead(context, &input, sink(), &module), TWC_OUT_OF_MEMORY);
  EXPECT_EQ(module, nullptr);
  EXPECT_TRUE(contains(messages, "[T0517]")) << messages;
  input.bytes.size = relu.size();
  ASSERT_EQ(api().moduleRead(context, &input, sink(), &module), TWC_OK) << messages;
  api().moduleRelease(module);
}

TEST_F(Memory, OfPasses) {
  limit(128);
  TwcModule *module = parse(relu);
  std::string before = print(module);
  for (bool isPipeline : {false, true}) {
    Greed greed;
    TwcHooks hooks = {};
    hooks.size = sizeof(hooks);
    hooks.beforePass = Greed::take;
    hooks.user = &greed;
    TwcCompileOptions options = optionsFor(&hooks);
    auto run = [&] {
      greed.passes = 0;
      TwcBlob *bytes = nullptr;
      TwcCode code = isPipeline ? api().moduleRunPasses(module,
                                                        "func.func(canonicalize,cse,canonicalize,"
                                                        "cse,canonicalize,cse,canonicalize,cse)",
                                                        &options, sink())
                                : api().moduleCompile(module, &options, sink(), &bytes, nullptr);
      EXPECT_EQ(bytes != nullptr, code == TWC_OK && !isPipeline);
      api().blobRelease(bytes);
      return code;
    };
    EXPECT_EQ(run(), TWC_OK) << messages;
    size_t all = greed.passes;
    ASSERT_GT(all, 6u);
    greed.bytes = 256 * kMegabyte;
    free(greed.taken);
    EXPECT_EQ(run(), TWC_OUT_OF_MEMORY);
    EXPECT_TRUE(contains(messages, "the call has taken 2")) << messages;
    EXPECT_TRUE(contains(messages, " bytes of memory, expected at most 134217728 [T0517]"))
        << messages;
    // One message, and no pass after it.
    EXPECT_EQ(messages.find('\n'), messages.size() - 1) << messages;
    EXPECT_EQ(greed.passes, 6u);
    EXPECT_EQ(print(module), before);
  }
  api().moduleRelease(module);
}

TEST_F(Memory, OfEmbeddedWeights) {
  std::string folder = testing::TempDir(), path = folder + "/tensorwright-memory-test.bin";
  std::ofstream(path).seekp(256 * kMegabyte - 1).put(0);
  limit(128);
  TwcModule *module = nullptr;
  ASSERT_EQ(api().moduleCreate(context, folder.c_str(), &module), TWC_OK);
  TwcFunction *function = nullptr;
  ASSERT_EQ(api().functionCreate(module, "main", &function), TWC_OK);
  int64_t dims[] = {64 * int64_t(kMegabyte)};
  TwcType type = {18, 1, dims, nullptr};
  TwcValue x = {}, w = {}, y = {};
  size_t count = 1;
  ASSERT_EQ(api().functionArgument(function, "x", &type, nullptr, sink(), &x), TWC_OK) << messages;
  ASSERT_EQ(api().functionFileConstant(function, "tensorwright-memory-test.bin", 0, &type, nullptr,
                                       sink(), &w),
            TWC_OK)
      << messages;
  TwcArgument arguments[2] = {};
  for (auto [argument, value] : {std::pair(&arguments[0], x), {&arguments[1], w}}) {
    argument->kind = TWC_ARGUMENT_VALUE;
    argument->value = value;
  }
  ASSERT_EQ(api().functionCall(function, "add", arguments, 2, nullptr, sink(), &y, &count), TWC_OK)
      << messages;
  ASSERT_EQ(api().functionReturn(function, &y, nullptr, 1, nullptr, sink()), TWC_OK) << messages;
  TwcCompileOptions options = optionsFor(nullptr);
  TwcBlob *bytes = nullptr;
  // Mapped.
  EXPECT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OK) << messages;
  api().blobRelease(bytes);
  bytes = nullptr;
  options.options = "embed-weights=true";
  EXPECT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OUT_OF_MEMORY);
  EXPECT_EQ(bytes, nullptr);
  EXPECT_TRUE(contains(messages, "needs 268435456 more, expected at most 134217728 [T0517]"))
      << messages;
  api().moduleRelease(module);
  remove(path.c_str());
}

TEST_F(Memory, IsUnknownToEarlierCallers) {
  TwcOptions options = {offsetof(TwcOptions, memoryLimit), 1, 1};
  TwcContext *earlier = nullptr;
  ASSERT_EQ(api().contextCreate(&options, &earlier), TWC_OK);
  std::swap(context, earlier);
  TwcModule *module = parse(large);
  EXPECT_EQ(interpret(module, 2048, 2048), TWC_OK) << messages;
  api().moduleRelease(module);
  std::swap(context, earlier);
  api().contextRelease(earlier);
}
