// Functions built op by op, and what goes wrong.
#include "Api.h"

using namespace tw::test;

namespace {

constexpr uint32_t f32 = 18;

class Build : public CApiTest {
public:
  void SetUp() override {
    CApiTest::SetUp();
    ASSERT_EQ(api().moduleCreate(context, nullptr, &module), TWC_OK);
    ASSERT_EQ(api().functionCreate(module, "main", &function), TWC_OK);
  }
  void TearDown() override {
    api().moduleRelease(module);
    CApiTest::TearDown();
  }

  TwcValue argument(const char *name, std::vector<int64_t> dims, uint32_t element = f32) {
    TwcType type = {element, uint32_t(dims.size()), dims.data(), nullptr};
    TwcValue value = {};
    EXPECT_EQ(api().functionArgument(function, name, &type, nullptr, sink(), &value), TWC_OK)
        << messages;
    return value;
  }
  static TwcArgument of(TwcValue value) {
    TwcArgument argument = {};
    argument.kind = TWC_ARGUMENT_VALUE;
    argument.value = value;
    return argument;
  }
  static TwcArgument of(const char *name, int64_t number) {
    TwcArgument argument = {};
    argument.name = name;
    argument.kind = TWC_ARGUMENT_INTEGER;
    argument.integer = number;
    return argument;
  }
  TwcCode tryCall(const char *op, const std::vector<TwcArgument> &arguments, TwcValue *result) {
    static const TwcPlace place = {"model.c", 12, 5};
    size_t count = 1;
    return api().functionCall(function, op, arguments.data(), arguments.size(), &place, sink(),
                              result, &count);
  }
  TwcValue call(const char *op, const std::vector<TwcArgument> &arguments) {
    TwcValue result = {};
    EXPECT_EQ(tryCall(op, arguments, &result), TWC_OK) << messages;
    return result;
  }
  void finish(std::vector<TwcValue> values) {
    ASSERT_EQ(
        api().functionReturn(function, values.data(), nullptr, values.size(), nullptr, sink()),
        TWC_OK)
        << messages;
  }
  std::vector<float> run(std::vector<std::vector<float>> inputs,
                         std::vector<std::vector<int64_t>> dims, std::vector<int64_t> resultDims) {
    std::vector<TwcTensor> arguments;
    for (size_t i = 0; i != inputs.size(); ++i)
      arguments.push_back({f32, uint32_t(dims[i].size()), dims[i].data(), inputs[i].data()});
    size_t count = 1;
    for (int64_t dim : resultDims)
      count *= size_t(dim);
    std::vector<float> result(count);
    TwcTensor out = {f32, uint32_t(resultDims.size()), resultDims.data(), result.data()};
    EXPECT_EQ(api().moduleInterpret(module, arguments.data(), arguments.size(), &out, 1, sink()),
              TWC_OK)
        << messages;
    return result;
  }

public:
  TwcValue isAbove(TwcValue value) { return call("greater", {of(value), of(nullptr, 1)}); }
  TwcValue halve(TwcValue value) { return call("divide", {of(value), of(nullptr, 2)}); }

public:
  TwcModule *module = nullptr;
  TwcFunction *function = nullptr;
};

} // namespace

TEST_F(Build, FillWithOneNumber) {
  TwcValue x = argument("x", {3}), numbers = {}, filled = {};
  float data[3] = {1, 2, 3};
  int64_t dims[] = {3}, two[] = {2};
  for (int64_t *shape : {dims, two}) {
    TwcTensor tensor = {f32, 1, shape, data};
    ASSERT_EQ(api().functionConstant(function, &tensor, nullptr, sink(), &numbers), TWC_OK);
    TwcCode code = tryCall("full_like", {of(x), of(numbers)}, &filled);
    EXPECT_EQ(code, shape == dims ? TWC_OK : TWC_FAILED) << messages;
  }
}

TEST_F(Build, EndWhenPassesRun) {
  TwcValue x = argument("x", {3}), y = call("abs", {of(x)});
  finish({y});
  ASSERT_EQ(api().moduleRunPasses(module, "func.func(canonicalize)", nullptr, sink()), TWC_OK);
  EXPECT_EQ(tryCall("abs", {of(x)}, &y), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "passes have run on the module since the function was made"));
  uint32_t rank = 0;
  EXPECT_EQ(api().valueType(x, nullptr, &rank, nullptr, 0), TWC_INVALID_ARGUMENT);
  // Others can be made.
  EXPECT_EQ(api().functionCreate(module, "other", &function), TWC_OK);
  argument("x", {3});
}

TEST_F(Build, SayThatAnOperandIsNone) {
  TwcValue result = {};
  TwcArgument none = of(TwcValue{});
  EXPECT_EQ(tryCall("concat", {none}, &result), TWC_FAILED);
  EXPECT_TRUE(contains(messages, "[T05") || contains(messages, "[T02")) << messages;
}

