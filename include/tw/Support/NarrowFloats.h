// bf16 and f16 as C++ types: storage of two bytes, rounded to nearest even, computed with as float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tw {

/// A float of 16 bits, `exponentBits` of them its exponent. Converts from double with one rounding
/// to nearest even: denormals are kept, overflow gives an infinity, a NaN a quiet NaN of its sign.
/// Converts to float exactly.
template <int exponentBits> class NarrowFloat {
public:
  NarrowFloat() = default;
  explicit NarrowFloat(double value) : bits(round(value)) {}
  static NarrowFloat fromBits(uint16_t bits) {
    NarrowFloat result;
    result.bits = bits;
    return result;
  }
  uint16_t getBits() const { return bits; }

  operator float() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16;
    if constexpr (exponentBits == 8) {
      return std::bit_cast<float>(uint32_t(bits) << 16);
    } else {
      // The exponent's bias is corrected by a multiplication, which makes denormals right as well.
      uint32_t shifted = uint32_t(bits & 0x7fff) << mantissaShift;
      float scaled = std::bit_cast<float>(shifted) * std::ldexp(1.0f, 127 - bias);
      uint32_t magnitude = std::bit_cast<uint32_t>(scaled);
      if ((bits & infinity) == infinity)
        magnitude = shifted | 0x7f800000;
      return std::bit_cast<float>(sign | magnitude);
    }
  }

private:
  static constexpr int mantissaBits = 15 - exponentBits, mantissaShift = 23 - mantissaBits;
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;

  static uint16_t round(double value) {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
      return sign | infinity | uint16_t(1 << (mantissaBits - 1));
    if (std::isinf(value) || value == 0)
      return std::isinf(value) ? sign | infinity : sign;
    // In units of the distance to the next number, of which there are 2^mantissaBits and more in a
    // normal one: rounding up to the next power of two carries into the exponent by itself.
    int exponent = 0;
    double magnitude = std::fabs(value);
    std::frexp(magnitude, &exponent);
    int least = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    double units = std::ldexp(magnitude, mantissaBits - least), whole = std::floor(units);
    double rest = units - whole;
    int64_t count = int64_t(whole);
    count += rest > 0.5 || (rest == 0.5 && count % 2 != 0);
    int64_t result = (int64_t(least + bias - 1) << mantissaBits) + count;
    return sign | uint16_t(result < infinity ? result : infinity);
  }

  uint16_t bits = 0;
};

using BFloat16 = NarrowFloat<8>;
using Float16 = NarrowFloat<5>;

} // namespace tw
