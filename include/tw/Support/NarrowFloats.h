// Floats of 8 and 16 bits as C++ types: formats of storage, rounded to nearest even, computed with
// as float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tw {

/// Which bits of a float are no numbers.
enum class Specials : uint8_t {
  Ieee,     ///< the highest exponent: infinities and NaNs
  AllOnes,  ///< all bits but the sign: NaNs of both signs; no infinities ("FN")
  MinusZero ///< the sign alone: one NaN; no infinities and no -0; a bias one more ("FNUZ")
};

/// A float with a sign, `exponentBits` and `mantissaBits`, 8 or 16 together. Converts from double
/// with one rounding to nearest even: denormals are kept, overflow gives an infinity, or a NaN
/// where there are none, a NaN a quiet NaN, of its sign where that has one. Converts to float
/// exactly.
template <int exponentBits, int mantissaBits, Specials specials = Specials::Ieee>
class NarrowFloat {
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
    if constexpr (specials == Specials::MinusZero)
      if (bits == sign)
        return std::bit_cast<float>(0x7fc00000u);
    uint32_t negative = uint32_t(bits & sign) << (31 - exponentBits - mantissaBits);
    uint32_t shifted = uint32_t(bits & magnitude) << (23 - mantissaBits);
    if constexpr (exponentBits == 8) {
      return std::bit_cast<float>(negative | shifted);
    } else {
      // The exponent's bias is corrected by a multiplication, which makes denormals right as well.
      float scaled = std::bit_cast<float>(shifted) * std::ldexp(1.0f, 127 - bias);
      uint32_t result = std::bit_cast<uint32_t>(scaled);
      if (specials != Specials::MinusZero && (bits & magnitude) >= beyond)
        result = shifted | 0x7f800000;
      return std::bit_cast<float>(negative | result);
    }
  }

private:
  static constexpr int bias = (1 << (exponentBits - 1)) - (specials == Specials::MinusZero ? 0 : 1);
  static constexpr Bits magnitude = Bits((1 << (exponentBits + mantissaBits)) - 1);
  static constexpr Bits sign = Bits(magnitude + 1);
  /// What follows the largest number: infinity, or the least NaN.
  static constexpr Bits beyond = specials == Specials::Ieee
                                     ? Bits(((1 << exponentBits) - 1) << mantissaBits)
                                 : specials == Specials::AllOnes ? magnitude
                                                                 : sign;
  static constexpr Bits quietNaN =
      specials == Specials::Ieee ? Bits(beyond | 1 << (mantissaBits - 1)) : beyond;

  static Bits round(double value) {
    Bits negative = std::signbit(value) ? sign : Bits(0);
    if (std::isnan(value))
      return negative | quietNaN;
    if (std::isinf(value))
      return negative | beyond;
    if (value == 0)
      return specials == Specials::MinusZero ? Bits(0) : negative;
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
    if (specials == Specials::MinusZero && result == 0)
      return 0;
    return negative | Bits(result < beyond ? result : beyond);
  }

  Bits bits = 0;
};

using BFloat16 = NarrowFloat<8, 7>;
using Float16 = NarrowFloat<5, 10>;
using Float8E5M2 = NarrowFloat<5, 2>;
using Float8E4M3FN = NarrowFloat<4, 3, Specials::AllOnes>;
using Float8E4M3FNUZ = NarrowFloat<4, 3, Specials::MinusZero>;
using Float8E5M2FNUZ = NarrowFloat<5, 2, Specials::MinusZero>;

} // namespace tw
