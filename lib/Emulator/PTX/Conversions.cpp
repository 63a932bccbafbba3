// cvt: between integers, floats, and both.
#include "Lanes.h"
#include "SmallFloats.h"

#include <cmath>
#include <limits>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

using u8 = uint8_t;
using s8 = int8_t;
using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;

/// Integers: extended by the source's sign. A result of 8 bits fills its register.
template <typename D, typename S>
void addInteger(InstructionSet &set, const char *const (&names)[2]) {
  using Register =
      std::conditional_t<sizeof(D) == 1, std::conditional_t<std::is_signed_v<D>, s16, u16>, D>;
  add<Register, [](S a) { return Register(D(a)); }, S>(set, names[0]);
  if constexpr (sizeof(S) < 8)
    add<Register, [](u64 a) { return Register(D(S(a))); }, u64>(set, names[1]);
}

#define TW_FROM(D, S) addInteger<D, S>(set, {"cvt." #D "." #S, "cvt." #D "." #S "@64"})
#define TW_INTEGER(D)                                                                              \
  TW_FROM(D, u8);                                                                                  \
  TW_FROM(D, s8);                                                                                  \
  TW_FROM(D, u16);                                                                                 \
  TW_FROM(D, s16);                                                                                 \
  TW_FROM(D, u32);                                                                                 \
  TW_FROM(D, s32);                                                                                 \
  TW_FROM(D, u64);                                                                                 \
  TW_FROM(D, s64)

/// Rounded by R, then cut to the range. NaN gives 0, but the highest bit alone where 64 bits are on
/// either side.
template <typename D, typename S, auto R>
constexpr auto toInteger = [](S a) {
  S rounded = R(a);
  if (rounded != rounded)
    return sizeof(D) == 8 || sizeof(S) == 8 ? D(u64(1) << (8 * sizeof(D) - 1)) : D(0);
  // The limits as floats; the upper one may have been rounded up to a power of two.
  constexpr S least = S(std::numeric_limits<D>::min()), most = S(std::numeric_limits<D>::max());
  return rounded <= least  ? std::numeric_limits<D>::min()
         : rounded >= most ? std::numeric_limits<D>::max()
                           : D(rounded);
};

template <typename S> constexpr auto towardsZero = [](S a) { return std::trunc(a); };
template <typename S> constexpr auto toNearest = [](S a) { return std::nearbyint(a); };
template <typename S> constexpr auto down = [](S a) { return std::floor(a); };
template <typename S> constexpr auto up = [](S a) { return std::ceil(a); };

