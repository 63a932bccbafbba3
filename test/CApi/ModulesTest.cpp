// Modules: reading, printing, stages, passes, code, hooks, and what goes wrong.
#include "Api.h"

#include "llvm/Support/JSON.h"

using namespace tw::test;

namespace {

using Modules = CApiTest;

struct Told {
  std::vector<std::string> before, after;
  /// Passes, and questions.
  size_t cancelAfter = SIZE_MAX, cancelAt = SIZE_MAX;
  size_t asked = 0, inPass = 0;
};

TwcHooks hooksOf(Told &told) {
  TwcHooks hooks = {};
  hooks.size = sizeof(hooks);
  hooks.user = &told;
  hooks.beforePass = [](void *user, const char *pass, const char *op) {
    static_cast<Told *>(user)->before.push_back(std::string(pass) + " on " + op);
  };
  hooks.afterPass = [](void *user, const char *pass, const char *op) {
    static_cast<Told *>(user)->after.push_back(std::string(pass) + " on " + op);
  };
  hooks.cancelled = [](void *user) {
    auto &told = *static_cast<Told *>(user);
    told.inPass += told.before.size() > told.after.size();
    return int(told.before.size() >= told.cancelAfter || ++told.asked > told.cancelAt);
  };
  return hooks;
}

TwcCompileOptions optionsWith(const TwcHooks *hooks) {
  TwcCompileOptions options = {};
  options.size = sizeof(options);
  options.target = "host:x86-64-v3";
  options.hooks = hooks;
  return options;
}

} // namespace

TEST_F(Modules, AreRunStageByStage) {
  TwcModule *module = parse(relu);
  EXPECT_STREQ(api().moduleStage(module), "graph");
  EXPECT_TRUE(contains(print(module), "tgraph.relu"));
  TwcCompileOptions options = optionsWith(nullptr);
  for (auto [stage, text] : {std::pair("graph", "tgraph.maximum"),
                             {"kernel", "tkernel.kernel"},
                             {"schedule", "#tkernel.schedule"},
                             {"launch", "tlaunch.launch"},
                             {"tile", "ttile.func"}}) {
    ASSERT_EQ(api().moduleRunTo(module, stage, &options, sink()), TWC_OK) << messages;
    EXPECT_TRUE(contains(print(module), text)) << stage << print(module);
    EXPECT_STREQ(api().moduleStage(module), stage);
  }
  api().moduleRelease(module);
}

TEST_F(Modules, ArePrintedAndReadAgain) {
  TwcModule *module = parse(relu);
  std::string plain = print(module);
  EXPECT_FALSE(contains(plain, "loc("));
  EXPECT_TRUE(contains(print(module, TWC_PRINT_LOCATIONS), "loc("));
  EXPECT_TRUE(contains(print(module, TWC_PRINT_GENERIC), "\"tgraph.relu\"("));
  TwcModule *again = parse(print(module, TWC_PRINT_BYTECODE));
  EXPECT_EQ(print(again), plain);
  TwcModule *clone = nullptr;
  ASSERT_EQ(api().moduleClone(module, &clone), TWC_OK);
  ASSERT_EQ(api().moduleRunPasses(module, "func.func(graph-decompose)", nullptr, sink()), TWC_OK)
      << messages;
  EXPECT_TRUE(contains(print(module), "tgraph.maximum"));
  EXPECT_EQ(print(clone), plain);
  TwcBlob *none = nullptr;
  EXPECT_EQ(api().modulePrint(module, 16, &none), TWC_INVALID_ARGUMENT);
  for (TwcModule *one : {module, again, clone})
    api().moduleRelease(one);
}

