// What kernels with planted faults run on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

inline constexpr size_t bufferBytes = 8 << 20;

/// Faults of one kind that a kernel gets: as many as this, from all over it.
inline constexpr size_t mostOfAKind = 24;

/// Numbers below 1, also where halves of words are read as numbers of 16 bits.
inline float sample(size_t i) {
  auto half = [](size_t n) {
    float value = float(64 + (n * 2654435761u >> 24 & 0xff) % 192) / 256;
    return std::bit_cast<uint32_t>(value) >> 16;
  };
  return std::bit_cast<float>(half(2 * i) << 16 | half(2 * i + 1));
}

/// What the buffer `index` holds at first.
inline const std::vector<float> &samples(size_t index) {
  static std::map<size_t, std::vector<float>> made;
  std::vector<float> &values = made[index];
  for (size_t i = values.size(); i < bufferBytes / 4; ++i)
    values.push_back(sample(i + index * 77777));
  return values;
}
