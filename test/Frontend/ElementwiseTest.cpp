// Elementwise functions, beside those of the C++ library on doubles.
#include "Evaluate.h"

#include <numbers>

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

const double inf = HUGE_VAL, nan_ = std::nan("");

struct Unary {
  const char *name;
  Value (*build)(Arg);
  double (*expected)(double);
};

double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
double softplusOf(double x) { return std::log1p(std::exp(-std::fabs(x))) + std::fmax(x, 0); }
double geluOf(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double eluOf(double x) { return x > 0 ? x : std::expm1(x); }

const Unary unaries[] = {
    {"negative", negative, [](double x) { return -x; }},
    {"abs", tw::fe::abs, [](double x) { return std::fabs(x); }},
    {"sign", sign, [](double x) { return x > 0   ? 1.0
                                         : x < 0 ? -1.0
                                                 : x; }},
    {"square", square, [](double x) { return x * x; }},
    {"reciprocal", reciprocal, [](double x) { return 1 / x; }},
    {"exp", tw::fe::exp, [](double x) { return std::exp(x); }},
    {"exp2", tw::fe::exp2, [](double x) { return std::exp2(x); }},
    {"expm1", tw::fe::expm1, [](double x) { return std::expm1(x); }},
    {"log", tw::fe::log, [](double x) { return std::log(x); }},
    {"log1p", tw::fe::log1p, [](double x) { return std::log1p(x); }},
    {"log2", tw::fe::log2, [](double x) { return std::log2(x); }},
    {"log10", tw::fe::log10, [](double x) { return std::log10(x); }},
    {"sqrt", tw::fe::sqrt, [](double x) { return std::sqrt(x); }},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"sin", tw::fe::sin, [](double x) { return std::sin(x); }},
    {"cos", tw::fe::cos, [](double x) { return std::cos(x); }},
    {"tan", tw::fe::tan, [](double x) { return std::tan(x); }},
    {"asin", tw::fe::asin, [](double x) { return std::asin(x); }},
    {"acos", tw::fe::acos, [](double x) { return std::acos(x); }},
    {"atan", tw::fe::atan, [](double x) { return std::atan(x); }},
    {"sinh", tw::fe::sinh, [](double x) { return std::sinh(x); }},
    {"cosh", tw::fe::cosh, [](double x) { return std::cosh(x); }},
    {"tanh", tw::fe::tanh, [](double x) { return std::tanh(x); }},
    {"asinh", tw::fe::asinh, [](double x) { return std::asinh(x); }},
    {"acosh", tw::fe::acosh, [](double x) { return std::acosh(x); }},
    {"atanh", tw::fe::atanh, [](double x) { return std::atanh(x); }},
    {"erf", tw::fe::erf, [](double x) { return std::erf(x); }},
    {"floor", tw::fe::floor, [](double x) { return std::floor(x); }},
    {"ceil", tw::fe::ceil, [](double x) { return std::ceil(x); }},
    {"trunc", tw::fe::trunc, [](double x) { return std::trunc(x); }},
    {"round", tw::fe::round, [](double x) { return std::nearbyint(x); }},
    {"relu", relu, [](double x) { return std::isnan(x) ? x : std::fmax(x, 0); }},
    {"relu6", relu6, [](double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x, 0), 6); }},
    {"sigmoid", sigmoid, sigmoidOf},
    {"log_sigmoid", log_sigmoid, [](double x) { return -softplusOf(-x); }},
    {"softplus", softplus, softplusOf},
    {"soft_sign", soft_sign, [](double x) { return x / (1 + std::fabs(x)); }},
    {"selu", selu,
     [](double x) {
       return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
     }},
    {"hard_tanh", hard_tanh,
     [](double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x, -1), 1); }},
    {"hard_sigmoid", hard_sigmoid,
     [](double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x / 6 + 0.5, 0), 1); }},
};

// NaN comes of infinities where the formula has it.
const Unary finiteUnaries[] = {
    {"silu", silu, [](double x) { return x * sigmoidOf(x); }},
    {"mish", mish, [](double x) { return x * std::tanh(softplusOf(x)); }},
    {"hard_silu", hard_silu, [](double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); }},
    {"gelu", [](Arg x) { return gelu(x); }, geluOf},
    {"gelu_erf", [](Arg x) { return gelu(x, false); },
     [](double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }},
    {"elu", [](Arg x) { return elu(x); }, eluOf},
    {"celu", [](Arg x) { return celu(x, 2.0); },
     [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }},
    {"leaky_relu", [](Arg x) { return leaky_relu(x, 0.1); },
     [](double x) { return x > 0 ? x : 0.1 * x; }},
};

