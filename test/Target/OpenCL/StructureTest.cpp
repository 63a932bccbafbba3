// Loops, branches, local memory and vectors of printed kernels, run by an OpenCL driver.
#include "Runner.h"

#include <numeric>

using namespace tw::test;

namespace {

class OpenCLStructureTest : public testing::Test {
protected:
  Runner runner;

  static std::string global(size_t n, const std::string &element) {
    return "memref<" + std::to_string(n) + "x" + element + ", #gpu.address_space<global>>";
  }

  static std::string kernel(const std::string &signature, const std::string &body,
                            unsigned group = 64) {
    return "gpu.module @kernels {\ngpu.func @k" + signature +
           " kernel attributes {known_block_size = array<i32: " + std::to_string(group) +
           ", 1, 1>, tw.num_outputs = 1 : i64} {\n%t = gpu.thread_id x\n%g = gpu.block_id x\n" +
           body + "\ngpu.return\n}\n}\n";
  }
};

TEST_F(OpenCLStructureTest, CarriedValuesChangeAtOnce) {
  runner.build(kernel("(%y: " + global(64, "i64") + ")", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0 : i64
    %o = arith.constant 1 : i64
    %r:3 = scf.for %i = %c0 to %t step %c1 iter_args(%a = %z, %b = %o, %c = %z) -> (i64, i64, i64) {
      %n = arith.addi %a, %b : i64
      %m = arith.addi %c, %a : i64
      scf.yield %b, %n, %m : i64, i64, i64
    }
    %s = arith.subi %r#2, %r#0 : i64
    memref.store %s, %y[%t] : )" + global(64, "i64")));
  std::vector<uint8_t> y(64 * 8);
  runner.run("k", {&y}, 1, 64);
  int64_t a = 0, b = 1, sum = 0;
  for (int64_t value : fromBytes<int64_t>(y)) {
    EXPECT_EQ(value, sum - a);
    int64_t next = a + b;
    sum += a;
    a = b;
    b = next;
  }
}

TEST_F(OpenCLStructureTest, NestedSumsBranchesAndWhile) {
  runner.build(kernel("(%x: " + global(64, "f32") + ", %y: " + global(128, "f32") + ")", R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %limit = arith.constant 1000.0 : f32
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero, %m = %zero) -> (f32, f32) {
      %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%b = %a) -> (f32) {
        %k = arith.muli %i, %c8 : index
        %l = arith.addi %k, %j : index
        %v = memref.load %x[%l] : )" + global(64, "f32") + R"(
        %n = arith.addf %b, %v : f32
        scf.yield %n : f32
      }
      %big = arith.cmpf ogt, %s, %m : f32
      %top = scf.if %big -> (f32) {
        %d = arith.mulf %s, %two : f32
        scf.yield %d : f32
      } else {
        scf.yield %m : f32
      }
      scf.yield %s, %top : f32, f32
    }
    memref.store %r#1, %y[%t] : )" + global(128, "f32") + R"(
    %id = arith.index_cast %t : index to i32
    %start = arith.sitofp %id : i32 to f32
    %w:2 = scf.while (%f = %start, %n = %zero) : (f32, f32) -> (f32, f32) {
      %go = arith.cmpf olt, %f, %limit : f32
      %odd = arith.addf %f, %n : f32
      scf.condition(%go) %odd, %f : f32, f32
    } do {
    ^bb0(%f: f32, %n: f32):
      %d = arith.mulf %f, %two : f32
      %e = arith.addf %d, %two : f32
      scf.yield %e, %n : f32, f32
    }
    %both = arith.addf %w#0, %w#1 : f32
    %p = arith.addi %t, %c64 : index
    memref.store %both, %y[%p] : )" + global(128, "f32")));
  std::vector<float> input(64);
  std::iota(input.begin(), input.end(), -20.0f);
  std::vector<uint8_t> x = toBytes(input), y(128 * 4);
  runner.run("k", {&x, &y}, 1, 64);
  float sum = 0, top = 0;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j)
      sum += input[i * 8 + j];
    top = sum > top ? 2 * sum : top;
  }
  std::vector<float> results = fromBytes<float>(y);
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(results[t], top);
    float f = t, n = 0, first, second;
    while (true) {
      first = f + n;
      second = f;
      if (!(f < 1000))
        break;
      f = first * 2 + 2;
      n = second;
    }
    EXPECT_EQ(results[64 + t], first + second) << t;
  }
}

TEST_F(OpenCLStructureTest, LocalMemoryBarriersAndVectors) {
  std::string x = global(1024, "f32"), local = "memref<256xf32, #gpu.address_space<workgroup>>";
  runner.build(
      kernel("(%x: " + x + ", %y: " + x + ") workgroup(%s: " + local + ", %u: " + local + ")", R"(
    %c4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %c256 = arith.constant 256 : index
    %o = arith.muli %g, %c256 : index
    %l = arith.muli %t, %c4 : index
    %i = arith.addi %o, %l : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : )" + x + R"(, vector<4xf32>
    vector.store %v, %s[%l] {alignment = 16 : i64} : )" + local + R"(, vector<4xf32>
    gpu.barrier
    %m = arith.subi %c63, %t : index
    %n = arith.muli %m, %c4 : index
    %w = vector.load %s[%n] : )" + local + R"(, vector<4xf32>
    %a = vector.extract %w[3] : f32 from vector<4xf32>
    %b = vector.extract %w[2] : f32 from vector<4xf32>
    %c = vector.extract %w[1] : f32 from vector<4xf32>
    %d = vector.extract %w[0] : f32 from vector<4xf32>
    %z = vector.from_elements %a, %b, %c, %d : vector<4xf32>
    vector.store %z, %y[%i] : )" + x + R"(, vector<4xf32>)"));
  std::vector<float> input(1024);
  std::iota(input.begin(), input.end(), 0.0f);
  std::vector<uint8_t> in = toBytes(input), out(4096);
  runner.run("k", {&in, &out}, 4, 64);
  std::vector<float> results = fromBytes<float>(out);
  for (int i = 0; i < 1024; ++i)
    EXPECT_EQ(results[i], input[i / 256 * 256 + 255 - i % 256]) << i;
}

TEST_F(OpenCLStructureTest, ScalarsFollowBuffers) {
  runner.build(kernel("(%y: " + global(64, "i8") + ", %n: i64, %m: index)", R"(
    %mi = arith.index_cast %m : index to i64
    %s = arith.addi %n, %mi : i64
    %b = arith.trunci %s : i64 to i8
    memref.store %b, %y[%t] : )" + global(64, "i8")));
  std::vector<uint8_t> y(64);
  runner.run("k", {&y}, 1, 64, {-3, 10});
  for (uint8_t value : y)
    EXPECT_EQ(value, 7);
}

} // namespace