TEST_F(Modules, AreCompiledWithAReport) {
  TwcModule *module = parse(relu);
  TwcBlob *bytes = nullptr, *report = nullptr, *code = nullptr;
  TwcCompileOptions options = optionsWith(nullptr);
  ASSERT_EQ(api().moduleCompile(module, &options, sink(), &bytes, &report), TWC_OK) << messages;
  EXPECT_GT(take(bytes).size(), 100u);
  auto json = llvm::json::parse(take(report));
  ASSERT_TRUE(bool(json));
  // The module is what it was.
  EXPECT_STREQ(api().moduleStage(module), "graph");
  ASSERT_EQ(api().moduleEmit(module, "opencl-c", nullptr, sink(), &code), TWC_OK) << messages;
  EXPECT_TRUE(contains(take(code), "__kernel"));
  EXPECT_EQ(api().moduleEmit(module, "opencl", nullptr, sink(), &code), TWC_FAILED);
  EXPECT_TRUE(contains(messages, "has no form 'opencl'")) << messages;
  float x[64], y[64];
  for (int i = 0; i < 64; ++i)
    x[i] = float(i - 32);
  int64_t dims[] = {64};
  TwcTensor argument = {18, 1, dims, x}, result = {18, 1, dims, y};
  ASSERT_EQ(api().moduleInterpret(module, &argument, 1, &result, 1, sink()), TWC_OK) << messages;
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_EQ(y[63], 31.0f);
  api().moduleRelease(module);
}

TEST_F(Modules, TellHooksOfPasses) {
  TwcModule *module = parse(relu);
  Told told;
  TwcHooks hooks = hooksOf(told);
  TwcCompileOptions options = optionsWith(&hooks);
  ASSERT_EQ(
      api().moduleRunPasses(module, "func.func(graph-decompose,canonicalize)", &options, sink()),
      TWC_OK)
      << messages;
  EXPECT_EQ(told.before, (std::vector<std::string>{"graph-decompose on func.func",
                                                   "canonicalize on func.func"}));
  EXPECT_EQ(told.after, told.before);
  TwcBlob *bytes = nullptr;
  ASSERT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OK) << messages;
  api().blobRelease(bytes);
  EXPECT_NE(std::find(told.after.begin(), told.after.end(), "kernel-to-launch on builtin.module"),
            told.after.end());
  EXPECT_EQ(told.after, told.before);
  api().moduleRelease(module);
}

/// Wherever it is stopped, nothing is made and the module and the context stay usable.
TEST_F(Modules, AreCancelled) {
  TwcModule *module = parse(relu);
  Told whole;
  TwcHooks hooks = hooksOf(whole);
  TwcCompileOptions options = optionsWith(&hooks);
  TwcBlob *bytes = nullptr;
  ASSERT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OK) << messages;
  std::string expected = take(bytes);
  ASSERT_GT(whole.before.size(), 20u);
  for (size_t after = 0; after < whole.before.size(); after += 5) {
    Told told;
    told.cancelAfter = after;
    hooks = hooksOf(told);
    bytes = nullptr;
    EXPECT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_CANCELLED);
    EXPECT_EQ(bytes, nullptr);
    EXPECT_EQ(messages, "");
    EXPECT_EQ(told.before.size(), after);
  }
  options.hooks = nullptr;
  ASSERT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OK) << messages;
  EXPECT_EQ(take(bytes), expected);
  api().moduleRelease(module);
}

/// Between kernels, too: before each one's schedules and code.
TEST_F(Modules, AreCancelledInsideOfPasses) {
  TwcModule *module = parse(R"(
    func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<64xf32> {
      %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<64x48xf32>, tensor<48x32xf32> -> tensor<64x32xf32>
      %1 = tgraph.softmax %0 dim 0 : tensor<64x32xf32>
      %2 = tgraph.softmax %1 dim 1 : tensor<64x32xf32>
      %3 = tgraph.reduce add %2 dims [1] : tensor<64x32xf32> -> tensor<64xf32>
      return %3 : tensor<64xf32>
    })");
  Told whole;
  TwcHooks hooks = hooksOf(whole);
  TwcCompileOptions options = optionsWith(&hooks);
  TwcBlob *bytes = nullptr;
  ASSERT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OK) << messages;
  std::string expected = take(bytes);
  EXPECT_GT(whole.inPass, 3u);
  EXPECT_GT(whole.asked, whole.before.size() + 3);
  for (size_t at = 0; at < whole.asked; at += std::max<size_t>(1, whole.asked / 40)) {
    Told told;
    told.cancelAt = at;
    hooks = hooksOf(told);
    bytes = nullptr;
    EXPECT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_CANCELLED) << at;
    EXPECT_EQ(bytes, nullptr);
    EXPECT_EQ(messages, "");
    // Nobody is asked again.
    EXPECT_EQ(told.asked, at + 1);
    EXPECT_EQ(told.after, told.before);
  }
  options.hooks = nullptr;
  ASSERT_EQ(api().moduleCompile(module, &options, sink(), &bytes, nullptr), TWC_OK) << messages;
  EXPECT_EQ(take(bytes), expected);
  api().moduleRelease(module);
}

