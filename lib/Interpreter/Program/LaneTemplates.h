// From a C++ lambda on one lane to a LaneFunction.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "Lanes.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tw::interp {

/// A value as it is computed with: narrow floats as float.
template <typename T> auto computed(T value) {
  if constexpr (isFloat<T> && !std::is_floating_point_v<T>)
    return float(value);
  else
    return value;
}

template <auto F, typename R, typename... A> struct LaneLoop {
  static int64_t run(const void *const *operands, void *result, int64_t count) {
    return run(operands, result, count, std::index_sequence_for<A...>());
  }
  template <size_t... I>
  static int64_t run(const void *const *operands, void *result, int64_t count,
                     std::index_sequence<I...>) {
    R *out = static_cast<R *>(result);
    for (int64_t lane = 0; lane < count; ++lane) {
      auto value = F(computed(static_cast<const A *>(operands[I])[lane])...);
      if constexpr (std::is_same_v<decltype(value), std::optional<R>>) {
        if (!value)
          return lane;
        out[lane] = *value;
      } else {
        out[lane] = R(value);
      }
    }
    return -1;
  }
};

/// `F` from lanes of types `A` to lanes of `R`. A lambda that yields std::optional<R> yields poison
/// where that is empty.
template <auto F, typename R, typename... A> LaneFunction lanes() {
  return LaneLoop<F, R, A...>::run;
}

template <auto F, typename R, typename T, unsigned Arity> LaneFunction lanesOf() {
  if constexpr (Arity == 1)
    return lanes<F, R, T>();
  else if constexpr (Arity == 2)
    return lanes<F, R, T, T>();
  else
    return lanes<F, R, T, T, T>();
}

/// Calls `visit` with the tag of a float type; null for other types.
template <typename Visitor> LaneFunction visitFloat(mlir::Type type, Visitor &&visit) {
  if (!mlir::isa<mlir::FloatType>(type) || !isHeld(type))
    return nullptr;
  return visitStoredType(type, [&](auto tag) -> LaneFunction {
    if constexpr (isFloat<typename decltype(tag)::type>)
      return visit(tag);
    else
      return nullptr;
  });
}

/// `F` on a float type, and on a signless integer type or index; null on others. On narrow floats
/// it is computed in f32 and rounded.
template <auto F, unsigned Arity> LaneFunction onFloats(mlir::Type type) {
  return visitFloat(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanesOf<F, T, T, Arity>();
  });
}
template <typename Visitor> LaneFunction visitInteger(mlir::Type type, Visitor &&visit) {
  if (!type.isIndex() && (!type.isSignlessInteger() || !isHeld(type)))
    return nullptr;
  return visitElementType(type, [&](auto tag) -> LaneFunction {
    using T = typename decltype(tag)::type;
    // The bits of all integers are computed with as signed ones.
    if constexpr (std::is_same_v<T, bool> || (std::is_integral_v<T> && std::is_signed_v<T>))
      return visit(tag);
    else
      return nullptr;
  });
}
template <auto F, unsigned Arity> LaneFunction onIntegers(mlir::Type type) {
  return visitInteger(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanesOf<F, T, T, Arity>();
  });
}

/// A signless integer read as a signed and as an unsigned number, and the way back, which wraps.
template <typename T> int64_t asSigned(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? -1 : 0;
  else
    return value;
}
template <typename T> uint64_t asUnsigned(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else
    return std::make_unsigned_t<T>(value);
}
template <typename T> T wrap(uint64_t value) {
  if constexpr (std::is_same_v<T, bool>)
    return value & 1;
  else
    return T(value);
}
template <typename T>
constexpr unsigned widthOf = std::is_same_v<T, bool> ? 1 : unsigned(sizeof(T) * 8);
template <typename T>
constexpr int64_t leastOf = std::is_same_v<T, bool> ? -1 : int64_t(std::numeric_limits<T>::min());

} // namespace tw::interp
