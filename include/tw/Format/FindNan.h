// Looks for NaN among elements as bytes.
#pragma once

#include <twrt/twrt.h>

#include <cstdint>
#include <cstring>

namespace tw::format {

namespace detail {

/// All bits of the exponent, and some below: without the sign above those of infinity, or of the
/// largest number.
template <typename Bits> size_t findNan(const uint8_t *data, size_t bytes, Bits infinity) {
  constexpr Bits noSign = Bits(~Bits(0)) >> 1;
  for (size_t i = 0; i < bytes / sizeof(Bits); ++i) {
    Bits bits;
    memcpy(&bits, data + i * sizeof(Bits), sizeof(Bits));
    if ((bits & noSign) > infinity)
      return i;
  }
  return SIZE_MAX;
}

} // namespace detail

/// The first NaN among elements of a TwrtElement; SIZE_MAX if there is none.
inline size_t findNan(uint32_t element, const void *data, size_t bytes) {
  const auto *from = static_cast<const uint8_t *>(data);
  switch (element) {
  case TWRT_F64:
    return detail::findNan<uint64_t>(from, bytes, 0x7ff0000000000000);
  case TWRT_F32:
    return detail::findNan<uint32_t>(from, bytes, 0x7f800000);
  case TWRT_F16:
    return detail::findNan<uint16_t>(from, bytes, 0x7c00);
  case TWRT_BF16:
    return detail::findNan<uint16_t>(from, bytes, 0x7f80);
  case TWRT_F8E5M2:
    return detail::findNan<uint8_t>(from, bytes, 0x7c);
  case TWRT_F8E4M3FN:
    return detail::findNan<uint8_t>(from, bytes, 0x7e);
  case TWRT_F8E4M3FNUZ:
  case TWRT_F8E5M2FNUZ: {
    const void *found = bytes ? memchr(data, 0x80, bytes) : nullptr;
    return found ? size_t(static_cast<const uint8_t *>(found) - from) : SIZE_MAX;
  }
  default:
    return SIZE_MAX;
  }
}

} // namespace tw::format
