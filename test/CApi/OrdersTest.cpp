// Calls in orders that nobody means, with handles of anything: each gives a code, and tells why.
#include "Api.h"

#include "llvm/Support/JSON.h"

#include <random>

using namespace tw::test;

namespace {

constexpr uint32_t f32 = 18;

class Orders : public CApiTest {
protected:
  struct Built {
    TwcModule *module;
    TwcFunction *function;
    std::vector<TwcValue> values;
  };

  std::mt19937 random;
  std::vector<TwcModule *> modules;
  std::vector<Built> functions;
  std::vector<std::string> ops;
  std::vector<std::string> history;
  unsigned depth = 0;
  size_t good = 0;

  size_t draw(size_t count) { return count ? random() % count : 0; }
  bool happens(unsigned percent) { return draw(100) < percent; }
  template <typename T> T pick(const std::vector<T> &all) {
    return all.empty() || happens(5) ? T() : all[draw(all.size())];
  }
  const char *name() {
    static const char *const names[] = {"main", "x", "", "a b", "f", nullptr, "\xff\xfe", "S"};
    return names[draw(std::size(names))];
  }

  /// Every call gives a code; one that fails says why, unless the code says it: arguments that are
  /// NULL.
  void note(const char *call, TwcCode code, bool speaks = true) {
    history.push_back(std::string(call) + " " + std::to_string(code));
    EXPECT_LE(unsigned(code), unsigned(TWC_CANCELLED)) << call;
    good += code == TWC_OK;
    if (code == TWC_OK && speaks)
      EXPECT_EQ(messages.find("error"), std::string::npos) << call << ": " << messages;
    else if (speaks && code != TWC_INVALID_ARGUMENT)
      EXPECT_NE(messages, "") << call << " said nothing";
  }

  void keep(TwcModule *module, TwcCode code) {
    EXPECT_EQ(module != nullptr, code == TWC_OK);
    if (module)
      modules.push_back(module);
  }
  void drop(TwcBlob *blob) {
    if (blob)
      EXPECT_NE(api().blobBytes(blob).data, nullptr);
    api().blobRelease(blob);
  }

  TwcType type(std::vector<int64_t> &dims) {
    dims.clear();
    for (size_t i = 0, rank = draw(4); i < rank; ++i)
      dims.push_back(happens(5) ? int64_t(draw(3)) - 2 : int64_t(1 + draw(4)));
    return {happens(90) ? f32 : uint32_t(draw(40)), uint32_t(dims.size()), dims.data(), nullptr};
  }
  TwcValue value(const Built &built) {
    if (happens(3) && !functions.empty())
      return pick(pick(functions).values); // of another function, perhaps
    return pick(built.values);
  }
  void add(Built &built, TwcCode code, const TwcValue *made, size_t count) {
    if (code == TWC_OK)
      built.values.insert(built.values.end(), made, made + count);
  }

  static size_t build(void *user, const TwcValue *arguments, size_t count, TwcValue *values,
                      size_t capacity) {
    auto &self = *static_cast<Orders *>(user);
    Built &built = *self.inside;
    size_t before = built.values.size();
    built.values.insert(built.values.end(), arguments, arguments + count);
    for (size_t i = self.draw(4); i && self.depth < 3; --i)
      self.buildSomething(built);
    size_t given = self.happens(10) ? self.draw(capacity + 2) : std::min<size_t>(1, capacity);
    for (size_t i = 0; i < std::min(given, capacity); ++i)
      values[i] = self.value(built);
    built.values.resize(before);
    return given;
  }
  Built *inside = nullptr;

