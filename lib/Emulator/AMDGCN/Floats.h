// What operations of scalars and of vectors do with floats.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tw::emulator::amdgcn {

template <typename T> T quiet(T value) { return value + value; }

/// In IEEE mode: a number rather than NaN, and -0 below +0.
template <typename T> T least(T a, T b) {
  if (a != a)
    return b != b ? quiet(a) : b;
  if (b != b)
    return a;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
template <typename T> T largest(T a, T b) {
  if (a != a)
    return b != b ? quiet(a) : b;
  if (b != b)
    return a;
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
/// NaN if one is.
template <typename T> T minimum(T a, T b) { return a != a || b != b ? a + b : least(a, b); }
template <typename T> T maximum(T a, T b) { return a != a || b != b ? a + b : largest(a, b); }

template <typename To, typename From> To saturated(From value) {
  if (value != value)
    return 0;
  if (value <= From(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (value >= From(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return To(value);
}

/// What approximations of 32 bits do with subnormal numbers, theirs and those they are given.
inline float flushed(float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; }

/// A float of 8 bits of CDNA 3: the sign alone is NaN, there is no infinity, and biases are one
/// more.
template <int exponentBits, int mantissaBits> float fnuzValue(uint32_t bits) {
  int byte = int(bits & 0xff), bias = 1 << (exponentBits - 1);
  if (byte == 0x80)
    return std::numeric_limits<float>::quiet_NaN();
  int exponent = (byte & 0x7f) >> mantissaBits, mantissa = byte & ((1 << mantissaBits) - 1);
  int whole = exponent ? mantissa + (1 << mantissaBits) : mantissa;
  float size = std::ldexp(float(whole), std::max(exponent, 1) - bias - mantissaBits);
  return byte & 0x80 ? -size : size;
}

} // namespace tw::emulator::amdgcn
