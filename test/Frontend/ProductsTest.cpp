// Products and convolutions, beside plain loops.
#include "Evaluate.h"

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

Array binary(const Array &a, const Array &b, const std::function<Value(Value, Value)> &build) {
  return evaluate({a, b}, [&](Function &, Values &v) { return build(v[0], v[1]); });
}

} // namespace

TEST(Products, Matmul) {
  Array a = scattered({2, 3}, 1), b = scattered({3, 4}, 2);
  Array product = tw::fe::test::matmul(a, b);
  expectNear(binary(a, b, [](Value a, Value b) { return tw::fe::matmul(a, b); }), {2, 4},
             product.data);
  // Leading dimensions broadcast, those of one operand alone and of size 1.
  Array many{{2, 1, 2, 3}, a.data}, wide{{5, 3, 4}, {}};
  many.data.insert(many.data.end(), a.data.begin(), a.data.end());
  std::vector<double> repeated;
  for (int i = 0; i < 5; ++i)
    wide.data.insert(wide.data.end(), b.data.begin(), b.data.end());
  for (int i = 0; i < 10; ++i)
    repeated.insert(repeated.end(), product.data.begin(), product.data.end());
  expectNear(binary(many, wide, [](Value a, Value b) { return tw::fe::matmul(a, b); }),
             {2, 5, 2, 4}, repeated);
  // Both of size 1.
  Array one{{1, 2, 3}, a.data}, other{{1, 3, 4}, b.data};
  expectNear(binary(one, other, [](Value a, Value b) { return tw::fe::matmul(a, b); }), {1, 2, 4},
             product.data);
  expectNear(binary(a, other, [](Value a, Value b) { return tw::fe::matmul(a, b); }), {1, 2, 4},
             product.data);
  // Vectors.
  Array v{{3}, {1, 2, 3}}, w{{3}, {4, 5, 6}};
  expectNear(binary(v, w, [](Value a, Value b) { return tw::fe::matmul(a, b); }), {}, {32});
  expectNear(binary(v, {{3, 2}, {1, 0, 0, 1, 1, 1}},
                    [](Value a, Value b) { return tw::fe::matmul(a, b); }),
             {2}, {4, 5});
  expectNear(binary({{2, 3}, {1, 0, 1, 0, 1, 1}}, v,
                    [](Value a, Value b) { return tw::fe::matmul(a, b); }),
             {2}, {4, 5});
}

TEST(Products, Einsum) {
  Array a = scattered({2, 3}, 1), b = scattered({3, 4}, 2), c = scattered({4, 2}, 3);
  Array ab = tw::fe::test::matmul(a, b), abc = tw::fe::test::matmul(ab, c);
  expectNear(binary(a, b,
                    [](Value a, Value b) {
                      return einsum("ij,jk->ik", {a, b});
                    }),
             {2, 4}, ab.data);
  expectNear(binary(a, b,
                    [](Value a, Value b) {
                      return einsum("ij, jk", {a, b});
                    }),
             {2, 4}, ab.data);
  expectNear(evaluate({a, b, c},
                      [](Function &, Values &v) {
                        return einsum("ij,jk,kl->il", {v[0], v[1], v[2]});
                      }),
             {2, 2}, abc.data);
  Array x = counting({2, 3});
  expectNear(evaluate({x}, [](Function &, Values &v) { return einsum("ij->ji", {v[0]}); }), {3, 2},
             {0, 3, 1, 4, 2, 5});
  expectNear(evaluate({x}, [](Function &, Values &v) { return einsum("ij->j", {v[0]}); }), {3},
             {3, 5, 7});
  expectNear(binary(a, b, [](Value a, Value b) { return tensordot(a, b, 1, 0); }), {2, 4}, ab.data);
  expectNear(binary({{2}, {1, 2}}, {{3}, {3, 4, 5}}, [](Value a, Value b) { return outer(a, b); }),
             {2, 3}, {3, 4, 5, 6, 8, 10});
  expectNear(binary(x, {{3}, {1, 2, 3}}, [](Value a, Value b) { return vecdot(a, b); }), {2},
             {8, 26});
}

TEST(Products, Linear) {
  Array x = scattered({2, 5, 3}, 1), w{{2, 3}, {1, 0, -1, 0.5, 2, 0}}, b{{2}, {10, 20}};
  std::vector<double> expected;
  for (int i = 0; i < 10; ++i) {
    const double *row = &x.data[size_t(3 * i)];
    expected.push_back(row[0] - row[2] + 10);
    expected.push_back(0.5 * row[0] + 2 * row[1] + 20);
  }
  expectNear(evaluate({x, w, b}, [](Function &, Values &v) { return linear(v[0], v[1], v[2]); }),
             {2, 5, 2}, expected);
}

/// One spatial dimension, written out.
TEST(Products, Convolution) {
  Array x = scattered({2, 4, 9}, 1), w = scattered({6, 2, 3}, 2), b = counting({6});
  const int groups = 2, stride = 2, pad = 1, dilation = 2,
            size = (9 + 2 * pad - dilation * 2 - 1) / stride + 1;
  std::vector<double> expected;
  for (int n = 0; n < 2; ++n)
    for (int o = 0; o < 6; ++o)
      for (int p = 0; p < size; ++p) {
        double sum = b.data[size_t(o)];
        for (int c = 0; c < 2; ++c)
          for (int k = 0; k < 3; ++k) {
            int at = p * stride + k * dilation - pad;
            if (at >= 0 && at < 9)
              sum += x.data[size_t((n * 4 + o / 3 * 2 + c) * 9 + at)] *
                     w.data[size_t((o * 2 + c) * 3 + k)];
          }
        expected.push_back(sum);
      }
  expectNear(evaluate({x, w, b},
                      [&](Function &, Values &v) {
                        return conv(v[0], v[1], v[2], stride, pad, dilation, groups);
                      }),
             {2, 6, size}, expected);
}

/// Each element is spread over where the convolution with the same numbers reads it.
TEST(Products, TransposedConvolution) {
  Array x = scattered({2, 4, 5}, 1), w = scattered({4, 3, 3}, 2);
  struct {
    int stride, pad, extra, dilation;
  } const cases[] = {{1, 0, 0, 1}, {2, 1, 1, 1}, {3, 0, 0, 2}, {1, 2, 0, 1}, {2, 3, 0, 1}};
  for (auto [stride, pad, extra, dilation] : cases) {
    SCOPED_TRACE(stride);
    const int groups = 2, size = (5 - 1) * stride - 2 * pad + dilation * 2 + extra + 1;
    std::vector<double> expected(size_t(2 * 6 * size), 0);
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 4; ++c)
        for (int o = 0; o < 3; ++o)
          for (int i = 0; i < 5; ++i)
            for (int k = 0; k < 3; ++k) {
              int at = i * stride + k * dilation - pad;
              if (at >= 0 && at < size)
                expected[size_t((n * 6 + c / 2 * 3 + o) * size + at)] +=
                    x.data[size_t((n * 4 + c) * 5 + i)] * w.data[size_t((c * 3 + o) * 3 + k)];
            }
    expectNear(evaluate({x, w},
                        [&](Function &, Values &v) {
                          return conv_transpose(v[0], v[1], {}, stride, pad, extra, dilation,
                                                groups);
                        }),
               {2, 6, size}, expected);
  }
}
