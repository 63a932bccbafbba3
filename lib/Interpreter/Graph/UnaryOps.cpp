// Elementwise ops of one operand. Functions of f32 are computed in f64 and rounded once.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

template <typename F> static Tensor onFloats(Operation *op, const Tensor &input, F f) {
  if (input.getElementType().isF32())
    return mapElements<float>(
        resultType(op), [&](float x) { return float(f(double(x))); }, input.elements<float>());
  return mapElements<double>(
      resultType(op), [&](double x) { return f(x); }, input.elements<double>());
}

template <typename F> static Tensor classify(Operation *op, const Tensor &input, F f) {
  if (input.getElementType().isF32())
    return mapElements<bool>(
        resultType(op), [&](float x) { return f(double(x)); }, input.elements<float>());
  return mapElements<bool>(
      resultType(op), [&](double x) { return f(x); }, input.elements<double>());
}

template <typename F> static Tensor onEach(Operation *op, const Tensor &input, F f) {
  return visitElementType(input.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T>(
        resultType(op), [&](T x) { return T(f(x)); }, input.elements<T>());
  });
}

template <typename T> static T negate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return -x;
  else if constexpr (std::is_same_v<T, bool>)
    return x; // 0 - 1 wraps to 1
  else
    return T(-uint64_t(x));
}

template <typename T> static T absolute(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  else
    return std::is_signed_v<T> && x < T(0) ? negate(x) : x;
}

template <typename T> static T sign(T x) {
  if (x > T(0))
    return T(1);
  // A zero keeps its sign, NaN is neither above nor below.
  return x < T(0) ? T(-1) : x;
}

template <typename T> static T complement(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return !x;
  else if constexpr (std::is_integral_v<T>)
    return T(~x);
  else
    return x;
}

// The tie goes to the even neighbour.
static double roundToEven(double x) {
  double below = std::floor(x), fraction = x - below;
  if (fraction == 0 || std::isnan(x))
    return x;
  bool up = fraction > 0.5 || (fraction == 0.5 && std::fmod(below, 2.0) != 0);
  return std::copysign(up ? below + 1 : below, x);
}

Tensor tw::interp::evaluateUnary(Operation *op, ArrayRef<Tensor> x) {
#define TW_FLOAT(OP, FUNCTION)                                                                     \
  .Case([&](OP) { return onFloats(op, x[0], [](double x) { return double(FUNCTION); }); })
  return llvm::TypeSwitch<Operation *, Tensor>(op)
      .Case([&](NegOp) { return onEach(op, x[0], [](auto x) { return negate(x); }); })
      .Case([&](AbsOp) { return onEach(op, x[0], [](auto x) { return absolute(x); }); })
      .Case([&](SignOp) { return onEach(op, x[0], [](auto x) { return sign(x); }); })
      .Case([&](NotOp) { return onEach(op, x[0], [](auto x) { return complement(x); }); })
      // clang-format off
      TW_FLOAT(ExpOp, std::exp(x)) TW_FLOAT(LogOp, std::log(x)) TW_FLOAT(SqrtOp, std::sqrt(x))
      TW_FLOAT(RsqrtOp, 1 / std::sqrt(x)) TW_FLOAT(ReciprocalOp, 1 / x)
      TW_FLOAT(SigmoidOp, 1 / (1 + std::exp(-x))) TW_FLOAT(TanhOp, std::tanh(x))
      TW_FLOAT(ErfOp, std::erf(x)) TW_FLOAT(FloorOp, std::floor(x)) TW_FLOAT(CeilOp, std::ceil(x))
      TW_FLOAT(RoundOp, roundToEven(x)) TW_FLOAT(SinOp, std::sin(x)) TW_FLOAT(CosOp, std::cos(x))
      TW_FLOAT(TanOp, std::tan(x)) TW_FLOAT(AsinOp, std::asin(x)) TW_FLOAT(AcosOp, std::acos(x))
      TW_FLOAT(AtanOp, std::atan(x)) TW_FLOAT(SinhOp, std::sinh(x)) TW_FLOAT(CoshOp, std::cosh(x))
      TW_FLOAT(AsinhOp, std::asinh(x)) TW_FLOAT(AcoshOp, std::acosh(x)) TW_FLOAT(AtanhOp, std::atanh(x))
      // clang-format on
      .Case([&](IsNanOp) { return classify(op, x[0], [](double x) { return std::isnan(x); }); })
      .Case([&](IsInfOp) { return classify(op, x[0], [](double x) { return std::isinf(x); }); })
      .Default(Tensor());
#undef TW_FLOAT
}
