// Arithmetic of 32, 64 and 16-bit floats.
//
// IEEE, rounded once to nearest, subnormals kept unless `.ftz` says otherwise. Approximations are
// computed in double precision and rounded, which is within every bound that PTX documents.
#include "Lanes.h"
#include "SmallFloats.h"

#include <cmath>
#include <limits>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

/// `.ftz`: subnormals count as zeros of their sign.
inline float flush(float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; }

template <typename T> T largest(T a, T b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  return a > b ? a : b > a ? b : std::signbit(a) ? b : a;
}
template <typename T> T smallest(T a, T b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  return a < b ? a : b < a ? b : std::signbit(a) ? a : b;
}
template <typename T> T largestNaN(T a, T b) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : largest(a, b);
}
template <typename T> T smallestNaN(T a, T b) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : smallest(a, b);
}

template <typename T> constexpr auto sum = [](T a, T b) { return a + b; };
template <typename T> constexpr auto difference = [](T a, T b) { return a - b; };
template <typename T> constexpr auto product = [](T a, T b) { return a * b; };
template <typename T> constexpr auto quotient = [](T a, T b) { return a / b; };
template <typename T> constexpr auto fused = [](T a, T b, T c) { return std::fma(a, b, c); };
template <typename T> constexpr auto root = [](T a) { return std::sqrt(a); };
template <typename T> constexpr auto reciprocal = [](T a) { return 1 / a; };
template <typename T>
constexpr auto reciprocalRoot = [](T a) { return T(1 / std::sqrt(double(a))); };
template <typename T> constexpr auto exponential = [](T a) { return T(std::exp2(double(a))); };
template <typename T> constexpr auto logarithm = [](T a) { return T(std::log2(double(a))); };
template <typename T> constexpr auto hyperbolic = [](T a) { return T(std::tanh(double(a))); };
constexpr auto sine = [](float a) { return float(std::sin(double(a))); };
constexpr auto cosine = [](float a) { return float(std::cos(double(a))); };

template <auto F> constexpr auto flushed1 = [](float a) { return flush(F(flush(a))); };
template <auto F>
constexpr auto flushed2 = [](float a, float b) { return flush(F(flush(a), flush(b))); };
template <auto F>
constexpr auto flushed3 =
    [](float a, float b, float c) { return flush(F(flush(a), flush(b), flush(c))); };
template <auto F>
constexpr auto saturated2 = [](float a, float b) {
  float r = F(a, b);
  return r > 0 ? (r < 1 ? r : 1.0f) : 0.0f;
};

// One function of one, two, three floats, with and without .ftz.
#define TW_ONE(before, after, f)                                                                   \
  add<float, f, float>(set, before after);                                                         \
  add<float, flushed1<f>, float>(set, before ".ftz" after)
#define TW_TWO(before, after, f)                                                                   \
  add<float, f, float, float>(set, before after);                                                  \
  add<float, flushed2<f>, float, float>(set, before ".ftz" after)

void addSingle(InstructionSet &set) {
  for (bool rounded : {false, true}) {
    add<float, sum<float>, float, float>(set, rounded ? "add.rn.f32" : "add.f32");
    add<float, difference<float>, float, float>(set, rounded ? "sub.rn.f32" : "sub.f32");
    add<float, product<float>, float, float>(set, rounded ? "mul.rn.f32" : "mul.f32");
    add<float, flushed2<sum<float>>, float, float>(set, rounded ? "add.rn.ftz.f32" : "add.ftz.f32");
    add<float, flushed2<difference<float>>, float, float>(set, rounded ? "sub.rn.ftz.f32"
                                                                       : "sub.ftz.f32");
    add<float, flushed2<product<float>>, float, float>(set,
                                                       rounded ? "mul.rn.ftz.f32" : "mul.ftz.f32");
    add<float, saturated2<sum<float>>, float, float>(set,
                                                     rounded ? "add.rn.sat.f32" : "add.sat.f32");
  }
  add<float, fused<float>, float, float, float>(set, "fma.rn.f32");
  add<float, flushed3<fused<float>>, float, float, float>(set, "fma.rn.ftz.f32");
  TW_TWO("div.rn", ".f32", quotient<float>);
  TW_TWO("div.full", ".f32", quotient<float>);
  TW_TWO("div.approx", ".f32", quotient<float>);
  TW_TWO("max", ".f32", largest<float>);
  TW_TWO("min", ".f32", smallest<float>);
  TW_TWO("max", ".NaN.f32", largestNaN<float>);
  TW_TWO("min", ".NaN.f32", smallestNaN<float>);
  TW_ONE("rcp.rn", ".f32", reciprocal<float>);
  TW_ONE("rcp.approx", ".f32", reciprocal<float>);
  TW_ONE("sqrt.rn", ".f32", root<float>);
  TW_ONE("sqrt.approx", ".f32", root<float>);
  TW_ONE("rsqrt.approx", ".f32", reciprocalRoot<float>);
  TW_ONE("ex2.approx", ".f32", exponential<float>);
  TW_ONE("lg2.approx", ".f32", logarithm<float>);
  TW_ONE("sin.approx", ".f32", sine);
  TW_ONE("cos.approx", ".f32", cosine);
  add<float, hyperbolic<float>, float>(set, "tanh.approx.f32");
  add<u32, [](u32 a) { return a & 0x7fffffffu; }, u32>(set, "abs.f32");
  add<u32, [](u32 a) { return a ^ 0x80000000u; }, u32>(set, "neg.f32");
  add<float, flushed1<[](float a) { return std::fabs(a); }>, float>(set, "abs.ftz.f32");
  add<float, flushed1<[](float a) { return -a; }>, float>(set, "neg.ftz.f32");
  add<u32, [](u32 a, u32 b) { return (a & 0x80000000u) | (b & 0x7fffffffu); }, u32, u32>(
      set, "copysign.f32");
}

