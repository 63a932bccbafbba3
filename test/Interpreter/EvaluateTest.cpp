// The interface of the interpreter: inputs, observers, constants.
//===---------------------------------------------------------------------------------------===//
#include "Support.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Inputs.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

struct EvaluateTest : InterpreterTest {
  // The one diagnostic that `run` gives.
  template <typename F> std::string messageOf(F run) {
    std::string message;
    ScopedDiagnosticHandler handler(&context,
                                    [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
    EXPECT_TRUE(failed(run()));
    return message;
  }
  static constexpr const char *addition = R"(
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %a = tgraph.add %x, %y : tensor<2xf32>
      %b = tgraph.mul %a, %a : tensor<2xf32>
      return %b : tensor<2xf32>
    })";
};

TEST_F(EvaluateTest, ObservesEveryOp) {
  func::FuncOp func = parse(addition);
  float x[2] = {1, 2}, y[2] = {3, 4};
  std::vector<std::string> seen;
  Options options;
  options.observe = [&](Operation *op, ArrayRef<Tensor> results) {
    seen.push_back(op->getName().getStringRef().str() + " " +
                   std::to_string(results[0].elements<float>()[1]));
  };
  auto results =
      evaluate(func, {Tensor::borrow(floats({2}), x), Tensor::borrow(floats({2}), y)}, options);
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[0].elements<float>()[0], 16);
  EXPECT_EQ(seen, (std::vector<std::string>{"tgraph.add 6.000000", "tgraph.mul 36.000000"}));
}

TEST_F(EvaluateTest, ChecksItsInputs) {
  func::FuncOp func = parse(addition);
  Tensor two = Tensor::allocate(floats({2})), three = Tensor::allocate(floats({3}));
  EXPECT_EQ(messageOf([&] { return evaluate(func, {two}); }),
            "'func.func' op expected 2 inputs, found 1 [T0703]");
  EXPECT_EQ(
      messageOf([&] { return evaluate(func, {two, three}); }),
      "'func.func' op expected input 1 of type 'tensor<2xf32>', found 'tensor<3xf32>' [T0703]");
}

TEST_F(EvaluateTest, ReadsFilesThroughTheResolver) {
  func::FuncOp func = parse(R"(
    func.func @f() -> tensor<2xf32> {
      %w = tgraph.constant #tgraph.file<"w", 4, 8> : tensor<2xf32>
      return %w : tensor<2xf32>
    })");
  float data[3] = {1, 2, 3};
  Options options;
  size_t length = 8;
  options.resolve = [&](graph::FileAttr file) -> FailureOr<ArrayRef<char>> {
    return ArrayRef<char>(reinterpret_cast<char *>(data) + file.getOffset(), length);
  };
  auto results = evaluate(func, {}, options);
  ASSERT_TRUE(succeeded(results));
  // Mapped, not copied.
  EXPECT_EQ((*results)[0].bytes(), reinterpret_cast<char *>(data + 1));
  length = 7;
  EXPECT_EQ(messageOf([&] { return evaluate(func, {}, options); }),
            "'tgraph.constant' op expected 8 bytes for 'tensor<2xf32>', found 7 [T0706]");
}

TEST_F(EvaluateTest, EvaluatesConstantsOnly) {
  func::FuncOp func = parse(R"(
    func.func @f(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<64xi64>, tensor<2xf32>) {
      %a = tgraph.constant dense<[3, 4]> : tensor<2xi64>
      %b = tgraph.mul %a, %a : tensor<2xi64>
      %c = tgraph.add %b, %x : tensor<2xi64>
      %d = tgraph.iota dim 0 : tensor<64xi64>
      %w = tgraph.constant #tgraph.file<"w", 0, 8> : tensor<2xf32>
      return %b, %c, %d, %w : tensor<2xi64>, tensor<2xi64>, tensor<64xi64>, tensor<2xf32>
    })");
  ValueRange values = func.front().getTerminator()->getOperands();
  auto product = evaluateConstant(values[0]);
  ASSERT_TRUE(succeeded(product));
  EXPECT_EQ((*product).getValues<int64_t>()[1], 16);
  EXPECT_EQ(messageOf([&] { return evaluateConstant(values[1]); }), "");
  EXPECT_EQ(messageOf([&] { return evaluateConstant(values[2], {}, 511); }), "");
  EXPECT_TRUE(succeeded(evaluateConstant(values[2], {}, 512)));
  EXPECT_EQ(messageOf([&] { return evaluateConstant(values[3]); }), "");
}

TEST_F(EvaluateTest, InputsAreSeeded) {
  auto type = floats({1000});
  Tensor a = makeInput(type, 7, 0), b = makeInput(type, 7, 0), c = makeInput(type, 7, 1);
  EXPECT_EQ(a.elements<float>(), b.elements<float>());
  EXPECT_NE(a.elements<float>(), c.elements<float>());
  EXPECT_TRUE(llvm::all_of(a.elements<float>(), [](float x) { return x >= -1 && x < 1; }));
  Tensor integers = makeInput(type, 7, 0, /*integers=*/true);
  EXPECT_TRUE(llvm::all_of(integers.elements<float>(),
                           [](float x) { return x == std::trunc(x) && std::fabs(x) <= 4; }));
}
