// Reductions, scans and windows.
#include "Evaluate.h"

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

const Array x23{{2, 3}, {3, -1, 2, 0.5, 4, -2}};

Array of(const Array &x, const std::function<Value(Value)> &build) {
  return evaluate({x}, [&](Function &, Values &v) { return build(v[0]); });
}

} // namespace

TEST(Reductions, Axes) {
  expectNear(of(x23, [](Value x) { return sum(x); }), {}, {6.5});
  expectNear(of(x23, [](Value x) { return sum(x, 0); }), {3}, {3.5, 3, 0});
  expectNear(of(x23, [](Value x) { return sum(x, -1, true); }), {2, 1}, {4, 2.5});
  expectNear(of(x23, [](Value x) { return sum(x, {0, 1}); }), {}, {6.5});
  expectNear(of(x23, [](Value x) { return prod(x, 1); }), {2}, {-6, -4});
  expectNear(of(x23, [](Value x) { return max(x, 1); }), {2}, {3, 4});
  expectNear(of(x23, [](Value x) { return min(x, 0); }), {3}, {0.5, -1, -2});
  expectNear(of(x23, [](Value x) { return all(x > -1.5, 1); }), {2}, {1, 0});
  expectNear(of(x23, [](Value x) { return any(x > 3, 1); }), {2}, {0, 1});
  expectNear(of(x23, [](Value x) { return argmax(x); }), {2}, {0, 1});
  expectNear(of(x23, [](Value x) { return argmin(x, 0, true); }), {1, 3}, {1, 0, 1});
}

TEST(Reductions, Statistics) {
  expectNear(of(x23, [](Value x) { return mean(x, 1); }), {2}, {4.0 / 3, 2.5 / 3});
  // Row 0: mean 4/3, squares 25/9, 49/9, 4/9.
  double sum0 = 78.0 / 9, m = 2.5 / 3,
         sum1 = (0.5 - m) * (0.5 - m) + (4 - m) * (4 - m) + (2 + m) * (2 + m);
  expectNear(of(x23, [](Value x) { return var(x, 1); }), {2}, {sum0 / 3, sum1 / 3});
  expectNear(of(x23, [](Value x) { return var(x, 1, 1, true); }), {2, 1}, {sum0 / 2, sum1 / 2});
  expectNear(of(x23, [](Value x) { return tw::fe::std(x, 1); }), {2},
             {std::sqrt(sum0 / 3), std::sqrt(sum1 / 3)});
  expectNear(of(x23, [](Value x) { return logsumexp(x * 100, 1); }), {2}, {300, 400});
  expectNear(of(x23, [](Value x) { return logsumexp(x); }), {},
             {std::log(std::exp(3) + std::exp(-1) + std::exp(2) + std::exp(0.5) + std::exp(4) +
                       std::exp(-2))});
  expectNear(of({{2}, {-HUGE_VAL, -HUGE_VAL}}, [](Value x) { return logsumexp(x); }), {},
             {-HUGE_VAL});
  expectNear(of(x23, [](Value x) { return norm(x, 1); }), {2}, {std::sqrt(14), std::sqrt(20.25)});
  expectNear(of(x23, [](Value x) { return norm(x, {}, 1); }), {}, {12.5});
  expectNear(of(x23, [](Value x) { return norm(x, 1, HUGE_VAL); }), {2}, {3, 4});
}

TEST(Reductions, Scans) {
  Array x = counting({4}, 1, 1);
  expectNear(of(x, [](Value x) { return cumulative_sum(x); }), {4}, {1, 3, 6, 10});
  expectNear(of(x, [](Value x) { return cumulative_sum(x, 0, true); }), {4}, {0, 1, 3, 6});
  expectNear(of(x, [](Value x) { return cumulative_sum(x, 0, false, true); }), {4}, {10, 9, 7, 4});
  expectNear(of(x, [](Value x) { return cumulative_prod(x); }), {4}, {1, 2, 6, 24});
  expectNear(of({{4}, {1, 3, 2, 4}}, [](Value x) { return cumulative_max(x); }), {4}, {1, 3, 3, 4});
  expectNear(of({{4}, {3, 1, 2, 0}}, [](Value x) { return cumulative_min(x); }), {4}, {3, 1, 1, 0});
}

TEST(Reductions, Windows) {
  Array x = counting({1, 1, 3, 3}, 1, 1);
  expectNear(of(x, [](Value x) { return max_pool(x, 2, 1); }), {1, 1, 2, 2}, {5, 6, 8, 9});
  expectNear(of(x, [](Value x) { return max_pool(x, 2, {}, 1); }), {1, 1, 2, 2}, {1, 3, 7, 9});
  expectNear(of(x, [](Value x) { return avg_pool(x, 2, 1); }), {1, 1, 2, 2}, {3, 4, 6, 7});
  expectNear(of(x,
                [](Value x) {
                  return avg_pool(x, {2, 2}, {2, 2}, 1);
                }),
             {1, 1, 2, 2}, {0.25, 1.25, 2.75, 7});
  expectNear(of(x,
                [](Value x) {
                  return avg_pool(x, {2, 2}, {2, 2}, {1, 1, 0, 0}, false);
                }),
             {1, 1, 2, 2}, {1, 2.5, 5.5, 7});
  expectNear(of(x, [](Value x) { return global_avg_pool(x); }), {1, 1, 1, 1}, {5});
  expectNear(of(counting({4}), [](Value x) { return reduce_window(x, "add", 2, 2); }), {2}, {1, 5});
}
