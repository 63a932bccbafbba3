// Movement, creation and indexing.
#include "Evaluate.h"

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

using Numbers = std::vector<double>;
const Array x23 = counting({2, 3}); // [[0, 1, 2], [3, 4, 5]]

Array of(const Array &x, const std::function<Value(Value)> &build) {
  return evaluate({x}, [&](Function &, Values &v) { return build(v[0]); });
}

} // namespace

TEST(Movement, Order) {
  expectNear(of(x23, [](Value x) { return permute_dims(x, {1, 0}); }), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectNear(of(x23, [](Value x) { return x.t(); }), {3, 2}, {0, 3, 1, 4, 2, 5});
  expectNear(of(x23, [](Value x) { return swapaxes(x, 0, -1); }), {3, 2}, {0, 3, 1, 4, 2, 5});
  EXPECT_EQ(of(counting({2, 3, 4, 5}),
               [](Value x) {
                 return moveaxis(x, {0, -1}, {-1, 0});
               })
                .shape,
            (std::vector<int64_t>{5, 3, 4, 2}));
  EXPECT_EQ(of(counting({2, 3, 4}), [](Value x) { return moveaxis(x, 2, 0); }).shape,
            (std::vector<int64_t>{4, 2, 3}));
  expectNear(of(x23, [](Value x) { return flip(x, 1); }), {2, 3}, {2, 1, 0, 5, 4, 3});
  expectNear(of(x23, [](Value x) { return flip(x); }), {2, 3}, {5, 4, 3, 2, 1, 0});
  expectNear(of(x23, [](Value x) { return roll(x, 1, 1); }), {2, 3}, {2, 0, 1, 5, 3, 4});
  expectNear(of(x23, [](Value x) { return roll(x, -4, 1); }), {2, 3}, {1, 2, 0, 4, 5, 3});
}

TEST(Movement, Shapes) {
  EXPECT_EQ(of(counting({2, 3, 4}),
               [](Value x) {
                 return reshape(x, {-1, 8});
               })
                .shape,
            (std::vector<int64_t>{3, 8}));
  EXPECT_EQ(of(counting({2, 3, 4}), [](Value x) { return flatten(x, 1); }).shape,
            (std::vector<int64_t>{2, 12}));
  EXPECT_EQ(of(counting({2, 3, 4}), [](Value x) { return flatten(x); }).shape,
            (std::vector<int64_t>{24}));
  EXPECT_EQ(of(x23,
               [](Value x) {
                 return expand_dims(x, {0, -1});
               })
                .shape,
            (std::vector<int64_t>{1, 2, 3, 1}));
  EXPECT_EQ(of(counting({1, 2, 1, 3}), [](Value x) { return squeeze(x); }).shape,
            (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(of(counting({1, 2, 1, 3}), [](Value x) { return squeeze(x, 2); }).shape,
            (std::vector<int64_t>{1, 2, 3}));
  expectNear(of(counting({2, 1}),
                [](Value x) {
                  return broadcast_to(x, {2, 2, 3});
                }),
             {2, 2, 3}, {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1});
  expectNear(of(counting({2, 2}),
                [](Value x) {
                  return tile(x, {2, 1, 2});
                }),
             {2, 2, 4}, {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3});
  expectNear(of(counting({2, 2}), [](Value x) { return repeat(x, 2, 0); }), {4, 2},
             {0, 1, 0, 1, 2, 3, 2, 3});
}

TEST(Movement, Parts) {
  expectNear(of(x23, [](Value x) { return slice(x, 1, 3, 1, 1); }), {2, 2}, {1, 2, 4, 5});
  expectNear(of(x23, [](Value x) { return slice(x, {1, 0}, {2, 100}, {1, 2}); }), {1, 2}, {3, 5});
  expectNear(of(x23, [](Value x) { return slice(x, -2, INT64_MAX, 1, 1); }), {2, 2}, {1, 2, 4, 5});
  expectNear(of(x23, [](Value x) { return slice(x, -1, INT64_MIN, -2, 1); }), {2, 2}, {2, 0, 5, 3});
  expectNear(of(counting({6}), [](Value x) { return slice(x, 4, 0, -2); }), {2}, {4, 2});
  expectNear(of(x23, [](Value x) { return slice(x, 2, 1, 1, 1); }), {2, 0}, {});
  expectNear(of(x23, [](Value x) { return select(x, -1, 1); }), {2}, {2, 5});
  expectNear(of(x23,
                [](Value x) {
                  return concat({x, select(expand_dims(x, 0), 0)}, 1);
                }),
             {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  expectNear(of(x23,
                [](Value x) {
                  return stack({x, x + 10}, -1);
                }),
             {2, 3, 2}, {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15});
  expectNear(of(x23, [](Value x) { return split(x, {1, 2}, 1)[1]; }), {2, 2}, {1, 2, 4, 5});
  expectNear(of(x23, [](Value x) { return split(x, 3, 1)[2]; }), {2, 1}, {2, 5});
  expectNear(of(x23, [](Value x) { return unstack(x)[1]; }), {3}, {3, 4, 5});
  expectNear(of(x23,
                [](Value x) {
                  return pad(x, {0, 1}, {1, 0}, -1);
                }),
             {3, 4}, {-1, 0, 1, 2, -1, 3, 4, 5, -1, -1, -1, -1});
  Array at{{}, {1}, i32};
  expectNear(
      evaluate({x23, at}, [](Function &, Values &v) { return dynamic_slice(v[0], v[1], 2, 1); }),
      {2, 2}, {1, 2, 4, 5});
  expectNear(evaluate({x23, at},
                      [](Function &, Values &v) {
                        return update_slice(v[0], -ones_like(slice(v[0], 0, 1)), {1, 0});
                      }),
             {2, 3}, {0, 1, 2, -1, -1, -1});
  expectNear(evaluate({x23, at},
                      [](Function &, Values &v) {
                        return update_slice(v[0], slice(v[0], 0, 2, 1, 1), 0, v[1], 1);
                      }),
             {2, 3}, {0, 0, 1, 3, 3, 4});
}

TEST(Movement, Creation) {
  auto make = [](const std::function<Value(Function &)> &build) {
    return evaluate({}, [&](Function &f, Values &) { return build(f); });
  };
  expectNear(make([](Function &f) { return full(f, {2}, 2.5); }), {2}, {2.5, 2.5});
  expectNear(make([](Function &f) { return zeros(f, {1, 2}, i8); }), {1, 2}, {0, 0});
  expectNear(make([](Function &f) { return ones(f, {2}); }), {2}, {1, 1});
  expectNear(make([](Function &f) { return full_like(zeros(f, {2}, i32), 7); }), {2}, {7, 7});
  expectNear(make([](Function &f) { return arange(f, 2, 9, 3); }), {3}, {2, 5, 8});
  expectNear(make([](Function &f) { return arange(f, 3, -1, -2); }), {2}, {3, 1});
  expectNear(make([](Function &f) { return arange(f, 3, 3); }), {0}, {});
  expectNear(make([](Function &f) { return iota(f, {2, 3}, 1, f32); }), {2, 3}, {0, 1, 2, 0, 1, 2});
  expectNear(make([](Function &f) { return linspace(f, 0, 1, 5); }), {5}, {0, 0.25, 0.5, 0.75, 1});
  expectNear(make([](Function &f) { return linspace(f, 0, 1, 4, false); }), {4},
             {0, 0.25, 0.5, 0.75});
  expectNear(make([](Function &f) { return eye(f, 2, 3, 1); }), {2, 3}, {0, 1, 0, 0, 0, 1});
  expectNear(make([](Function &f) {
               return tril(ones(f, {3, 3}));
             }),
             {3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1});
  expectNear(make([](Function &f) {
               return triu(ones(f, {2, 2, 2}), 1);
             }),
             {2, 2, 2}, {0, 1, 0, 0, 0, 1, 0, 0});
  expectNear(make([](Function &f) { return shape_size(zeros(f, {4, 7}), -1); }), {}, {7});
  expectNear(make([](Function &f) {
               return f.constant(std::vector<int32_t>{1, -2, 3}, {3});
             }),
             {3}, {1, -2, 3});
  char truths[] = {1, 0, 5};
  expectNear(make([&](Function &f) { return f.constant(truths, boolean, {3}); }), {3}, {1, 0, 1});
}

TEST(Movement, Indexing) {
  Array index{{2, 2}, {1, 0, -1, 5}, i64};
  expectNear(evaluate({x23, index}, [](Function &, Values &v) { return take(v[0], v[1], 1); }),
             {2, 2, 2}, {1, 0, 2, 0, 4, 3, 5, 0});
  expectNear(evaluate({x23, {{2, 1}, {2, -3}, i32}},
                      [](Function &, Values &v) { return take_along_axis(v[0], v[1]); }),
             {2, 1}, {2, 3});
  expectNear(evaluate({x23, {{1, 3}, {1, 0, 1}, i32}},
                      [](Function &, Values &v) { return take_along_axis(v[0], v[1], 0); }),
             {1, 3}, {3, 1, 5});
  expectNear(evaluate({x23, {{2}, {1, 0}, i64}, {{2}, {2, 1}, i64}},
                      [](Function &, Values &v) {
                        return gather(v[0], {v[1], v[2]});
                      }),
             {2}, {5, 1});
  expectNear(evaluate({x23, {{2, 1}, {1, 2}, i64}},
                      [](Function &, Values &v) { return gather(v[0], {v[1]}, 1, 1); }),
             {2, 1}, {1, 5});
  expectNear(
      evaluate({{{3}, {2, 0, 7}, u8}}, [](Function &, Values &v) { return one_hot(v[0], 3); }),
      {3, 3}, {0, 0, 1, 1, 0, 0, 0, 0, 0});
  expectNear(evaluate({{{2}, {1, 0}, i64}, x23},
                      [](Function &, Values &v) { return embedding(v[0], v[1]); }),
             {2, 3}, {3, 4, 5, 0, 1, 2});
}

TEST(Movement, Sorting) {
  Array x{{2, 3}, {3, -1, 2, 0.5, 4, 0.5}};
  expectNear(of(x, [](Value x) { return argsort(x); }), {2, 3}, {1, 2, 0, 0, 2, 1});
  expectNear(of(x, [](Value x) { return sort(x, 1, true); }), {2, 3}, {3, 2, -1, 4, 0.5, 0.5});
  expectNear(of(x, [](Value x) { return sort(x, 0); }), {2, 3}, {0.5, -1, 0.5, 3, 4, 2});
  expectNear(of(x, [](Value x) { return top_k(x, 2)[0]; }), {2, 2}, {3, 2, 4, 0.5});
  expectNear(of(x, [](Value x) { return top_k(x, 2)[1]; }), {2, 2}, {0, 2, 1, 0});
  Array index{{3}, {0, 2, 0}, i64}, update{{3}, {10, 20, 30}};
  auto scattered = [&](Text kind) {
    return evaluate({counting({3}), index, update},
                    [&](Function &, Values &v) { return scatter(v[0], {v[1]}, v[2], kind); });
  };
  expectNear(scattered("set"), {3}, {30, 1, 20});
  expectNear(scattered("add"), {3}, {40, 1, 22});
  expectNear(scattered("max"), {3}, {30, 1, 20});
  expectNear(of({{2}, {1, -2}}, [](Value x) { return bitcast(x, u32); }), {2},
             {0x3f800000, 0xc0000000});
}

/// Distribution and reproducibility; which words they are is the dialect's test.
TEST(Movement, Random) {
  auto draw = [](const std::function<Value(Value)> &build) {
    return evaluate({{{}, {7}, u64}}, [&](Function &, Values &v) { return build(v[0]); });
  };
  Array uniform = draw([](Value key) { return random_uniform(key, 0, {4096}); });
  double mean = 0, squares = 0, least = 1, most = 0;
  for (double x : uniform.data)
    mean += x / 4096, least = std::min(least, x), most = std::max(most, x);
  EXPECT_NEAR(mean, 0.5, 0.02);
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  Array normal = draw([](Value key) { return random_normal(key, 0, {4096}); });
  mean = 0;
  for (double x : normal.data)
    mean += x / 4096, squares += x * x / 4096;
  EXPECT_NEAR(mean, 0, 0.06);
  EXPECT_NEAR(squares, 1, 0.1);
  // A later counter continues.
  Array bits = draw([](Value key) { return random_bits(key, 0, {16}); }),
        later = draw([](Value key) { return random_bits(key, 2, {8}); });
  EXPECT_EQ(later.data, std::vector<double>(bits.data.begin() + 8, bits.data.end()));
  Array kept = evaluate({{{}, {7}, u64}}, [](Function &f, Values &v) {
    return dropout(ones(f, {4096}), v[0], 5, 0.25);
  });
  double dropped = 0;
  for (double x : kept.data) {
    EXPECT_TRUE(x == 0 || std::fabs(x - 4.0 / 3) < 1e-6);
    dropped += x == 0;
  }
  EXPECT_NEAR(dropped / 4096, 0.25, 0.03);
}

/// Sizes that the call settles stay symbols.
TEST(Movement, Symbols) {
  Module module;
  Function f(module, "main");
  Dim s = f.symbol("S", 1, 64), p = f.symbol("P", 0, 63);
  Value x = f.argument("x", f32, {s, 8}), cache = f.argument("cache", f32, {p, 8});
  Value all = concat({cache, x}, 0);
  EXPECT_EQ(str(all.shape()), "(P + S)x8");
  EXPECT_EQ(str(reshape(x, {-1, 2, 4}).shape()), "Sx2x4");
  EXPECT_EQ(str(reshape(x, {s, -1, 4}).shape()), "Sx2x4");
  EXPECT_EQ(str(reshape(x, {-1}).shape()), "(8 * S)");
  EXPECT_EQ(str(matmul(x, all.t()).shape()), "Sx(P + S)");
  EXPECT_EQ(str(softmax(x * 2.0 + 1.0).shape()), "Sx8");
  EXPECT_EQ(str(mean(x, 0).shape()), "8");
  EXPECT_EQ(str(slice(x, 2, 6, 1, 1).shape()), "Sx4");
  EXPECT_EQ(str(select(x, -1).shape()), "8");
  EXPECT_TRUE(module.ok()) << module.errorText();
}
