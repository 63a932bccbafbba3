// From an element type in the IR to the C++ type that holds its elements.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Support/NarrowFloats.h"

#include "mlir/IR/BuiltinTypes.h"

#include <type_traits>

namespace tw::interp {

template <typename T> struct Tag {
  using type = T;
};

/// Calls `f(Tag<T>())` with the C++ type of the elements: float, double, bool for i1, int64_t for
/// index, and intN_t or uintN_t as integers are signless or unsigned. The type is one that
/// getElementBytes holds, but for bf16 and f16, in which nothing is computed.
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

/// Whether tensors of a type hold BFloat16 or Float16: values that are widened to compute with.
inline bool isNarrowFloat(mlir::Type type) { return type.isBF16() || type.isF16(); }

/// visitElementType, and BFloat16 and Float16.
template <typename F> decltype(auto) visitStoredType(mlir::Type type, F &&f) {
  if (type.isBF16())
    return f(Tag<BFloat16>());
  if (type.isF16())
    return f(Tag<Float16>());
  return visitElementType(type, std::forward<F>(f));
}

/// Whether `T` holds a float of any width.
template <typename T>
constexpr bool isFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;

/// Calls `f` with the tags of the operands and of the result of a sum of products: all of one type,
/// or bf16 or f16 with sums in f32, or 8-bit integers, of which each side may be unsigned, with
/// sums in 32 bits.
template <typename F>
void visitProduct(mlir::Type operand, bool lhsUnsigned, bool rhsUnsigned, mlir::Type result,
                  F &&f) {
  if (operand == result)
    return visitElementType(operand, [&](auto tag) { f(tag, tag, tag); });
  if (operand.isBF16())
    return f(Tag<BFloat16>(), Tag<BFloat16>(), Tag<float>());
  if (operand.isF16())
    return f(Tag<Float16>(), Tag<Float16>(), Tag<float>());
  auto visitRhs = [&](auto lhs) {
    if (rhsUnsigned)
      f(lhs, Tag<uint8_t>(), Tag<int32_t>());
    else
      f(lhs, Tag<int8_t>(), Tag<int32_t>());
  };
  if (lhsUnsigned)
    visitRhs(Tag<uint8_t>());
  else
    visitRhs(Tag<int8_t>());
}

} // namespace tw::interp
