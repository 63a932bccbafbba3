// Floats of 8 and 16 bits as C++ types: formats of storage, rounded to nearest even, computed with
// as float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tw {

/// A float with a sign, `exponentBits` and `mantissaBits`, 8 or 16 together, with infinities and
/// NaNs as in IEEE 754. Converts from double with one rounding to nearest even: denormals are kept,
/// overflow gives an infinity, a NaN a quiet NaN of its sign. Converts to float exactly.
template <int exponentBits, int mantissaBits> class NarrowFloat {
  static_assert(exponentBits + mantissaBits == 7 || exponentBits + mantissaBits == 15);

public:
  using Bits = std::conditional_t<exponentBits + mantissaBits == 7, uint8_t, uint16_t>;

  NarrowFloat() = default;
  explicit NarrowFloat(double value) : bits(round(value)) {}
  static NarrowFloat fromBits(Bits bits) {
    NarrowFloat result;
    result.bits = bits;
    return result;
  }
  Bits getBits() const { return bits; }
  /// The distance from 1 to the next number.
  static constexpr double epsilon() { return 1.0 / (1 << mantissaBits); }

  operator float() const {
    uint32_t negative = uint32_t(bits & sign) << (31 - exponentBits - mantissaBits);
    uint32_t shifted = uint32_t(bits & magnitude) << (23 - mantissaBits);
    if constexpr (exponentBits == 8) {
      return std::bit_cast<float>(negative | shifted);
    } else {
      // The exponent's bias is corrected by a multiplication, which makes denormals right as well.
      float scaled = std::bit_cast<float>(shifted) * std::ldexp(1.0f, 127 - bias);
      uint32_t result = std::bit_cast<uint32_t>(scaled);
      if ((bits & magnitude) >= infinity)
        result = shifted | 0x7f800000;
      return std::bit_cast<float>(negative | result);
    }
  }

private:
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr Bits magnitude = Bits((1 << (exponentBits + mantissaBits)) - 1);
  static constexpr Bits sign = Bits(magnitude + 1);
  static constexpr Bits infinity = Bits(((1 << exponentBits) - 1) << mantissaBits);
  static constexpr Bits quietNaN = Bits(infinity | 1 << (mantissaBits - 1));

  static Bits round(double value) {
    Bits negative = std::signbit(value) ? sign : Bits(0);
    if (std::isnan(value))
      return negative | quietNaN;
    if (std::isinf(value) || value == 0)
      return std::isinf(value) ? negative | infinity : negative;
    // In units of the distance to the next number, of which there are 2^mantissaBits and more in a
    // normal one: rounding up to the next power of two carries into the exponent by itself.
    int exponent = 0;
    double size = std::fabs(value);
    std::frexp(size, &exponent);
    int least = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    double units = std::ldexp(size, mantissaBits - least), whole = std::floor(units);
    double rest = units - whole;
    int64_t count = int64_t(whole);
    count += rest > 0.5 || (rest == 0.5 && count % 2 != 0);
    int64_t result = (int64_t(least + bias - 1) << mantissaBits) + count;
    return negative | Bits(result < infinity ? result : infinity);
  }

  Bits bits = 0;
};

using BFloat16 = NarrowFloat<8, 7>;
using Float16 = NarrowFloat<5, 10>;
using Float8E5M2 = NarrowFloat<5, 2>;

} // namespace tw
