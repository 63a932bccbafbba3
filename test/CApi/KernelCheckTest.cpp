// Runs of kernels beside their point forms: updates in place, sizes, and what does not fit.
#include "Api.h"

using namespace tw::test;

namespace {

/// Two rows that replace those of what was there, from row 1 on.
const std::string put =
    "func.func private @put(%x: tensor<2xf32>, %old: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %y = tkernel.kernel (%i : 2) reads(%a = %x : tensor<2xf32>, %b = %old : tensor<4xf32>) -> "
    "tensor<4xf32> {\n"
    "    %c1 = arith.constant 1 : index\n"
    "    %v = tkernel.load %a[%i] : tensor<2xf32>\n"
    "    tkernel.store %v, 0[%i] at (%c1) into %b : f32, tensor<4xf32>\n"
    "  }\n"
    "  return %y : tensor<4xf32>\n"
    "}\n";

/// The same behind `P` rows, in memory of 6.
const std::string append =
    "module attributes {tkernel.scalars = #tview.sizes<[P, P + 2]>} {\n"
    "func.func private @append(%x: tensor<2xf32>, %old: tensor<4xf32, #tview.sizes<[P] in [6]>>)\n"
    "    -> tensor<6xf32, #tview.sizes<[P + 2] in [6]>> {\n"
    "  %y = tkernel.kernel (%i : 2) reads(%a = %x : tensor<2xf32>,\n"
    "      %b = %old : tensor<4xf32, #tview.sizes<[P] in [6]>>)\n"
    "      -> tensor<6xf32, #tview.sizes<[P + 2] in [6]>> {\n"
    "    %p = tkernel.size <[P]>\n"
    "    %v = tkernel.load %a[%i] : tensor<2xf32>\n"
    "    tkernel.store %v, 0[%i] at (%p) into %b : f32, tensor<4xf32, #tview.sizes<[P] in [6]>>\n"
    "  }\n"
    "  return %y : tensor<6xf32, #tview.sizes<[P + 2] in [6]>>\n"
    "}\n"
    "}\n";

class KernelCheck : public CApiTest {
protected:
  TwcCode run(const std::string &source, std::vector<float> x, const std::vector<float> *before,
              std::vector<float> y, const std::vector<int64_t> &scalars = {}) {
    int64_t xDims = int64_t(x.size()), yDims = int64_t(y.size());
    TwcTensor bindings[] = {{18, 1, &xDims, x.data()}, {18, 1, &yDims, y.data()}};
    const void *old = before ? before->data() : nullptr;
    TwcKernelRun run = {};
    run.size = sizeof(run);
    run.source = {source.data(), source.size()};
    run.bindings = bindings;
    run.bindingCount = 2;
    run.inputCount = 1;
    run.before = &old;
    run.scalars = scalars.data();
    run.scalarCount = scalars.size();
    found = {};
    found.size = sizeof(found);
    return api().checkKernel(context, &run, sink(), &found);
  }

  TwcKernelCheck found;
};

} // namespace

TEST_F(KernelCheck, UpdatesAreJudgedByWhatWasThere) {
  std::vector<float> before = {1, 2, 3, 4};
  ASSERT_EQ(run(put, {8, 9}, &before, {1, 8, 9, 4}), TWC_OK) << messages;
  EXPECT_EQ(found.maxError, 0);
  // One that stores what it should not, and one that leaves out what it should store.
  ASSERT_EQ(run(put, {8, 9}, &before, {1, 8, 9, 5}), TWC_OK) << messages;
  EXPECT_EQ(found.maxError, 1);
  EXPECT_EQ(found.worstElement, 3u);
  ASSERT_EQ(run(put, {8, 9}, &before, {1, 8, 3, 4}), TWC_OK) << messages;
  EXPECT_EQ(found.expected, 9);
  EXPECT_EQ(found.found, 3);
}

TEST_F(KernelCheck, UpdatesNeedWhatWasThere) {
  EXPECT_EQ(run(put, {8, 9}, nullptr, {1, 8, 9, 4}), TWC_INVALID_ARGUMENT);
  EXPECT_EQ(messages,
            "expected what result 0 held before the kernel updated it, found nothing [T0507]\n");
}

TEST_F(KernelCheck, SizesAreThoseOfTheRun) {
  std::vector<float> before = {1, 2, 3, 0, 0, 7};
  ASSERT_EQ(run(append, {8, 9}, &before, {1, 2, 3, 8, 9, 7}, {3, 5}), TWC_OK) << messages;
  EXPECT_EQ(found.maxError, 0);
  // What lies behind the end stays.
  ASSERT_EQ(run(append, {8, 9}, &before, {1, 2, 3, 8, 9, -7}, {3, 5}), TWC_OK) << messages;
  EXPECT_EQ(found.maxError, 14);
  ASSERT_EQ(run(append, {8, 9}, &before, {1, 2, 8, 9, 0, 7}, {2, 4}), TWC_OK) << messages;
  EXPECT_EQ(found.maxError, 0);
  ASSERT_EQ(run(append, {8, 9}, &before, {1, 2, 8, 9, 0, 7}, {3, 5}), TWC_OK) << messages;
  EXPECT_EQ(found.maxError, 9);
  EXPECT_EQ(run(append, {8, 9}, &before, {1, 2, 3, 8, 9, 7}, {3}), TWC_INVALID_ARGUMENT);
  EXPECT_EQ(messages, "expected 2 scalars, found 1 [T0507]\n");
}

TEST_F(KernelCheck, BindingsHaveTheTypesOfTheKernel) {
  std::vector<float> before = {1, 2, 3, 4, 5};
  EXPECT_EQ(run(put, {8, 9, 10}, &before, {1, 8, 9, 4}), TWC_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(messages, "expected input 0 of type tensor<2xf32>, found tensor<3xf32>"))
      << messages;
  EXPECT_EQ(run(put, {8, 9}, &before, {1, 8, 9, 4, 5}), TWC_INVALID_ARGUMENT);
}