TEST_F(Build, ANetwork) {
  TwcValue x = argument("x", {2, 3}), w = argument("w", {4, 3});
  float bias[] = {1, 2, 3, 4};
  int64_t four = 4;
  TwcTensor tensor = {f32, 1, &four, bias};
  TwcValue b = {};
  ASSERT_EQ(api().functionConstant(function, &tensor, nullptr, sink(), &b), TWC_OK) << messages;
  TwcValue y = call("linear", {of(x), of(w), of(b)});
  TwcValue s = call("sum", {of(y), of("axis", -1)});
  uint32_t element = 0, rank = 0;
  int64_t dims[4];
  ASSERT_EQ(api().valueType(y, &element, &rank, dims, 4), TWC_OK);
  EXPECT_EQ(element, f32);
  ASSERT_EQ(rank, 2u);
  EXPECT_EQ(dims[1], 4);
  finish({s});
  EXPECT_EQ(
      run({{1, 0, 0, 0, 1, 0}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, {{2, 3}, {4, 3}}, {2}),
      (std::vector<float>{1 + 4 + 7 + 10 + 10, 2 + 5 + 8 + 11 + 10}));
  TwcBlob *bytes = nullptr;
  ASSERT_EQ(api().moduleCompile(module, nullptr, sink(), &bytes, nullptr), TWC_OK) << messages;
  api().blobRelease(bytes);
}

TEST_F(Build, SeveralResults) {
  TwcValue x = argument("x", {4});
  TwcValue parts[2] = {};
  size_t count = 1;
  std::vector<TwcArgument> arguments{of(x), of("sizes", 2)};
  EXPECT_EQ(
      api().functionCall(function, "split", arguments.data(), 2, nullptr, sink(), parts, &count),
      TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "there are 2 results")) << messages;
  count = 2;
  ASSERT_EQ(
      api().functionCall(function, "split", arguments.data(), 2, nullptr, sink(), parts, &count),
      TWC_OK)
      << messages;
  EXPECT_EQ(count, 2u);
  finish({call("subtract", {of(parts[1]), of(parts[0])})});
  EXPECT_EQ(run({{1, 2, 4, 8}}, {{4}}, {2}), (std::vector<float>{3, 6}));
}

