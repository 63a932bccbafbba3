// The interpreter is fast enough to judge a network: multiply-adds per second, printed.
//
// An optimised build does more than 200 million a second. The bound that fails is far below, for
// builds with sanitizers and for machines that are busy.
//===---------------------------------------------------------------------------------------===//
#include "Support.h"

#include "tw/Interpreter/Compare.h"
#include "tw/Interpreter/Inputs.h"

#include <ctime>

using namespace mlir;
using namespace tw;
using namespace tw::interp;

struct SpeedTest : InterpreterTest {
  // Runs the program on random inputs and prints its speed.
  std::vector<Tensor> measure(const char *name, const std::string &text, double multiplyAdds) {
    func::FuncOp func = parse(text);
    std::vector<Tensor> inputs;
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      inputs.push_back(makeInput(cast<RankedTensorType>(type), 1, unsigned(i)));
    // Time of the processor, which other processes do not lengthen.
    std::clock_t begin = std::clock();
    auto results = evaluate(func, inputs);
    double time = double(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_TRUE(succeeded(results));
    double speed = multiplyAdds / time;
    std::printf("%s: %.0f million multiply-adds a second\n", name, speed / 1e6);
    EXPECT_GT(speed, 1e7);
    return {results->begin(), results->end()};
  }
};

TEST_F(SpeedTest, Conv) {
  const char *signature =
      R"(func.func @f(%x: tensor<1x64x28x28xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>)";
  std::string graph = std::string(signature) + R"({
    %y = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1
        : tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x28x28xf32>
    return %y : tensor<1x64x28x28xf32>
  })";
  std::string kernel = std::string(signature) + R"({
    %y = tkernel.kernel (%o : 64, %p : 28, %q : 28, %c : 64, %r : 3, %s : 3)
        reads(%a = %x : tensor<1x64x28x28xf32>, %b = %w : tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32> {
      %0 = tkernel.load %a[0, %c, %p + %r - 1, %q + %s - 1] else 0.0 : tensor<1x64x28x28xf32>
      %1 = tkernel.load %b[%o, %c, %r, %s] : tensor<64x64x3x3xf32>
      %2 = tkernel.contract %0, %1 over (%c, %r, %s) : f32
      tkernel.store %2, 0[0, %o, %p, %q] : f32
    }
    return %y : tensor<1x64x28x28xf32>
  })";
  double count = 64.0 * 28 * 28 * 64 * 9;
  Tensor expected = measure("conv 3x3, graph", graph, count)[0];
  Tensor got = measure("conv 3x3, kernel", kernel, count)[0];
  EXPECT_TRUE(compare(got, expected).within(1e-7));
}

TEST_F(SpeedTest, SmallPlane) {
  std::string kernel =
      R"(func.func @f(%x: tensor<512x7x7xf32>, %w: tensor<128x512xf32>) -> tensor<128x7x7xf32> {
    %y = tkernel.kernel (%o : 128, %p : 7, %q : 7, %c : 512)
        reads(%a = %x : tensor<512x7x7xf32>, %b = %w : tensor<128x512xf32>) -> tensor<128x7x7xf32> {
      %0 = tkernel.load %a[%c, %p, %q] : tensor<512x7x7xf32>
      %1 = tkernel.load %b[%o, %c] : tensor<128x512xf32>
      %2 = tkernel.contract %0, %1 over (%c) : f32
      tkernel.store %2, 0[%o, %p, %q] : f32
    }
    return %y : tensor<128x7x7xf32>
  })";
  measure("conv 1x1 on 7x7, kernel", kernel, 128.0 * 49 * 512);
}

TEST_F(SpeedTest, MatrixVector) {
  std::string kernel =
      R"(func.func @f(%x: tensor<2048xf32>, %w: tensor<1000x2048xf32>) -> tensor<1000xf32> {
    %y = tkernel.kernel (%o : 1000, %c : 2048)
        reads(%a = %x : tensor<2048xf32>, %b = %w : tensor<1000x2048xf32>) -> tensor<1000xf32> {
      %0 = tkernel.load %a[%c] : tensor<2048xf32>
      %1 = tkernel.load %b[%o, %c] : tensor<1000x2048xf32>
      %2 = tkernel.contract %0, %1 over (%c) : f32
      tkernel.store %2, 0[%o] : f32
    }
    return %y : tensor<1000xf32>
  })";
  measure("matrix times vector, kernel", kernel, 1000.0 * 2048);
}
