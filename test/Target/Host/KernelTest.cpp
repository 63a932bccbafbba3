// Tile programs through the whole host target, run and compared with plain loops.
#include "Loader.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;

namespace {

class KernelTest : public testing::TestWithParam<const char *> {
protected:
  KernelTest() : context(makeRegistry()) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    tw::registerDialects(registry);
    return registry;
  }

  /// Runs the first kernel of `source` over its whole grid.
  void run(const char *source, std::vector<void *> bindings) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    auto artefacts = tw::findTarget("host")->compile(*module, {GetParam(), 3});
    ASSERT_TRUE(succeeded(artefacts));
    tw::Artefact *artefact = artefacts->data();
    tw::host::Image image;
    image.bytes = artefact->bytes;
    image.entries.push_back({artefact->entries[0].name, artefact->entries[0].offset});
    tw::test::LoadedImage loaded(image);
    uint32_t programs = artefact->entries[0].programs;
    tw::test::Launch launch{bindings.data(), nullptr, {programs, 1, 1}};
    // In two ranges, as two threads would.
    loaded.kernel(0)(&launch, programs / 2, programs, nullptr);
    loaded.kernel(0)(&launch, 0, programs / 2, nullptr);
  }

  MLIRContext context;
};

std::vector<float> ramp(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = scale * (float(i * 37 % 101) - 50.0f);
  return values;
}

TEST_P(KernelTest, MatmulWithRelu) {
  std::vector<float> a = ramp(64, 0.1f), b = ramp(256, 0.2f), c(256, NAN);
  run(R"(
    ttile.func @matmul_relu(%a: memref<8x8xf32>, %b: memref<8x32xf32>) results(%c: memref<8x32xf32>) grid(%i = 4) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant dense<0.0> : tensor<2x32xf32>
      %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<2x32xf32>) {
        %ta = ttile.load %a through #tview.map<affine_map<(d0, d1, d2, d3) -> (d2 * 2 + d0, d3)>>(%i, %k) : memref<8x8xf32> -> tensor<2x1xf32>
        %tb = ttile.load %b through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%k) : memref<8x32xf32> -> tensor<1x32xf32>
        %next = ttile.mma %ta, %tb, %acc : tensor<2x1xf32>, tensor<1x32xf32>, tensor<2x32xf32>
        scf.yield %next : tensor<2x32xf32>
      }
      %relu = arith.maximumf %sum, %zero : tensor<2x32xf32>
      ttile.store %relu, %c through #tview.map<affine_map<(d0, d1, d2) -> (d2 * 2 + d0, d1)>>(%i) : tensor<2x32xf32> -> memref<8x32xf32>
      ttile.return
    })",
      {a.data(), b.data(), c.data()});
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 32; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < 8; ++k)
        sum = std::fma(a[i * 8 + k], b[k * 32 + j], sum);
      EXPECT_EQ(c[i * 32 + j], std::max(sum, 0.0f)) << i << ' ' << j;
    }
  }
}

TEST_P(KernelTest, GuardsFillsAndTails) {
  // y[i] = x[2 i - 3] for 1 <= i <= 9 inside x; 1 below, 2 above, 3 outside.
  std::vector<float> x = ramp(13, 1.0f), y(22, NAN);
  run(R"(
    ttile.func @guards(%x: memref<13xf32>) results(%y: memref<20xf32>) grid(%i = 2) {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 * 2 - 3)>, [(d0, d1) : (d0 ge 1) else 1.0 : f32, (d0, d1) : (d0 le 9) else 2.0 : f32], else 3.0 : f32>(%i) : memref<13xf32> -> tensor<20xf32>
      ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d0)>>(%i) : tensor<20xf32> -> memref<20xf32>
      ttile.return
    })",
      {x.data(), y.data()});
  for (int i = 0; i < 20; ++i) {
    int from = 2 * i - 3;
    float expected = i < 1 ? 1.0f : i > 9 ? 2.0f : from < 0 || from >= 13 ? 3.0f : x[from];
    EXPECT_EQ(y[i], expected) << i;
  }
  EXPECT_TRUE(std::isnan(y[20]) && std::isnan(y[21]));
}

TEST_P(KernelTest, ReductionsAndIndices) {
  // Row sums of 45 columns, and the column sums of 6 rows, one program.
  std::vector<float> x = ramp(6 * 45, 0.5f), rows(6, NAN), columns(45, NAN);
  run(R"(
    ttile.func @reduce(%x: memref<6x45xf32>) results(%r: memref<6xf32>, %c: memref<45xf32>) {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<6x45xf32> -> tensor<6x45xf32>
      %r0 = ttile.reduce addf %t dims [1] : tensor<6x45xf32> -> tensor<6x1xf32>
      %c0 = ttile.reduce addf %t dims [0] : tensor<6x45xf32> -> tensor<1x45xf32>
      ttile.store %r0, %r through #tview.map<affine_map<(d0, d1) -> (d0)>>() : tensor<6x1xf32> -> memref<6xf32>
      ttile.store %c0, %c through #tview.map<affine_map<(d0, d1) -> (d1)>>() : tensor<1x45xf32> -> memref<45xf32>
      ttile.return
    })",
      {x.data(), rows.data(), columns.data()});
  // All sums are multiples of 1/2 far below 2^24: exact in any order.
  for (int i = 0; i < 6; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < 45; ++j)
      sum += x[i * 45 + j];
    EXPECT_EQ(rows[i], sum) << i;
  }
  for (int j = 0; j < 45; ++j) {
    float sum = 0.0f;
    for (int i = 0; i < 6; ++i)
      sum += x[i * 45 + j];
    EXPECT_EQ(columns[j], sum) << j;
  }
}