#define TW_ROUNDINGS(D, name, S)                                                                   \
  add<D, toInteger<D, S, towardsZero<S>>, S>(set, "cvt.rzi." #D "." name);                         \
  add<D, toInteger<D, S, toNearest<S>>, S>(set, "cvt.rni." #D "." name);                           \
  add<D, toInteger<D, S, down<S>>, S>(set, "cvt.rmi." #D "." name);                                \
  add<D, toInteger<D, S, up<S>>, S>(set, "cvt.rpi." #D "." name)

#define TW_SMALL_TO_INTEGER(D, type, T)                                                            \
  add<D, [](u16 a) { return toInteger<D, float, towardsZero<float>>(T::value(a)); }, u16>(         \
      set, "cvt.rzi." #D "." type);                                                                \
  add<D, [](u16 a) { return toInteger<D, float, toNearest<float>>(T::value(a)); }, u16>(           \
      set, "cvt.rni." #D "." type)

#define TW_TO_FLOATS(T)                                                                            \
  add<float, [](T a) { return float(a); }, T>(set, "cvt.rn.f32." #T);                              \
  add<double, [](T a) { return double(a); }, T>(set, "cvt.rn.f64." #T);                            \
  add<u16, [](T a) { return Half::round(toOdd(a)); }, T>(set, "cvt.rn.f16." #T);                   \
  add<u16, [](T a) { return Brain::round(toOdd(a)); }, T>(set, "cvt.rn.bf16." #T)

#define TW_INTEGER_AND_FLOATS(T)                                                                   \
  TW_TO_FLOATS(T);                                                                                 \
  TW_ROUNDINGS(T, "f32", float);                                                                   \
  TW_ROUNDINGS(T, "f64", double);                                                                  \
  TW_SMALL_TO_INTEGER(T, "f16", Half);                                                             \
  TW_SMALL_TO_INTEGER(T, "bf16", Brain)

/// An integer in double precision; what does not fit leaves a trace in the last bit.
template <typename T> double toOdd(T a) {
  double r = double(a);
  if constexpr (sizeof(T) == 8) {
    __int128 error = __int128(a) - __int128(r);
    u64 bits = std::bit_cast<u64>(r);
    if (error != 0 && !(bits & 1))
      return std::bit_cast<double>((error > 0) == (r > 0) ? bits + 1 : bits - 1);
  }
  return r;
}

/// Rounded to a whole number, as a float.
#define TW_WHOLE(type, S)                                                                          \
  add<S, towardsZero<S>, S>(set, "cvt.rzi." type "." type);                                        \
  add<S, toNearest<S>, S>(set, "cvt.rni." type "." type);                                          \
  add<S, down<S>, S>(set, "cvt.rmi." type "." type);                                               \
  add<S, up<S>, S>(set, "cvt.rpi." type "." type)

#define TW_WHOLE_SMALL(type, T)                                                                    \
  add<u16, [](u16 a) { return T::round(towardsZero<float>(T::value(a))); }, u16>(                  \
      set, "cvt.rzi." type "." type);                                                              \
  add<u16, [](u16 a) { return T::round(toNearest<float>(T::value(a))); }, u16>(                    \
      set, "cvt.rni." type "." type);                                                              \
  add<u16, [](u16 a) { return T::round(down<float>(T::value(a))); }, u16>(set, "cvt.rmi." type     \
                                                                               "." type);          \
  add<u16, [](u16 a) { return T::round(up<float>(T::value(a))); }, u16>(set,                       \
                                                                        "cvt.rpi." type "." type)

float saturate(float a) { return a > 0 ? a < 1 ? a : 1.0f : 0.0f; }
double atLeastZero(double a) { return a > 0 || a != a ? a : 0.0; }

/// f32 to tf32: 10 bits of mantissa, ties away from zero.
u32 toTf32(u32 a) {
  return (a & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : (a + 0x1000u) & 0xffffe000u;
}
u32 toTf32Even(u32 a) {
  return (a & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : (a + 0xfffu + (a >> 13 & 1)) & 0xffffe000u;
}

/// Two f32 to a pair: the first operand is the upper half.
template <typename T>
constexpr auto toPair = [](float a, float b) { return u32(T::round(a)) << 16 | T::round(b); };
template <typename T>
constexpr auto toPairRelu =
    [](float a, float b) { return u32(T::round(atLeastZero(a))) << 16 | T::round(atLeastZero(b)); };
template <typename T>
constexpr auto toBytes =
    [](float a, float b) { return u16(u32(T::round(a, true)) << 8 | T::round(b, true)); };
template <typename T>
constexpr auto fromBytes = [](u16 a) {
  return u32(Half::round(T::value(a & 255))) | u32(Half::round(T::value(a >> 8))) << 16;
};

void addFloatFormats(InstructionSet &set) {
  add<double, [](float a) { return double(a); }, float>(set, "cvt.f64.f32");
  add<float, [](double a) { return float(a); }, double>(set, "cvt.rn.f32.f64");
  add<float, saturate, float>(set, "cvt.sat.f32.f32");
  add<float, [](float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; }, float>(
      set, "cvt.ftz.f32.f32");
  TW_WHOLE("f32", float);
  TW_WHOLE("f64", double);
  TW_WHOLE_SMALL("f16", Half);
  TW_WHOLE_SMALL("bf16", Brain);
  add<float, [](u16 a) { return Half::value(a); }, u16>(set, "cvt.f32.f16");
  add<float, [](u16 a) { return Brain::value(a); }, u16>(set, "cvt.f32.bf16");
  add<double, [](u16 a) { return double(Half::value(a)); }, u16>(set, "cvt.f64.f16");
  add<double, [](u16 a) { return double(Brain::value(a)); }, u16>(set, "cvt.f64.bf16");
  add<u16, [](float a) { return Half::round(a); }, float>(set, "cvt.rn.f16.f32");
  add<u16, [](float a) { return Brain::round(a); }, float>(set, "cvt.rn.bf16.f32");
  add<u16, [](double a) { return Half::round(a); }, double>(set, "cvt.rn.f16.f64");
  add<u16, [](double a) { return Brain::round(a); }, double>(set, "cvt.rn.bf16.f64");
  add<u16, [](float a) { return Half::round(atLeastZero(a)); }, float>(set, "cvt.rn.relu.f16.f32");
  add<u16, [](float a) { return Brain::round(atLeastZero(a)); }, float>(set,
                                                                        "cvt.rn.relu.bf16.f32");
  add<u32, toPair<Half>, float, float>(set, "cvt.rn.f16x2.f32");
  add<u32, toPair<Brain>, float, float>(set, "cvt.rn.bf16x2.f32");
  add<u32, toPairRelu<Half>, float, float>(set, "cvt.rn.relu.f16x2.f32");
  add<u32, toPairRelu<Brain>, float, float>(set, "cvt.rn.relu.bf16x2.f32");
  add<u32, toTf32, u32>(set, "cvt.rna.tf32.f32");
  add<u32, toTf32Even, u32>(set, "cvt.rn.tf32.f32");
  add<u16, toBytes<E4M3>, float, float>(set, "cvt.rn.satfinite.e4m3x2.f32");
  add<u16, toBytes<E5M2>, float, float>(set, "cvt.rn.satfinite.e5m2x2.f32");
  add<u32, fromBytes<E4M3>, u16>(set, "cvt.rn.f16x2.e4m3x2");
  add<u32, fromBytes<E5M2>, u16>(set, "cvt.rn.f16x2.e5m2x2");
}

} // namespace

void addConversions(InstructionSet &set) {
  TW_INTEGER(u8);
  TW_INTEGER(s8);
  TW_INTEGER(u16);
  TW_INTEGER(s16);
  TW_INTEGER(u32);
  TW_INTEGER(s32);
  TW_INTEGER(u64);
  TW_INTEGER(s64);
  TW_TO_FLOATS(u8);
  TW_TO_FLOATS(s8);
  TW_INTEGER_AND_FLOATS(u16);
  TW_INTEGER_AND_FLOATS(s16);
  TW_INTEGER_AND_FLOATS(u32);
  TW_INTEGER_AND_FLOATS(s32);
  TW_INTEGER_AND_FLOATS(u64);
  TW_INTEGER_AND_FLOATS(s64);
  addFloatFormats(set);
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