void checkUnary(const Unary &op, const std::vector<double> &samples) {
  SCOPED_TRACE(op.name);
  std::vector<double> expected;
  for (double x : samples)
    expected.push_back(float(op.expected(float(x))));
  expectNear(evaluate({{{int64_t(samples.size())}, samples}},
                      [&](Function &, Values &v) { return op.build(v[0]); }),
             {int64_t(samples.size())}, expected, 2e-6);
}

} // namespace

TEST(Elementwise, Unary) {
  std::vector<double> samples{0, 0.25, -0.25, 0.5,  1,     -1,   1.5, -1.5, 2.5, -2.5,
                              7, -7,   30,    1e-6, -1e-6, 88.5, inf, -inf, nan_};
  for (const Unary &op : unaries)
    checkUnary(op, samples);
  samples = {0, 0.25, -0.25, 1, -1, 2.5, -2.5, 7, -7};
  for (const Unary &op : finiteUnaries)
    checkUnary(op, samples);
}

TEST(Elementwise, Binary) {
  struct {
    const char *name;
    Value (*build)(Arg, Arg);
    double (*expected)(double, double);
  } const ops[] = {
      {"add", add, [](double a, double b) { return a + b; }},
      {"subtract", subtract, [](double a, double b) { return a - b; }},
      {"multiply", multiply, [](double a, double b) { return a * b; }},
      {"divide", divide, [](double a, double b) { return a / b; }},
      {"floor_divide", floor_divide, [](double a, double b) { return std::floor(a / b); }},
      {"remainder", tw::fe::remainder,
       [](double a, double b) { return a - b * std::floor(a / b); }},
      {"fmod", tw::fe::fmod, [](double a, double b) { return std::fmod(a, b); }},
      {"pow", tw::fe::pow, [](double a, double b) { return std::pow(a, b); }},
      {"minimum", minimum, [](double a, double b) { return std::min(a, b); }},
      {"maximum", maximum, [](double a, double b) { return std::max(a, b); }},
      {"logaddexp", logaddexp,
       [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); }},
      {"equal", equal, [](double a, double b) { return double(a == b); }},
      {"not_equal", not_equal, [](double a, double b) { return double(a != b); }},
      {"less", less, [](double a, double b) { return double(a < b); }},
      {"less_equal", less_equal, [](double a, double b) { return double(a <= b); }},
      {"greater", greater, [](double a, double b) { return double(a > b); }},
      {"greater_equal", greater_equal, [](double a, double b) { return double(a >= b); }},
      {"logical_and", logical_and, [](double a, double b) { return double(a && b); }},
      {"logical_or", logical_or, [](double a, double b) { return double(a || b); }},
      {"logical_xor", logical_xor, [](double a, double b) { return double(!a != !b); }},
  };
  // [3, 1] with [4], none of them 0.
  Array a{{3, 1}, {-2.5, 0.5, 3}}, b{{4}, {-1.5, 0.5, 2, 3}};
  for (const auto &op : ops) {
    SCOPED_TRACE(op.name);
    std::vector<double> expected;
    for (double x : a.data)
      for (double y : b.data)
        expected.push_back(op.expected(x, y));
    expectNear(evaluate({a, b}, [&](Function &, Values &v) { return op.build(v[0], v[1]); }),
               {3, 4}, expected);
  }
}

TEST(Elementwise, Integers) {
  Array a{{6}, {7, -7, 7, -7, 5, -5}, i32}, b{{6}, {2, 2, -2, -2, 0, 0}, i32};
  auto check = [&](Value (*build)(Arg, Arg), std::vector<double> expected, DType dtype = i32) {
    Array found = evaluate({a, b}, [&](Function &, Values &v) { return build(v[0], v[1]); });
    expectNear(found, {6}, expected);
    EXPECT_EQ(found.dtype, dtype);
  };
  check(floor_divide, {3, -4, -4, 3, -1, -1});
  check(tw::fe::remainder, {1, 1, -1, -1, 5, -5});
  check(tw::fe::fmod, {1, -1, 1, -1, 5, -5});
  check(divide, {3.5, -3.5, -3.5, 3.5, inf, -inf}, f32);
  check(bitwise_and, {2, 0, 6, -8, 0, 0});
  check(bitwise_or, {7, -5, -1, -1, 5, -5});
  check(bitwise_xor, {5, -5, -7, 7, 5, -5});
  Array c{{3}, {5, -1, 200}, i32}, d{{3}, {1, 3, 40}, i32};
  expectNear(evaluate({c, d}, [](Function &, Values &v) { return bitwise_left_shift(v[0], v[1]); }),
             {3}, {10, -8, 0});
  expectNear(
      evaluate({c, d}, [](Function &, Values &v) { return bitwise_right_shift(v[0], v[1]); }), {3},
      {2, -1, 0});
  expectNear(evaluate({c}, [](Function &, Values &v) { return ~v[0]; }), {3}, {-6, 0, -201});
  expectNear(evaluate({c}, [](Function &, Values &v) { return logical_not(v[0] > 0); }), {3},
             {0, 1, 0});
}