TEST_F(Build, Symbols) {
  ASSERT_EQ(api().functionSymbol(function, "S", 1, 64, 1, nullptr, sink()), TWC_OK) << messages;
  EXPECT_EQ(api().functionTypical(function, "S", 8, nullptr, sink()), TWC_OK) << messages;
  EXPECT_NE(api().functionTypical(function, "S", 65, nullptr, sink()), TWC_OK);
  EXPECT_TRUE(contains(messages, "the typical size of 'S' is 65, expected a multiple of 1 from 1 "
                                 "to 64 [T0209]"))
      << messages;
  EXPECT_NE(api().functionTypical(function, "T", 1, nullptr, sink()), TWC_OK);
  messages.clear();
  int64_t dims[] = {-1, 8};
  const char *expressions[] = {"2*S + 1", nullptr};
  TwcType type = {f32, 2, dims, expressions};
  TwcValue x = {};
  ASSERT_EQ(api().functionArgument(function, "x", &type, nullptr, sink(), &x), TWC_OK) << messages;
  TwcArgument shape = {};
  shape.kind = TWC_ARGUMENT_SHAPE;
  int64_t sizes[] = {-1, 2, 4};
  shape.integers = sizes;
  shape.count = 3;
  TwcValue y = call("reshape", {of(x), shape});
  int64_t found[3];
  ASSERT_EQ(api().valueType(y, nullptr, nullptr, found, 3), TWC_OK);
  EXPECT_EQ(found[0], -1);
  EXPECT_EQ(found[2], 4);
  TwcBlob *text = nullptr;
  ASSERT_EQ(api().valueDim(y, 0, &text), TWC_OK);
  EXPECT_EQ(take(text), "2 * S + 1");
  expressions[0] = "S +";
  EXPECT_EQ(api().functionArgument(function, "z", &type, nullptr, sink(), &x),
            TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(
      contains(messages, "expected a sum of symbols such as P + 2 * S + 1, found 'S +' [T0209]"))
      << messages;
  finish({y});
  EXPECT_EQ(api().moduleVerify(module, sink()), TWC_OK) << messages;
}

TEST_F(Build, BranchesAndLoops) {
  TwcValue x = argument("x", {3, 2}), zero = argument("zero", {2});
  struct Body {
    Build *test;
    static size_t step(void *user, const TwcValue *arguments, size_t count, TwcValue *values,
                       size_t capacity) {
      Build &test = *static_cast<Body *>(user)->test;
      EXPECT_EQ(count, 2u);
      EXPECT_GE(capacity, 2u);
      values[0] = test.call("add", {of(arguments[0]), of(arguments[1])});
      values[1] = test.call("negative", {of(values[0])});
      return 2;
    }
    static size_t all(void *user, const TwcValue *, size_t, TwcValue *values, size_t) {
      values[0] = static_cast<Body *>(user)->value;
      return 1;
    }
    static size_t fail(void *, const TwcValue *, size_t, TwcValue *, size_t) { return SIZE_MAX; }
    TwcValue value = {};
  } body{this}, left{this}, right{this};
  TwcValue results[2];
  size_t count = 2;
  EXPECT_EQ(api().functionScan(function, {Body::fail, nullptr}, &zero, 1, &x, 1, -1, 0, nullptr,
                               sink(), results, &count),
            TWC_FAILED);
  ASSERT_EQ(api().functionScan(function, {Body::step, &body}, &zero, 1, &x, 1, -1, 0, nullptr,
                               sink(), results, &count),
            TWC_OK)
      << messages;
  left.value = results[0], right.value = zero;
  TwcValue sum = call("sum", {of(results[0])}),
           positive = call("greater", {of(sum), of(nullptr, 0)}), chosen = {};
  count = 1;
  ASSERT_EQ(api().functionCond(function, positive, {Body::all, &left}, {Body::all, &right}, nullptr,
                               sink(), &chosen, &count),
            TWC_OK)
      << messages;
  finish({chosen});
  EXPECT_EQ(run({{1, 2, 3, 4, 5, 6}, {0, 0}}, {{3, 2}, {2}}, {2}), (std::vector<float>{9, 12}));
  EXPECT_EQ(run({{1, 2, 3, 4, -5, -160}, {7, 8}}, {{3, 2}, {2}}, {2}), (std::vector<float>{7, 8}));
}

TEST_F(Build, While) {
  TwcValue x = argument("x", {});
  auto condition = [](void *user, const TwcValue *arguments, size_t, TwcValue *values,
                      size_t) -> size_t {
    values[0] = static_cast<Build *>(user)->isAbove(arguments[0]);
    return 1;
  };
  auto body = [](void *user, const TwcValue *arguments, size_t, TwcValue *values,
                 size_t) -> size_t {
    values[0] = static_cast<Build *>(user)->halve(arguments[0]);
    return 1;
  };
  TwcValue y = {};
  size_t count = 1;
  ASSERT_EQ(api().functionWhile(function, {condition, this}, {body, this}, &x, 1, 100, nullptr,
                                sink(), &y, &count),
            TWC_OK)
      << messages;
  finish({y});
  EXPECT_EQ(run({{100}}, {{}}, {}), (std::vector<float>{0.78125f}));
}

TEST_F(Build, ErrorsLeaveTheModuleUsable) {
  TwcValue x = argument("x", {2, 3}), y = {};
  EXPECT_EQ(tryCall("matmul", {of(x), of(x)}, &y), TWC_FAILED);
  EXPECT_EQ(messages,
            "model.c:12:5: matmul: expected one inner size, found 3 of 2x3 and 2 of 2x3 [T0208]\n");
  EXPECT_EQ(y.value, nullptr);
  EXPECT_EQ(tryCall("sofmax", {of(x)}, &y), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "sofmax: no such function; did you mean 'softmax'?")) << messages;
  EXPECT_EQ(tryCall("softmax", {of(x), of("axes", 1)}, &y), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "no argument 'axes'; did you mean 'axis'?")) << messages;
  EXPECT_EQ(tryCall("relu", {of(TwcValue{})}, &y), TWC_FAILED);
  // Of another function.
  TwcFunction *other = nullptr;
  ASSERT_EQ(api().functionCreate(module, "other", &other), TWC_OK);
  int64_t two = 2;
  TwcType type = {f32, 1, &two, nullptr};
  TwcValue foreign = {};
  ASSERT_EQ(api().functionArgument(other, "x", &type, nullptr, sink(), &foreign), TWC_OK);
  EXPECT_EQ(tryCall("relu", {of(foreign)}, &y), TWC_FAILED);
  EXPECT_EQ(api().functionCreate(module, "other", &other), TWC_INVALID_ARGUMENT);
  type.element = 999;
  EXPECT_EQ(api().functionArgument(function, "y", &type, nullptr, sink(), &foreign), TWC_FAILED);
  TwcArgument wrong = of(x);
  wrong.kind = 77;
  EXPECT_EQ(tryCall("relu", {wrong}, &y), TWC_INVALID_ARGUMENT);
  // Not done yet.
  TwcBlob *bytes = nullptr;
  EXPECT_EQ(api().moduleCompile(module, nullptr, sink(), &bytes, nullptr), TWC_FAILED);
  EXPECT_TRUE(contains(messages, "function 'main' has not returned")) << messages;
  finish({call("relu", {of(x)})});
  function = other;
  finish({foreign});
  ASSERT_EQ(api().moduleCompile(module, nullptr, sink(), &bytes, nullptr), TWC_OK) << messages;
  api().blobRelease(bytes);
  EXPECT_EQ(tryCall("relu", {of(x)}, &y), TWC_FAILED);
  for (TwcCode code :
       {api().functionCall(nullptr, "relu", nullptr, 0, nullptr, {}, nullptr, nullptr),
        api().functionCreate(nullptr, "f", nullptr),
        api().functionReturn(nullptr, nullptr, nullptr, 0, nullptr, {}),
        api().valueType({}, nullptr, nullptr, nullptr, 0), api().valueDim({}, 0, nullptr)})
    EXPECT_EQ(code, TWC_INVALID_ARGUMENT);
}