  void buildSomething(Built &built) {
    ++depth;
    Built *outside = std::exchange(inside, &built);
    TwcValue made[4] = {};
    size_t count = happens(95) ? 4 : draw(3);
    TwcRegion region = {build, this};
    std::vector<int64_t> dims;
    TwcType of = type(dims);
    TwcSink to = sink();
    switch (draw(10)) {
    case 0: {
      TwcCode code = api().functionArgument(built.function, name(), &of, nullptr, to, made);
      note("functionArgument", code);
      add(built, code, made, 1);
      break;
    }
    case 1: {
      float data[256] = {1, -2, 3};
      TwcTensor tensor = {of.element, of.rank, dims.data(), data};
      TwcCode code = api().functionConstant(built.function, &tensor, nullptr, to, made);
      note("functionConstant", code);
      add(built, code, made, 1);
      break;
    }
    case 2: {
      TwcCode code = api().functionCond(built.function, value(built), region, region, nullptr, to,
                                        made, &count);
      note("functionCond", code, false); // its regions may have said it
      add(built, code, made, std::min<size_t>(count, 4));
      break;
    }
    case 3: {
      TwcValue init[2] = {value(built), value(built)};
      TwcCode code = api().functionWhile(built.function, region, region, init, draw(3),
                                         int64_t(draw(5)) - 1, nullptr, to, made, &count);
      note("functionWhile", code, false); // its regions may have said it
      add(built, code, made, std::min<size_t>(count, 4));
      break;
    }
    case 4: {
      TwcValue init[2] = {value(built), value(built)}, xs[1] = {value(built)};
      TwcCode code =
          api().functionScan(built.function, region, init, draw(3), xs, draw(2),
                             int64_t(draw(5)) - 1, happens(50), nullptr, to, made, &count);
      note("functionScan", code, false); // its regions may have said it
      add(built, code, made, std::min<size_t>(count, 4));
      break;
    }
    case 5: {
      TwcValue values[2] = {value(built), value(built)};
      note("functionReturn",
           api().functionReturn(built.function, values, nullptr, draw(3), nullptr, to));
      break;
    }
    case 6:
      note("functionSymbol", api().functionSymbol(built.function, name(), int64_t(draw(4)) - 1,
                                                  int64_t(draw(9)), int64_t(draw(3)), nullptr, to));
      note("functionTypical",
           api().functionTypical(built.function, name(), int64_t(draw(6)) - 1, nullptr, to));
      break;
    default: {
      std::vector<TwcArgument> arguments(draw(4));
      for (TwcArgument &argument : arguments) {
        argument = {};
        argument.kind = happens(70) ? uint32_t(TWC_ARGUMENT_VALUE) : uint32_t(draw(6));
        argument.value = value(built);
        argument.integer = int64_t(draw(5)) - 1;
        argument.number = 0.5;
        argument.text = "add";
        argument.integers = &argument.integer;
        argument.count = argument.kind == TWC_ARGUMENT_INTEGERS;
      }
      std::string op = pick(ops);
      TwcCode code = api().functionCall(built.function, op.c_str(), arguments.data(),
                                        arguments.size(), nullptr, to, made, &count);
      note(("functionCall " + op).c_str(), code);
      add(built, code, made, std::min<size_t>(count, 4));
    }
    }
    inside = outside;
    --depth;
  }

