// Integer arithmetic, bits, selections and predicates.
#include "Lanes.h"

#include <algorithm>
#include <limits>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;

/// The unsigned type twice as wide, in which 16-bit products do not overflow.
template <typename T> using Wide = std::conditional_t<sizeof(T) == 2, u32, std::make_unsigned_t<T>>;

template <typename T> constexpr auto plus = [](T a, T b) { return T(Wide<T>(a) + Wide<T>(b)); };
template <typename T> constexpr auto minus = [](T a, T b) { return T(Wide<T>(a) - Wide<T>(b)); };
template <typename T> constexpr auto times = [](T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); };
template <typename T>
constexpr auto timesPlus = [](T a, T b, T c) { return T(Wide<T>(a) * Wide<T>(b) + Wide<T>(c)); };

template <typename T> T high(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return T((s64(a) * s64(b)) >> 16);
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? T((s64(a) * s64(b)) >> 32) : T((u64(a) * u64(b)) >> 32);
  else
    return std::is_signed_v<T> ? T((__int128(a) * b) >> 64) : T((unsigned __int128)(a)*b >> 64);
}

/// What a division by 0 gives here; PTX leaves it open.
template <typename T> constexpr T undefined = T(0xcdcdcdcdcdcdcdcdull);

template <typename T> T divide(T a, T b) {
  if (b == 0)
    return undefined<T>;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(0 - Wide<T>(a));
  return T(a / b);
}

template <typename T> T remainder(T a, T b) {
  if (b == 0)
    return undefined<T>;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return 0;
  return T(a % b);
}

/// Amounts of the width and above shift everything out.
template <typename T> T shiftLeft(T a, u32 by) {
  return by >= 8 * sizeof(T) ? T(0) : T(Wide<T>(a) << by);
}
template <typename T> T shiftRight(T a, u32 by) {
  if (by >= 8 * sizeof(T))
    return a < 0 ? T(-1) : T(0);
  return T(a >> by);
}

template <typename T> void addWidth(InstructionSet &set, const char *const (&names)[14]) {
  add<T, plus<T>, T, T>(set, names[0]);
  add<T, minus<T>, T, T>(set, names[1]);
  add<T, times<T>, T, T>(set, names[2]);
  add<T, timesPlus<T>, T, T, T>(set, names[3]);
  add<T, high<T>, T, T>(set, names[4]);
  add<T, divide<T>, T, T>(set, names[5]);
  add<T, remainder<T>, T, T>(set, names[6]);
  add<T, [](T a, T b) { return a < b ? a : b; }, T, T>(set, names[7]);
  add<T, [](T a, T b) { return a < b ? b : a; }, T, T>(set, names[8]);
  add<T, [](T a) { return T(0 - Wide<T>(a)); }, T>(set, names[9]);
  add<T, [](T a) { return a < 0 ? T(0 - Wide<T>(a)) : a; }, T>(set, names[10]);
  add<T, shiftRight<T>, T, u32>(set, names[11]);
  add<T, [](T a, T b, T c) { return T(Wide<T>(high<T>(a, b)) + Wide<T>(c)); }, T, T, T>(set,
                                                                                        names[12]);
  add<T,
      [](T a, T b) {
        T sum;
        if (!__builtin_add_overflow(a, b, &sum))
          return sum;
        return std::is_signed_v<T> && a < 0 ? std::numeric_limits<T>::min()
                                            : std::numeric_limits<T>::max();
      },
      T, T>(set, names[13]);
}

