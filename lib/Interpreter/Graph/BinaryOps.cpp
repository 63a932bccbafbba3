// Elementwise ops of two operands of one type: total, whatever the operands.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

template <typename F> static Tensor onAll(Operation *op, ArrayRef<Tensor> x, F f) {
  return visitElementType(x[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T>(
        resultType(op), [&](T a, T b) { return T(f(a, b)); }, x[0].elements<T>(),
        x[1].elements<T>());
  });
}

template <typename F> static Tensor onIntegers(Operation *op, ArrayRef<Tensor> x, F f) {
  return onAll(op, x, [&](auto a, auto b) {
    if constexpr (std::is_integral_v<decltype(a)>)
      return f(a, b);
    else
      return a;
  });
}

template <typename T> static T difference(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a != b;
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) - uint64_t(b));
  else
    return a - b;
}

template <typename T> static bool isLeastByMinusOne(T a, T b) {
  return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1);
}

template <typename T> static T quotient(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return b ? a : true; // x / 0 has all bits set
  } else if constexpr (std::is_integral_v<T>) {
    if (b == 0)
      return T(-1);
    return isLeastByMinusOne(a, b) ? a : T(a / b);
  } else {
    return a / b;
  }
}

template <typename T> static T truncatedRemainder(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return b ? false : a;
  } else if constexpr (std::is_integral_v<T>) {
    if (b == 0)
      return a;
    return isLeastByMinusOne(a, b) ? T(0) : T(a % b);
  } else {
    return std::fmod(a, b);
  }
}

// The remainder of the flooring quotient: the sign of b, also for a zero.
template <typename T> static T modulus(T a, T b) {
  T rest = truncatedRemainder(a, b);
  if constexpr (std::is_floating_point_v<T>) {
    if (rest == 0)
      return std::copysign(T(0), b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else if constexpr (std::is_signed_v<T>) {
    return b != 0 && rest != 0 && (rest < 0) != (b < 0) ? T(rest + b) : rest;
  } else {
    return rest;
  }
}

template <typename T> static T power(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return T(std::pow(double(a), double(b)));
  } else {
    if (std::is_signed_v<T> && b < T(0)) {
      if (a == T(1))
        return T(1);
      if (a == T(-1))
        return uint64_t(b) & 1 ? T(-1) : T(1);
      return T(0);
    }
    T result = T(1);
    for (uint64_t rest = uint64_t(b), square = uint64_t(a); rest != 0; rest >>= 1, square *= square)
      if (rest & 1)
        result = product(result, T(square));
    return result;
  }
}

template <typename T>
constexpr unsigned widthOf = std::is_same_v<T, bool> ? 1 : unsigned(sizeof(T) * 8);

// Amounts are unsigned numbers of the operand's width.
template <typename T> static bool isShiftInside(T amount) {
  if constexpr (std::is_same_v<T, bool>)
    return !amount;
  else
    return std::make_unsigned_t<T>(amount) < widthOf<T>;
}

template <typename T> static T shiftLeft(T a, T amount) {
  return isShiftInside(amount) ? T(uint64_t(a) << uint64_t(amount)) : T(0);
}

template <typename T> static T shiftRight(T a, T amount) {
  if (isShiftInside(amount))
    return T(a >> amount);
  return std::is_signed_v<T> && a < T(0) ? T(-1) : T(0);
}

Tensor tw::interp::evaluateBinary(Operation *op, ArrayRef<Tensor> x) {
  return llvm::TypeSwitch<Operation *, Tensor>(op)
      .Case([&](AddOp) { return onAll(op, x, [](auto a, auto b) { return sum(a, b); }); })
      .Case([&](SubOp) { return onAll(op, x, [](auto a, auto b) { return difference(a, b); }); })
      .Case([&](MulOp) { return onAll(op, x, [](auto a, auto b) { return product(a, b); }); })
      .Case([&](DivOp) { return onAll(op, x, [](auto a, auto b) { return quotient(a, b); }); })
      .Case([&](RemOp) {
        return onAll(op, x, [](auto a, auto b) { return truncatedRemainder(a, b); });
      })
      .Case([&](ModOp) { return onAll(op, x, [](auto a, auto b) { return modulus(a, b); }); })
      .Case([&](PowOp) { return onAll(op, x, [](auto a, auto b) { return power(a, b); }); })
      .Case([&](MinimumOp) { return onAll(op, x, [](auto a, auto b) { return smaller(a, b); }); })
      .Case([&](MaximumOp) { return onAll(op, x, [](auto a, auto b) { return greater(a, b); }); })
      .Case([&](AndOp) { return onIntegers(op, x, [](auto a, auto b) { return a & b; }); })
      .Case([&](OrOp) { return onIntegers(op, x, [](auto a, auto b) { return a | b; }); })
      .Case([&](XorOp) { return onIntegers(op, x, [](auto a, auto b) { return a ^ b; }); })
      .Case(
          [&](ShlOp) { return onIntegers(op, x, [](auto a, auto b) { return shiftLeft(a, b); }); })
      .Case(
          [&](ShrOp) { return onIntegers(op, x, [](auto a, auto b) { return shiftRight(a, b); }); })
      .Default(Tensor());
}
