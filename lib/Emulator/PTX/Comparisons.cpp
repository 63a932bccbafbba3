// setp: comparisons into predicates. Ordered ones are false for a NaN, those with a `u` true.
#include "Lanes.h"
#include "SmallFloats.h"

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

template <typename T> constexpr auto lt = [](T a, T b) { return a < b; };
template <typename T> constexpr auto le = [](T a, T b) { return a <= b; };
template <typename T> constexpr auto gt = [](T a, T b) { return a > b; };
template <typename T> constexpr auto ge = [](T a, T b) { return a >= b; };
template <typename T> constexpr auto eq = [](T a, T b) { return a == b; };
template <typename T> constexpr auto ne = [](T a, T b) { return a < b || a > b; };
template <typename T> constexpr auto num = [](T a, T b) { return a == a && b == b; };
/// The opposite of another comparison: true for a NaN.
template <auto F, typename T> constexpr auto unordered = [](T a, T b) { return !F(a, b); };

constexpr auto both = [](uint32_t a, uint32_t b) { return a & b; };
constexpr auto either = [](uint32_t a, uint32_t b) { return a | b; };
constexpr auto odd = [](uint32_t a, uint32_t b) { return a ^ b; };

template <typename T> constexpr const char *plainSignature() {
  return sizeof(T) == 2 ? "p=hh" : sizeof(T) == 4 ? "p=ww" : "p=dd";
}
template <typename T> constexpr const char *combinedSignature() {
  return sizeof(T) == 2 ? "p=hhp" : sizeof(T) == 4 ? "p=wwp" : "p=ddp";
}

/// `names`: the plain one, .and, .or, .xor.
template <auto F, typename T> void addSetp(InstructionSet &set, const char *const (&names)[4]) {
  set.lanewise[names[0]] = {setp<F, T>, plainSignature<T>()};
  set.lanewise[names[1]] = {setpWith<F, T, both>, combinedSignature<T>()};
  set.lanewise[names[2]] = {setpWith<F, T, either>, combinedSignature<T>()};
  set.lanewise[names[3]] = {setpWith<F, T, odd>, combinedSignature<T>()};
}

#define TW_SETP(name, type, T, f)                                                                  \
  addSetp<f, T>(set, {"setp." name "." type, "setp." name ".and." type, "setp." name ".or." type,  \
                      "setp." name ".xor." type})

#define TW_EQUALITY(type, T)                                                                       \
  TW_SETP("eq", type, T, eq<T>);                                                                   \
  TW_SETP("ne", type, T, ne<T>)

#define TW_ORDER(type, T)                                                                          \
  TW_EQUALITY(type, T);                                                                            \
  TW_SETP("lt", type, T, lt<T>);                                                                   \
  TW_SETP("le", type, T, le<T>);                                                                   \
  TW_SETP("gt", type, T, gt<T>);                                                                   \
  TW_SETP("ge", type, T, ge<T>)

#define TW_FLOAT(type, T)                                                                          \
  TW_ORDER(type, T);                                                                               \
  TW_SETP("num", type, T, num<T>);                                                                 \
  TW_SETP("nan", type, T, (unordered<num<T>, T>));                                                 \
  TW_SETP("equ", type, T, (unordered<ne<T>, T>));                                                  \
  TW_SETP("neu", type, T, (unordered<eq<T>, T>));                                                  \
  TW_SETP("ltu", type, T, (unordered<ge<T>, T>));                                                  \
  TW_SETP("leu", type, T, (unordered<gt<T>, T>));                                                  \
  TW_SETP("gtu", type, T, (unordered<le<T>, T>));                                                  \
  TW_SETP("geu", type, T, (unordered<lt<T>, T>))

/// Comparisons of 16-bit floats.
template <typename Format, auto F>
constexpr auto small = [](uint16_t a, uint16_t b) { return F(Format::value(a), Format::value(b)); };