TEST_F(Modules, SayWhatIsWrong) {
  TwcModule *module = parse(relu);
  EXPECT_EQ(api().moduleRunPasses(module, "func.func(graph-decompos)", nullptr, sink()),
            TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "pipeline 'func.func(graph-decompos)' cannot be built: "
                                 "'graph-decompos' does not refer to a registered pass"))
      << messages;
  EXPECT_TRUE(contains(messages, "; did you mean 'graph-decompose'? [T0501]")) << messages;
  EXPECT_EQ(api().moduleRunTo(module, "kernels", nullptr, sink()), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "no stage 'kernels'; did you mean 'kernel'?")) << messages;
  TwcCompileOptions options = optionsWith(nullptr);
  options.target = "hots";
  EXPECT_EQ(api().moduleRunTo(module, "kernel", &options, sink()), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "[T0505]")) << messages;
  options.size = 4;
  EXPECT_EQ(api().moduleRunTo(module, "kernel", &options, sink()), TWC_INVALID_ARGUMENT);
  TwcHooks hooks = {};
  hooks.size = 3;
  options = optionsWith(&hooks);
  EXPECT_EQ(api().moduleRunTo(module, "kernel", &options, sink()), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "TwcHooks has size 3")) << messages;
  // After a pass that fails the module is as it was.
  EXPECT_EQ(
      api().moduleRunPasses(module, "func.func(graph-to-view),kernel-to-launch", nullptr, sink()),
      TWC_FAILED);
  EXPECT_EQ(api().moduleVerify(module, sink()), TWC_OK) << messages;
  EXPECT_TRUE(contains(print(module), "tgraph.relu"));
  for (auto call : {+[] { return api().moduleVerify(nullptr, {}); },
                    +[] { return api().moduleRunTo(nullptr, "graph", nullptr, {}); },
                    +[] { return api().moduleRunPasses(nullptr, "", nullptr, {}); },
                    +[] { return api().moduleRead(nullptr, nullptr, {}, nullptr); },
                    +[] { return api().modulePrint(nullptr, 0, nullptr); },
                    +[] { return api().moduleClone(nullptr, nullptr); }})
    EXPECT_EQ(call(), TWC_INVALID_ARGUMENT);
  EXPECT_EQ(api().moduleStage(nullptr), nullptr);
  api().moduleRelease(nullptr);
  api().moduleRelease(module);
}

TEST_F(Modules, OutliveTheirContext) {
  TwcContext *other = nullptr;
  ASSERT_EQ(api().contextCreate(nullptr, &other), TWC_OK);
  TwcModule *module = nullptr;
  ASSERT_EQ(api().moduleCreate(other, nullptr, &module), TWC_OK);
  api().contextRelease(other);
  EXPECT_TRUE(contains(print(module), "module"));
  api().moduleRelease(module);
}

TEST_F(Modules, ListsAreJson) {
  for (const char *what : {"targets", "stages", "forms", "ops", "errors"}) {
    TwcBlob *blob = nullptr;
    ASSERT_EQ(api().list(context, what, sink(), &blob), TWC_OK) << messages;
    auto json = llvm::json::parse(take(blob));
    ASSERT_TRUE(bool(json)) << what;
    ASSERT_FALSE(json->getAsArray()->empty()) << what;
  }
  TwcBlob *blob = nullptr;
  EXPECT_EQ(api().list(context, "stage", sink(), &blob), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "no list of 'stage'; did you mean 'stages'?")) << messages;
}
