// Arithmetic on sizes and registers that reports overflow instead of wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace tw::format {

/// All return false, leaving `result` unspecified, when the mathematical result does not fit.
template <typename T> [[nodiscard]] bool checkedAdd(T a, T b, T &result) {
  return !__builtin_add_overflow(a, b, &result);
}
template <typename T> [[nodiscard]] bool checkedSub(T a, T b, T &result) {
  return !__builtin_sub_overflow(a, b, &result);
}
template <typename T> [[nodiscard]] bool checkedMul(T a, T b, T &result) {
  return !__builtin_mul_overflow(a, b, &result);
}

/// Division rounding to minus infinity; fails for b == 0 and for the one overflow.
[[nodiscard]] inline bool checkedFloorDiv(int64_t a, int64_t b, int64_t &result) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return false;
  result = a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
  return true;
}

/// Division rounding to plus infinity; fails like checkedFloorDiv.
[[nodiscard]] inline bool checkedCeilDiv(int64_t a, int64_t b, int64_t &result) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return false;
  result = a / b + ((a % b != 0) && ((a < 0) == (b < 0)));
  return true;
}

/// Remainder with the sign of b; fails for b == 0.
[[nodiscard]] inline bool checkedMod(int64_t a, int64_t b, int64_t &result) {
  if (b == 0)
    return false;
  result = b == -1 ? 0 : a % b;
  if (result != 0 && ((result < 0) != (b < 0)))
    result += b;
  return true;
}

/// Rounds up to a power of two; fails when the result does not fit.
[[nodiscard]] inline bool checkedAlign(uint64_t value, uint64_t alignment, uint64_t &result) {
  if (__builtin_add_overflow(value, alignment - 1, &result))
    return false;
  result &= ~(alignment - 1);
  return true;
}

/// True if [offset, offset + length) lies within [0, size).
[[nodiscard]] inline bool rangeWithin(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

} // namespace tw::format