/// Of both halves of a register, a predicate each.
template <typename Format, auto F> uint32_t compareHalves(Warp &warp, const Op &op, uint32_t from) {
  const uint32_t *a = warp.row<const uint32_t>(op.rows[2]),
                 *b = warp.row<const uint32_t>(op.rows[3]);
  uint32_t bits = 0;
  TW_LANES bits |= uint32_t(F(Format::value(uint16_t(a[lane] >> from)),
                              Format::value(uint16_t(b[lane] >> from))))
                   << lane;
  return bits;
}

template <typename Format, auto F> void setpHalves(Warp &warp, const Op &op) {
  uint32_t low = compareHalves<Format, F>(warp, op, 0);
  putMask(warp, op.rows[1], compareHalves<Format, F>(warp, op, 16));
  putMask(warp, op.rows[0], low);
}

template <typename Format, auto F, auto Combine> void setpHalvesWith(Warp &warp, const Op &op) {
  uint32_t other = *warp.row<uint32_t>(op.rows[4]);
  uint32_t low = compareHalves<Format, F>(warp, op, 0);
  putMask(warp, op.rows[1], Combine(compareHalves<Format, F>(warp, op, 16), other));
  putMask(warp, op.rows[0], Combine(low, other));
}

template <typename Format, auto F>
void addHalvesSetp(InstructionSet &set, const char *const (&names)[4]) {
  set.lanewise[names[0]] = {setpHalves<Format, F>, "pp=ww"};
  set.lanewise[names[1]] = {setpHalvesWith<Format, F, both>, "pp=wwp"};
  set.lanewise[names[2]] = {setpHalvesWith<Format, F, either>, "pp=wwp"};
  set.lanewise[names[3]] = {setpHalvesWith<Format, F, odd>, "pp=wwp"};
}

#define TW_SMALL_ONE(name, type, T, ...)                                                           \
  TW_SETP(name, type, uint16_t, (small<T, __VA_ARGS__>));                                          \
  addHalvesSetp<T, __VA_ARGS__>(set,                                                               \
                                {"setp." name "." type "x2", "setp." name ".and." type "x2",       \
                                 "setp." name ".or." type "x2", "setp." name ".xor." type "x2"})

#define TW_SMALL(type, T)                                                                          \
  TW_SMALL_ONE("eq", type, T, eq<float>);                                                          \
  TW_SMALL_ONE("ne", type, T, ne<float>);                                                          \
  TW_SMALL_ONE("lt", type, T, lt<float>);                                                          \
  TW_SMALL_ONE("le", type, T, le<float>);                                                          \
  TW_SMALL_ONE("gt", type, T, gt<float>);                                                          \
  TW_SMALL_ONE("ge", type, T, ge<float>);                                                          \
  TW_SMALL_ONE("num", type, T, num<float>);                                                        \
  TW_SMALL_ONE("nan", type, T, unordered<num<float>, float>);                                      \
  TW_SMALL_ONE("equ", type, T, unordered<ne<float>, float>);                                       \
  TW_SMALL_ONE("neu", type, T, unordered<eq<float>, float>);                                       \
  TW_SMALL_ONE("ltu", type, T, unordered<ge<float>, float>);                                       \
  TW_SMALL_ONE("leu", type, T, unordered<gt<float>, float>);                                       \
  TW_SMALL_ONE("gtu", type, T, unordered<le<float>, float>);                                       \
  TW_SMALL_ONE("geu", type, T, unordered<lt<float>, float>)

} // namespace

void addComparisons(InstructionSet &set) {
  TW_EQUALITY("b16", uint16_t);
  TW_EQUALITY("b32", uint32_t);
  TW_EQUALITY("b64", uint64_t);
  TW_ORDER("u16", uint16_t);
  TW_ORDER("s16", int16_t);
  TW_ORDER("u32", uint32_t);
  TW_ORDER("s32", int32_t);
  TW_ORDER("u64", uint64_t);
  TW_ORDER("s64", int64_t);
  TW_FLOAT("f32", float);
  TW_FLOAT("f64", double);
  TW_SMALL("f16", Half);
  TW_SMALL("bf16", Brain);
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