  void useModule() {
    TwcModule *module = pick(modules);
    TwcSink to = sink();
    TwcCompileOptions options = {};
    options.size = happens(97) ? sizeof(options) : uint32_t(draw(9));
    options.target = happens(90) ? "host:x86-64-v3" : "hots";
    options.options = happens(90) ? "threads=1" : "threads=many";
    const TwcCompileOptions *given = happens(90) ? &options : nullptr;
    static const char *const stages[] = {"graph", "view", "kernel", "schedule", "kernl", nullptr};
    static const char *const passes[] = {"func.func(canonicalize,cse)",
                                         "func.func(canonicaliz)",
                                         "func.func(graph-decompose)",
                                         "",
                                         nullptr,
                                         "x(((("};
    TwcBlob *blob = nullptr, *report = nullptr;
    switch (draw(12)) {
    case 0: {
      TwcModule *clone = nullptr;
      TwcCode code = api().moduleClone(module, &clone);
      note("moduleClone", code, false);
      keep(clone, code);
      break;
    }
    case 1:
      // With it go its functions and their values.
      std::erase(modules, module);
      std::erase_if(functions, [&](const Built &built) { return built.module == module; });
      api().moduleRelease(module);
      break;
    case 2:
      note("moduleVerify", api().moduleVerify(module, to), module != nullptr);
      break;
    case 3:
      note("modulePrint", api().modulePrint(module, uint32_t(draw(20)), &blob), false);
      break;
    case 4:
      if (module)
        EXPECT_NE(api().moduleStage(module), nullptr);
      break;
    case 5:
      note("moduleRunTo", api().moduleRunTo(module, stages[draw(std::size(stages))], given, to),
           false);
      break;
    case 6:
      note("moduleRunPasses",
           api().moduleRunPasses(module, passes[draw(std::size(passes))], given, to), false);
      break;
    case 7:
      if (happens(20))
        note("moduleCompile",
             api().moduleCompile(module, given, to, happens(90) ? &blob : nullptr,
                                 happens(50) ? &report : nullptr),
             false);
      break;
    case 8: {
      float data[512] = {};
      std::vector<int64_t> dims, resultDims;
      TwcType of = type(dims), result = type(resultDims);
      TwcTensor argument = {of.element, of.rank, dims.data(), data};
      TwcTensor out = {result.element, result.rank, resultDims.data(), data + 256};
      note("moduleInterpret", api().moduleInterpret(module, &argument, draw(2), &out, draw(2), to),
           false);
      break;
    }
    default: {
      Built built = {module, nullptr, {}};
      TwcCode code = api().functionCreate(module, name(), &built.function);
      note("functionCreate", code, false);
      EXPECT_EQ(built.function != nullptr, code == TWC_OK);
      if (built.function)
        functions.push_back(built);
    }
    }
    drop(blob);
    drop(report);
  }

  void makeModule() {
    TwcModule *module = nullptr;
    TwcSink to = sink();
    if (happens(60)) {
      TwcCode code = api().moduleCreate(context, happens(50) ? nullptr : "/nowhere", &module);
      note("moduleCreate", code);
      keep(module, code);
      return;
    }
    std::string text = happens(70) ? relu : relu.substr(0, draw(relu.size()));
    TwcInput input = {};
    input.size = happens(95) ? sizeof(input) : uint32_t(draw(200));
    input.bytes = {text.data(), text.size()};
    TwcCode code = api().moduleRead(context, &input, to, &module);
    note("moduleRead", code);
    keep(module, code);
  }
};

} // namespace

TEST_F(Orders, OfAnyCalls) {
  TwcBlob *json = nullptr;
  ASSERT_EQ(api().list(context, "ops", sink(), &json), TWC_OK);
  llvm::Expected<llvm::json::Value> listed = llvm::json::parse(take(json));
  ASSERT_TRUE(bool(listed));
  for (const llvm::json::Value &op : *listed->getAsArray())
    ops.push_back(op.getAsObject()->getString("name")->str());
  ASSERT_GT(ops.size(), 100u);
  size_t calls = 0;
  for (unsigned seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    random.seed(seed);
    history.clear();
    for (int i = 0; i < 150 && !HasFailure(); ++i) {
      size_t what = draw(10);
      if (what == 0 || modules.empty())
        makeModule();
      else if (what < 4 || functions.empty())
        useModule();
      else
        buildSomething(functions[draw(functions.size())]);
    }
    calls += history.size();
    if (HasFailure()) {
      std::string all;
      for (const std::string &one : history)
        all += one + "\n";
      ADD_FAILURE() << "seed " << seed << ", calls and codes:\n" << all;
    }
    for (TwcModule *module : modules)
      api().moduleRelease(module);
    modules.clear();
    functions.clear();
    // The context serves as before.
    TwcModule *module = parse(relu);
    EXPECT_EQ(api().moduleVerify(module, sink()), TWC_OK) << messages;
    api().moduleRelease(module);
  }
  EXPECT_GT(calls, 5000u);
  EXPECT_GT(good, calls / 10);
}
