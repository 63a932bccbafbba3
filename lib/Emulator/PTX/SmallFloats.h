// 16-bit and 8-bit floats: their values, and rounding to them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

/// A float of 16 bits or fewer: `E` bits of exponent, `M` of mantissa; Infinity: the highest
/// exponent is for infinities and NaN. Without it only all ones is NaN, and rounding stops at the
/// largest number.
template <unsigned E, unsigned M, bool Infinity = true> struct SmallFloat {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr uint32_t exponentMask = (1u << E) - 1, mantissaMask = (1u << M) - 1;
  static constexpr uint32_t signBit = 1u << (E + M);
  static constexpr uint32_t quietNaN = Infinity && E + M == 15 ? 0x7fffu : signBit - 1;
  static constexpr uint32_t largest = Infinity ? (exponentMask << M) - 1 : signBit - 2;

  static float value(uint16_t bits) {
    uint32_t exponent = bits >> M & exponentMask, mantissa = bits & mantissaMask;
    uint32_t sign = uint32_t(bits & signBit) << (31 - E - M);
    if (Infinity ? exponent == exponentMask : (bits & (signBit - 1)) == signBit - 1)
      return std::bit_cast<float>(sign | 0x7f800000u |
                                  (Infinity ? mantissa << (23 - M) : 0x7fffffu));
    if (exponent == 0) {
      // A subnormal number, or 0: mantissa times the least one.
      float least = std::ldexp(1.0f, 1 - bias - int(M));
      return std::bit_cast<float>(std::bit_cast<uint32_t>(float(mantissa) * least) | sign);
    }
    return std::bit_cast<float>(sign | (exponent + 127 - bias) << 23 | mantissa << (23 - M));
  }

  /// To nearest, ties to even, from double precision. `saturate`: to the largest number, not
  /// infinity.
  static uint16_t round(double from, bool saturate = false) {
    uint64_t bits = std::bit_cast<uint64_t>(from);
    uint32_t sign = bits >> 63 ? signBit : 0;
    uint64_t magnitude = bits & ~(uint64_t(1) << 63);
    if (magnitude > uint64_t(0x7ff) << 52)
      return uint16_t(quietNaN);
    int exponent = int(magnitude >> 52) - 1023;
    uint64_t mantissa = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    if (magnitude >> 52 == 0)
      return uint16_t(sign);
    // Bits below the last one that is kept.
    int drop = 52 - int(M);
    if (exponent < 1 - bias)
      drop += 1 - bias - exponent;
    uint64_t rounded = 0;
    if (drop < 64) {
      uint64_t half = uint64_t(1) << (drop - 1), rest = mantissa & ((half << 1) - 1);
      rounded = mantissa >> drop;
      if (rest > half || (rest == half && (rounded & 1)))
        ++rounded;
    }
    int64_t biased = exponent < 1 - bias ? 0 : exponent + bias - 1;
    uint64_t result = (uint64_t(biased) << M) + rounded;
    uint64_t limit = Infinity ? uint64_t(exponentMask) << M : uint64_t(signBit) - 1;
    if (exponent > bias + 1 || result >= limit)
      return uint16_t(sign | (saturate ? largest : Infinity ? limit : quietNaN));
    return uint16_t(sign | result);
  }
};

using Half = SmallFloat<5, 10>;
using Brain = SmallFloat<8, 7>;
using E4M3 = SmallFloat<4, 3, false>;
using E5M2 = SmallFloat<5, 2>;

/// a * b + c in double precision with the last bit set where it is not exact ("round to odd"):
/// rounding that to a format of far fewer bits is rounding the exact value.
inline double fusedToOdd(double a, double b, double c) {
  double product = a * b; // Exact: both have at most 11 bits.
  double sum = product + c;
  double part = sum - product, error = (product - (sum - part)) + (c - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || !(std::fabs(sum) < 0x1p1000) || (bits & 1))
    return sum;
  // Towards the exact value: one up in magnitude, or the number below and its odd last bit.
  bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
