// Integer helpers of the layout library: wrapping arithmetic, floor division, magnitudes.
#pragma once

#include <cstdint>
#include <numeric>

namespace tw::layout {

inline int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

inline int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Division by a positive number, rounding down.
inline int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// The remainder in [0, b), b > 0.
inline int64_t floorModulo(int64_t a, int64_t b) {
  int64_t remainder = a % b;
  return remainder < 0 ? remainder + b : remainder;
}

inline uint64_t magnitude(int64_t a) {
  return a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
}

/// The greatest common divisor of |a| and b > 0; b when a is 0.
inline int64_t commonDivisor(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::gcd(magnitude(a), static_cast<uint64_t>(b)));
}

} // namespace tw::layout