#define TW_WIDTH(T)                                                                                \
  addWidth<T>(set, {"add." #T, "sub." #T, "mul.lo." #T, "mad.lo." #T, "mul.hi." #T, "div." #T,     \
                    "rem." #T, "min." #T, "max." #T, "neg." #T, "abs." #T, "shr." #T,              \
                    "mad.hi." #T, "add.sat." #T})

template <typename T> void addBits(InstructionSet &set, const char *const (&names)[6]) {
  add<T, [](T a, T b) { return T(a & b); }, T, T>(set, names[0]);
  add<T, [](T a, T b) { return T(a | b); }, T, T>(set, names[1]);
  add<T, [](T a, T b) { return T(a ^ b); }, T, T>(set, names[2]);
  add<T, [](T a) { return T(~a); }, T>(set, names[3]);
  add<T, [](T a) { return T(a == 0); }, T>(set, names[4]);
  add<T, shiftLeft<T>, T, u32>(set, names[5]);
}

#define TW_BITS(T, name)                                                                           \
  addBits<T>(set,                                                                                  \
             {"and." #name, "or." #name, "xor." #name, "not." #name, "cnot." #name, "shl." #name})

u32 permute(u32 a, u32 b, u32 selector) {
  u64 bytes = a | u64(b) << 32;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 chosen = selector >> 4 * i & 15, byte = u32(bytes >> 8 * (chosen & 7)) & 255;
    if (chosen & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}

/// Bits [position, position + length) of a, with the sign of the last one that there is.
template <typename T> T extract(T a, u32 position, u32 length) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 width = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  if (length == 0)
    return 0;
  U sign = std::is_signed_v<T> ? U(a) >> std::min(position + length - 1, width - 1) & 1 : 0;
  U result = position < width ? U(a) >> position : 0;
  u32 has = position < width ? std::min(length, width - position) : 0;
  if (has < width) {
    U mask = (U(1) << has) - 1;
    result = (result & mask) | (sign ? ~mask : 0);
  }
  return T(result);
}

template <typename T> T insert(T a, T b, u32 position, u32 length) {
  position &= 255;
  length &= 255;
  constexpr u32 width = 8 * sizeof(T);
  if (length == 0 || position >= width)
    return b;
  T mask = length >= width ? ~T(0) : T((T(1) << length) - 1);
  mask = T(mask << position);
  return (b & ~mask) | (T(a << position) & mask);
}

u32 reverseBits(u32 a) { return __builtin_bitreverse32(a); }

void addSelections(InstructionSet &set) {
  for (const char *name : {"selp.b16", "selp.u16", "selp.s16"})
    set.lanewise[name] = {selp<u32>, "h=hhp"};
  for (const char *name : {"selp.b32", "selp.u32", "selp.s32", "selp.f32"})
    set.lanewise[name] = {selp<u32>, "w=wwp"};
  for (const char *name : {"selp.b64", "selp.u64", "selp.s64", "selp.f64"})
    set.lanewise[name] = {selp<u64>, "d=ddp"};
  set.lanewise["and.pred"] = {combine<[](u32 a, u32 b) { return a & b; }>, "p=pp"};
  set.lanewise["or.pred"] = {combine<[](u32 a, u32 b) { return a | b; }>, "p=pp"};
  set.lanewise["xor.pred"] = {combine<[](u32 a, u32 b) { return a ^ b; }>, "p=pp"};
  set.lanewise["not.pred"] = {combine<[](u32 a, u32) { return ~a; }>, "p=p"};
  set.lanewise["mov.pred"] = {combine<[](u32 a, u32) { return a; }>, "p=p"};
}

void addProducts(InstructionSet &set) {
  add<u32, [](u16 a, u16 b) { return u32(a) * b; }, u16, u16>(set, "mul.wide.u16");
  add<s32, [](s16 a, s16 b) { return s32(a) * b; }, s16, s16>(set, "mul.wide.s16");
  add<u64, [](u32 a, u32 b) { return u64(a) * b; }, u32, u32>(set, "mul.wide.u32");
  add<s64, [](s32 a, s32 b) { return s64(a) * b; }, s32, s32>(set, "mul.wide.s32");
  add<u32, [](u16 a, u16 b, u32 c) { return u32(a) * b + c; }, u16, u16, u32>(set, "mad.wide.u16");
  add<u32, [](s16 a, s16 b, u32 c) { return u32(s32(a) * b) + c; }, s16, s16, u32>(set,
                                                                                   "mad.wide.s16");
  add<u64, [](u32 a, u32 b, u64 c) { return u64(a) * b + c; }, u32, u32, u64>(set, "mad.wide.u32");
  add<u64, [](s32 a, s32 b, u64 c) { return u64(s64(a) * b) + c; }, s32, s32, u64>(set,
                                                                                   "mad.wide.s32");
}

} // namespace

void addIntegers(InstructionSet &set) {
  TW_WIDTH(u16);
  TW_WIDTH(s16);
  TW_WIDTH(u32);
  TW_WIDTH(s32);
  TW_WIDTH(u64);
  TW_WIDTH(s64);
  TW_BITS(u16, b16);
  TW_BITS(u32, b32);
  TW_BITS(u64, b64);
  add<u16, shiftRight<u16>, u16, u32>(set, "shr.b16");
  add<u32, shiftRight<u32>, u32, u32>(set, "shr.b32");
  add<u64, shiftRight<u64>, u64, u32>(set, "shr.b64");
  addProducts(set);
  addSelections(set);
  add<u32, permute, u32, u32, u32>(set, "prmt.b32");
  add<u32, extract<u32>, u32, u32, u32>(set, "bfe.u32");
  add<s32, extract<s32>, s32, u32, u32>(set, "bfe.s32");
  add<u64, extract<u64>, u64, u32, u32>(set, "bfe.u64");
  add<s64, extract<s64>, s64, u32, u32>(set, "bfe.s64");
  add<u32, insert<u32>, u32, u32, u32, u32>(set, "bfi.b32");
  add<u64, insert<u64>, u64, u64, u32, u32>(set, "bfi.b64");
  add<u32, reverseBits, u32>(set, "brev.b32");
  add<u64, [](u64 a) { return __builtin_bitreverse64(a); }, u64>(set, "brev.b64");
  add<u32, [](u32 a) { return u32(__builtin_popcount(a)); }, u32>(set, "popc.b32");
  add<u32, [](u64 a) { return u32(__builtin_popcountll(a)); }, u64>(set, "popc.b64");
  add<u32, [](u32 a) { return a ? u32(__builtin_clz(a)) : 32u; }, u32>(set, "clz.b32");
  add<u32, [](u64 a) { return a ? u32(__builtin_clzll(a)) : 64u; }, u64>(set, "clz.b64");
  add<u32,
      [](u32 a, u32 b, u32 by) {
        by &= 31;
        return by ? b << by | a >> (32 - by) : b;
      },
      u32, u32, u32>(set, "shf.l.wrap.b32");
  add<u32,
      [](u32 a, u32 b, u32 by) {
        by &= 31;
        return by ? b << (32 - by) | a >> by : a;
      },
      u32, u32, u32>(set, "shf.r.wrap.b32");
  add<u32,
      [](u32 a, u32 b, u32 by) {
        by = std::min(by, 32u);
        return u32((u64(b) << 32 | a) << by >> 32);
      },
      u32, u32, u32>(set, "shf.l.clamp.b32");
  add<u32,
      [](u32 a, u32 b, u32 by) {
        by = std::min(by, 32u);
        return u32((u64(b) << 32 | a) >> by);
      },
      u32, u32, u32>(set, "shf.r.clamp.b32");
  // Any truth table of three inputs: bit (a << 2 | b << 1 | c) of the table.
  add<u32,
      [](u32 a, u32 b, u32 c, u32 table) {
        u32 result = 0;
        for (u32 i = 0; i < 8; ++i)
          if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        return result;
      },
      u32, u32, u32, u32>(set, "lop3.b32");
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