void addDouble(InstructionSet &set) {
  for (bool rounded : {false, true}) {
    add<double, sum<double>, double, double>(set, rounded ? "add.rn.f64" : "add.f64");
    add<double, difference<double>, double, double>(set, rounded ? "sub.rn.f64" : "sub.f64");
    add<double, product<double>, double, double>(set, rounded ? "mul.rn.f64" : "mul.f64");
  }
  add<double, fused<double>, double, double, double>(set, "fma.rn.f64");
  add<double, quotient<double>, double, double>(set, "div.rn.f64");
  add<double, reciprocal<double>, double>(set, "rcp.rn.f64");
  add<double, root<double>, double>(set, "sqrt.rn.f64");
  add<double, largest<double>, double, double>(set, "max.f64");
  add<double, smallest<double>, double, double>(set, "min.f64");
  add<u64, [](u64 a) { return a & ~(u64(1) << 63); }, u64>(set, "abs.f64");
  add<u64, [](u64 a) { return a ^ u64(1) << 63; }, u64>(set, "neg.f64");
  add<u64, [](u64 a, u64 b) { return (a & u64(1) << 63) | (b & ~(u64(1) << 63)); }, u64, u64>(
      set, "copysign.f64");
}

/// F over one 16-bit float, or over both halves of a register. Sums and products of two 16-bit
/// floats are exact in double precision, or rounded there so far below the half's last bit that
/// rounding again is rounding once; a product with a sum is rounded to odd first.
template <typename T, auto F>
constexpr auto half1 = [](uint16_t a) { return T::round(F(T::value(a))); };
template <typename T, auto F>
constexpr auto half2 = [](uint16_t a, uint16_t b) { return T::round(F(T::value(a), T::value(b))); };
template <typename T, auto F>
constexpr auto half3 = [](uint16_t a, uint16_t b, uint16_t c) {
  return T::round(F(T::value(a), T::value(b), T::value(c)));
};
template <auto F>
constexpr auto pair1 = [](u32 a) { return u32(F(uint16_t(a))) | u32(F(uint16_t(a >> 16))) << 16; };
template <auto F>
constexpr auto pair2 = [](u32 a, u32 b) {
  return u32(F(uint16_t(a), uint16_t(b))) | u32(F(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
};
template <auto F>
constexpr auto pair3 = [](u32 a, u32 b, u32 c) {
  return u32(F(uint16_t(a), uint16_t(b), uint16_t(c))) |
         u32(F(uint16_t(a >> 16), uint16_t(b >> 16), uint16_t(c >> 16))) << 16;
};

constexpr auto oddFused = [](double a, double b, double c) { return fusedToOdd(a, b, c); };
constexpr auto clampedFused = [](double a, double b, double c) {
  double r = fusedToOdd(a, b, c);
  return r > 0 || r != r ? r : 0.0;
};

#define TW_HALF1(name, type, T, f)                                                                 \
  add<uint16_t, half1<T, f>, uint16_t>(set, name "." type);                                        \
  add<u32, pair1<half1<T, f>>, u32>(set, name "." type "x2")
#define TW_HALF2(name, type, T, f)                                                                 \
  add<uint16_t, half2<T, f>, uint16_t, uint16_t>(set, name "." type);                              \
  add<u32, pair2<half2<T, f>>, u32, u32>(set, name "." type "x2")
#define TW_HALF3(name, type, T, f)                                                                 \
  add<uint16_t, half3<T, f>, uint16_t, uint16_t, uint16_t>(set, name "." type);                    \
  add<u32, pair3<half3<T, f>>, u32, u32, u32>(set, name "." type "x2")

#define TW_HALVES(type, T)                                                                         \
  TW_HALF2("add", type, T, sum<double>);                                                           \
  TW_HALF2("add.rn", type, T, sum<double>);                                                        \
  TW_HALF2("sub", type, T, difference<double>);                                                    \
  TW_HALF2("sub.rn", type, T, difference<double>);                                                 \
  TW_HALF2("mul", type, T, product<double>);                                                       \
  TW_HALF2("mul.rn", type, T, product<double>);                                                    \
  TW_HALF2("max", type, T, largest<double>);                                                       \
  TW_HALF2("min", type, T, smallest<double>);                                                      \
  TW_HALF2("max.NaN", type, T, largestNaN<double>);                                                \
  TW_HALF2("min.NaN", type, T, smallestNaN<double>);                                               \
  TW_HALF3("fma.rn", type, T, oddFused);                                                           \
  TW_HALF3("fma.rn.relu", type, T, clampedFused);                                                  \
  TW_HALF1("tanh.approx", type, T, hyperbolic<double>);                                            \
  add<uint16_t, [](uint16_t a) { return uint16_t(a & 0x7fff); }, uint16_t>(set, "abs." type);      \
  add<uint16_t, [](uint16_t a) { return uint16_t(a ^ 0x8000); }, uint16_t>(set, "neg." type);      \
  add<u32, [](u32 a) { return a & 0x7fff7fffu; }, u32>(set, "abs." type "x2");                     \
  add<u32, [](u32 a) { return a ^ 0x80008000u; }, u32>(set, "neg." type "x2")

void addHalves(InstructionSet &set) {
  TW_HALVES("f16", Half);
  TW_HALVES("bf16", Brain);
  TW_HALF1("ex2.approx", "f16", Half, exponential<double>);
  TW_HALF1("ex2.approx.ftz", "bf16", Brain, exponential<double>);
}

} // namespace

void addFloats(InstructionSet &set) {
  addSingle(set);
  addDouble(set);
  addHalves(set);
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
