// Comparisons: masks of lanes, in a scalar register or in EXEC.
#include "Lanes.h"

#include <cmath>

namespace tw::emulator::amdgcn {

/// The same, and EXEC becomes what a comparison gives.
template <auto F> static void narrowing(Wave &wave, const Op &op) {
  Op plain = op;
  if (op.results == 0)
    plain.to[0].index = Exec;
  lanewise<F>(wave, plain);
  wave.setMask(Exec, wave.mask(plain.to[0].index));
}

template <auto F> static void add(InstructionSet &set, const char *plain, const char *narrow) {
  set[plain] = {lanewise<F>};
  set[narrow] = {narrowing<F>, 0};
}

#define COMPARE(name, type, T, expression)                                                         \
  add<[](T a, T b) -> bool { return expression; }>(set, "v_cmp_" name "_" type,                    \
                                                   "v_cmpx_" name "_" type)
#define COMPARE_FLOATS(type, T)                                                                    \
  COMPARE("lt", type, T, a < b);                                                                   \
  COMPARE("eq", type, T, a == b);                                                                  \
  COMPARE("le", type, T, a <= b);                                                                  \
  COMPARE("gt", type, T, a > b);                                                                   \
  COMPARE("lg", type, T, a<b || a> b);                                                             \
  COMPARE("ge", type, T, a >= b);                                                                  \
  COMPARE("o", type, T, a == a && b == b);                                                         \
  COMPARE("u", type, T, a != a || b != b);                                                         \
  COMPARE("nge", type, T, !(a >= b));                                                              \
  COMPARE("nlg", type, T, !(a < b || a > b));                                                      \
  COMPARE("ngt", type, T, !(a > b));                                                               \
  COMPARE("nle", type, T, !(a <= b));                                                              \
  COMPARE("neq", type, T, a != b);                                                                 \
  COMPARE("nlt", type, T, !(a < b))
#define COMPARE_INTEGERS(type, T)                                                                  \
  COMPARE("lt", type, T, a < b);                                                                   \
  COMPARE("eq", type, T, a == b);                                                                  \
  COMPARE("le", type, T, a <= b);                                                                  \
  COMPARE("gt", type, T, a > b);                                                                   \
  COMPARE("ne", type, T, a != b);                                                                  \
  COMPARE("ge", type, T, a >= b)

/// Bits: signalling NaN, quiet NaN, then -inf, -normal, -subnormal, -0, +0, ... +inf.
template <typename T> static bool isOfClass(T value, uint32_t classes) {
  constexpr int quietAt = sizeof(T) == 8 ? 51 : 22;
  if (value != value)
    return classes & (std::bit_cast<BitsOf<T>>(value) >> quietAt & 1 ? 2 : 1);
  int kind = std::isinf(value) ? 0 : std::isnormal(value) ? 1 : value != 0 ? 2 : 3;
  return classes >> (std::signbit(value) ? 2 + kind : 9 - kind) & 1;
}

/// Halves as floats, but for their class: their subnormal numbers are normal floats.
static void addHalfComparisons(InstructionSet &set) {
#define COMPARE_HALVES(name, expression)                                                           \
  add<[](F16 x, F16 y) -> bool {                                                                   \
    float a = x.value(), b = y.value();                                                            \
    return expression;                                                                             \
  }>(set, "v_cmp_" name "_f16", "v_cmpx_" name "_f16")
  COMPARE_HALVES("lt", a < b);
  COMPARE_HALVES("eq", a == b);
  COMPARE_HALVES("le", a <= b);
  COMPARE_HALVES("gt", a > b);
  COMPARE_HALVES("lg", a < b || a > b);
  COMPARE_HALVES("ge", a >= b);
  COMPARE_HALVES("o", a == a && b == b);
  COMPARE_HALVES("u", a != a || b != b);
  COMPARE_HALVES("nge", !(a >= b));
  COMPARE_HALVES("nlg", !(a < b || a > b));
  COMPARE_HALVES("ngt", !(a > b));
  COMPARE_HALVES("nle", !(a <= b));
  COMPARE_HALVES("neq", a != b);
  COMPARE_HALVES("nlt", !(a < b));
  add<[](F16 a, uint32_t b) -> bool {
    uint32_t mantissa = a.bits & 0x3ff, exponent = a.bits >> 10 & 31;
    if (exponent == 31 && mantissa)
      return b & (mantissa & 0x200 ? 2 : 1);
    uint32_t kind = exponent == 31 ? 0 : exponent ? 1 : mantissa ? 2 : 3;
    return b >> (a.bits >> 15 ? 2 + kind : 9 - kind) & 1;
  }>(set, "v_cmp_class_f16", "v_cmpx_class_f16");
}

void addComparisons(InstructionSet &set) {
  COMPARE_FLOATS("f32", float);
  COMPARE_FLOATS("f64", double);
  COMPARE_INTEGERS("i16", int16_t);
  COMPARE_INTEGERS("u16", uint16_t);
  COMPARE_INTEGERS("i32", int32_t);
  COMPARE_INTEGERS("u32", uint32_t);
  COMPARE_INTEGERS("i64", int64_t);
  COMPARE_INTEGERS("u64", uint64_t);
  addHalfComparisons(set);
  add<[](float a, uint32_t b) -> bool { return isOfClass(a, b); }>(set, "v_cmp_class_f32",
                                                                   "v_cmpx_class_f32");
  add<[](double a, uint32_t b) -> bool { return isOfClass(a, b); }>(set, "v_cmp_class_f64",
                                                                    "v_cmpx_class_f64");
}

} // namespace tw::emulator::amdgcn
