// From an element type in the IR to the C++ type that holds its elements.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <type_traits>

namespace tw::interp {

template <typename T> struct Tag {
  using type = T;
};

/// Calls `f(Tag<T>())` with the C++ type of the elements: float, double, bool for i1, int64_t for
/// index, and intN_t or uintN_t as integers are signless or unsigned. The type is one that
/// getElementBytes holds.
template <typename F> decltype(auto) visitElementType(mlir::Type type, F &&f) {
  if (type.isF32())
    return f(Tag<float>());
  if (type.isF64())
    return f(Tag<double>());
  if (type.isInteger(1))
    return f(Tag<bool>());
  bool isUnsigned = type.isUnsignedInteger();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width == 8)
    return isUnsigned ? f(Tag<uint8_t>()) : f(Tag<int8_t>());
  if (width == 16)
    return isUnsigned ? f(Tag<uint16_t>()) : f(Tag<int16_t>());
  if (width == 32)
    return isUnsigned ? f(Tag<uint32_t>()) : f(Tag<int32_t>());
  return isUnsigned ? f(Tag<uint64_t>()) : f(Tag<int64_t>());
}

} // namespace tw::interp