TEST_P(KernelTest, FirstIndexOfMaximum) {
  std::vector<float> x = ramp(3 * 37, 1.0f);
  x[37 + 5] = x[37 + 30] = 1000.0f;
  std::vector<int64_t> y(3, -1);
  run(R"(
    ttile.func @argmax(%x: memref<3x37xf32>) results(%y: memref<3xi64>) grid(%i = 3) {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>>(%i) : memref<3x37xf32> -> tensor<1x37xf32>
      %j = ttile.index affine_map<(d0, d1, d2) -> (d1)>(%i) : tensor<1x37xindex>
      %k = arith.index_cast %j : tensor<1x37xindex> to tensor<1x37xi64>
      %m, %p = ttile.reduce %t, %k dims [1] identities [0xFF800000 : f32, 0 : i64] : tensor<1x37xf32>, tensor<1x37xi64> -> tensor<1x1xf32>, tensor<1x1xi64> {
      ^bb0(%a: f32, %ia: i64, %b: f32, %ib: i64):
        %greater = arith.cmpf ogt, %a, %b : f32
        %equal = arith.cmpf oeq, %a, %b : f32
        %before = arith.cmpi slt, %ia, %ib : i64
        %tie = arith.andi %equal, %before : i1
        %take = arith.ori %greater, %tie : i1
        %v = arith.select %take, %a, %b : f32
        %n = arith.select %take, %ia, %ib : i64
        ttile.yield %v, %n : f32, i64
      }
      ttile.store %p, %y through #tview.map<affine_map<(d0, d1, d2) -> (d2)>>(%i) : tensor<1x1xi64> -> memref<3xi64>
      ttile.return
    })",
      {x.data(), y.data()});
  for (int i = 0; i < 3; ++i) {
    auto row = x.begin() + i * 37;
    EXPECT_EQ(y[i], std::max_element(row, row + 37) - row) << i;
  }
}

TEST_P(KernelTest, GatherThroughAnIndexTile) {
  std::vector<float> x = ramp(5 * 7, 1.0f), y(4 * 7, NAN);
  std::vector<int64_t> index = {4, 0, 9, 2};
  run(R"(
    ttile.func @gather(%x: memref<5x7xf32>, %n: memref<4xi64>) results(%y: memref<4x7xf32>) {
      %t = ttile.load %n through #tview.map<affine_map<(d0, d1) -> (d0)>>() : memref<4xi64> -> tensor<4x1xi64>
      %i = arith.index_cast %t : tensor<4x1xi64> to tensor<4x1xindex>
      %v = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2, d1)>, else -1.0 : f32>(%i : tensor<4x1xindex>) : memref<5x7xf32> -> tensor<4x7xf32>
      ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : tensor<4x7xf32> -> memref<4x7xf32>
      ttile.return
    })",
      {x.data(), index.data(), y.data()});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 7; ++j)
      EXPECT_EQ(y[i * 7 + j], index[i] < 5 ? x[index[i] * 7 + j] : -1.0f) << i << ' ' << j;
}

TEST_P(KernelTest, TransposedAndReshapedAccess) {
  // y = reshape(transpose(x)): 6x8 -> 8x6 -> 4x12.
  std::vector<float> x = ramp(48, 1.0f), y(48, NAN);
  run(R"(
    ttile.func @move(%x: memref<6x8xf32>) results(%y: memref<4x12xf32>) grid(%i = 4) {
      %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> ((d1 * 12 + d0) mod 6, (d1 * 12 + d0) floordiv 6)>>(%i) : memref<6x8xf32> -> tensor<12xf32>
      ttile.store %t, %y through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i) : tensor<12xf32> -> memref<4x12xf32>
      ttile.return
    })",
      {x.data(), y.data()});
  for (int i = 0; i < 48; ++i)
    EXPECT_EQ(y[i], x[(i % 6) * 8 + i / 6]) << i;
}

TEST_P(KernelTest, Booleans) {
  std::vector<uint8_t> x = {0, 1, 1, 0, 1, 0, 0, 1, 1, 1}, y(10, 7);
  run(R"(
    ttile.func @negate(%x: memref<10xi1>) results(%y: memref<10xi1>) {
      %true = arith.constant dense<true> : tensor<10xi1>
      %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<10xi1> -> tensor<10xi1>
      %n = arith.xori %t, %true : tensor<10xi1>
      ttile.store %n, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<10xi1> -> memref<10xi1>
      ttile.return
    })",
      {x.data(), y.data()});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(y[i], 1 - x[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(Cpus, KernelTest, testing::Values("native", "x86-64-v3"));

} // namespace