TEST(Elementwise, ClassifyChooseConvert) {
  Array x{{4}, {1.75, -inf, nan_, -3.9}};
  expectNear(evaluate({x}, [](Function &, Values &v) { return isnan(v[0]); }), {4}, {0, 0, 1, 0});
  expectNear(evaluate({x}, [](Function &, Values &v) { return isinf(v[0]); }), {4}, {0, 1, 0, 0});
  expectNear(evaluate({x}, [](Function &, Values &v) { return isfinite(v[0]); }), {4},
             {1, 0, 0, 1});
  Array cast = evaluate({x}, [](Function &, Values &v) { return astype(v[0], i32); });
  expectNear(cast, {4}, {1, -2147483648.0, 0, -3});
  EXPECT_EQ(cast.dtype, i32);
  Array y{{4}, {-2, -1, 1, 2}};
  expectNear(evaluate({y}, [](Function &, Values &v) { return where(v[0] > 0, v[0], -1.5); }), {4},
             {-1.5, -1.5, 1, 2});
  expectNear(evaluate({y}, [](Function &, Values &v) { return clip(v[0], -1, 1.5); }), {4},
             {-1, -1, 1, 1.5});
  expectNear(evaluate({y}, [](Function &, Values &v) { return clip(v[0], {}, 0); }), {4},
             {-2, -1, 0, 0});
  // Bounds beyond a type without infinities are its largest numbers.
  auto clipped = [](auto... bounds) {
    return [=](Function &, Values &v) {
      return astype(clip(astype(v[0], DType::F8E4M3FN), bounds...), f32);
    };
  };
  Array z{{3}, {-448, 1, 448}};
  expectNear(evaluate({z}, clipped(-1e6, 1000)), {3}, {-448, 1, 448});
  expectNear(evaluate({z}, clipped(Arg(), INFINITY)), {3}, {-448, 1, 448});
  expectNear(evaluate({z}, clipped(-1e9, -1)), {3}, {-448, -1, -1});
  expectNear(evaluate({y, {{}, {0.5}}}, [](Function &, Values &v) { return prelu(v[0], v[1]); }),
             {4}, {-1, -0.5, 1, 2});
}

/// Types of results as JAX has them.
TEST(Elementwise, Promotion) {
  struct {
    DType a, b, sum;
  } const rules[] = {{boolean, i8, i8}, {i8, i32, i32},     {u8, i8, i16},    {u32, i32, i64},
                     {i64, f16, f16},   {f16, bf16, f32},   {bf16, f32, f32}, {f32, f64, f64},
                     {u8, u16, u16},    {boolean, f32, f32}};
  Module module;
  for (auto &rule : rules) {
    Function f(module, "f" + std::to_string(&rule - rules));
    Value a = f.argument("a", rule.a, {2}), b = f.argument("b", rule.b, {2});
    EXPECT_EQ((a + b).dtype(), rule.sum)
        << tw::format::elementName(rule.a) << " " << tw::format::elementName(rule.b);
    EXPECT_EQ((b + a).dtype(), rule.sum);
  }
  Function f(module, "numbers");
  Value h = f.argument("h", f16, {2}), i = f.argument("i", i32, {2}),
        t = f.argument("t", boolean, {2});
  EXPECT_EQ((h * 2.5).dtype(), f16);
  EXPECT_EQ((i * 2).dtype(), i32);
  EXPECT_EQ((i * 2.5).dtype(), f32);
  EXPECT_EQ((t + 1).dtype(), i64);
  EXPECT_EQ((i / 2).dtype(), f32);
  EXPECT_EQ(exp(i).dtype(), f32);
  EXPECT_EQ((i == 2).dtype(), boolean);
  EXPECT_TRUE(module.ok()) << module.errorText();
}
