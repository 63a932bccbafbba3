// Elements of matrices that units multiply: how they lie in memory, how many bits one has, and its
// value.
#pragma once

#include "SmallFloats.h"

#include <bit>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

struct Half16 {
  using Raw = uint16_t;
  static constexpr uint32_t bits = 16;
  static float value(uint32_t raw) { return Half::value(uint16_t(raw)); }
};
struct Brain16 {
  using Raw = uint16_t;
  static constexpr uint32_t bits = 16;
  static float value(uint32_t raw) { return std::bit_cast<float>(raw << 16); }
};
/// The lower 13 bits count for nothing.
struct Tf32 {
  using Raw = uint32_t;
  static constexpr uint32_t bits = 32;
  static float value(uint32_t raw) { return std::bit_cast<float>(raw & 0xffffe000u); }
};
struct Float8E4M3 {
  using Raw = uint8_t;
  static constexpr uint32_t bits = 8;
  static float value(uint32_t raw) { return E4M3::value(uint16_t(raw)); }
};
struct Float8E5M2 {
  using Raw = uint8_t;
  static constexpr uint32_t bits = 8;
  static float value(uint32_t raw) { return E5M2::value(uint16_t(raw)); }
};
struct Signed8 {
  using Raw = uint8_t;
  static constexpr uint32_t bits = 8;
  static int32_t value(uint32_t raw) { return int8_t(raw); }
};
struct Unsigned8 {
  using Raw = uint8_t;
  static constexpr uint32_t bits = 8;
  static int32_t value(uint32_t raw) { return uint8_t(raw); }
};

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
