// Math ops on lanes. Functions of f32, bf16 and f16 are computed in f64 and rounded once.
//===---------------------------------------------------------------------------------------===//
#include "LaneTemplates.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::interp;

template <auto F> static LaneFunction unary(Type type) {
  return onFloats<[](auto a) { return decltype(a)(F(double(a))); }, 1>(type);
}
template <auto F> static LaneFunction binary(Type type) {
  return onFloats<[](auto a, auto b) { return decltype(a)(F(double(a), double(b))); }, 2>(type);
}
template <auto F> static LaneFunction classify(Type type) {
  return visitFloat(type, [](auto tag) { return lanes<F, bool, typename decltype(tag)::type>(); });
}

// Halves to even, whatever the rounding mode of the process.
static double roundEven(double a) {
  double rounded = std::round(a);
  if (std::fabs(rounded - a) == 0.5 && std::fmod(rounded, 2.0) != 0.0)
    rounded -= std::copysign(1.0, a);
  return std::copysign(rounded, a);
}

LaneFunction tw::interp::getMathLanes(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
#define TW_UNARY(OP, FUNCTION)                                                                     \
  .Case([&](math::OP) { return unary<[](double a) { return FUNCTION(a); }>(type); })
  return llvm::TypeSwitch<Operation *, LaneFunction>(op)
      // clang-format off
      TW_UNARY(AbsFOp, std::fabs) TW_UNARY(ExpOp, std::exp) TW_UNARY(Exp2Op, std::exp2)
      TW_UNARY(ExpM1Op, std::expm1) TW_UNARY(LogOp, std::log) TW_UNARY(Log2Op, std::log2)
      TW_UNARY(Log10Op, std::log10) TW_UNARY(Log1pOp, std::log1p) TW_UNARY(SqrtOp, std::sqrt)
      TW_UNARY(CbrtOp, std::cbrt) TW_UNARY(SinOp, std::sin) TW_UNARY(CosOp, std::cos)
      TW_UNARY(TanOp, std::tan) TW_UNARY(AsinOp, std::asin) TW_UNARY(AcosOp, std::acos)
      TW_UNARY(AtanOp, std::atan) TW_UNARY(SinhOp, std::sinh) TW_UNARY(CoshOp, std::cosh)
      TW_UNARY(TanhOp, std::tanh) TW_UNARY(AsinhOp, std::asinh) TW_UNARY(AcoshOp, std::acosh)
      TW_UNARY(AtanhOp, std::atanh) TW_UNARY(ErfOp, std::erf) TW_UNARY(ErfcOp, std::erfc)
      TW_UNARY(FloorOp, std::floor) TW_UNARY(CeilOp, std::ceil) TW_UNARY(TruncOp, std::trunc)
      TW_UNARY(RoundOp, std::round) TW_UNARY(RoundEvenOp, roundEven)
                          // clang-format on
                          .Case([&](math::RsqrtOp) {
                            return unary<[](double a) { return 1.0 / std::sqrt(a); }>(type);
                          })
                          .Case([&](math::PowFOp) {
                            return binary<[](double a, double b) { return std::pow(a, b); }>(type);
                          })
                          .Case([&](math::Atan2Op) {
                            return binary<[](double a, double b) { return std::atan2(a, b); }>(
                                type);
                          })
                          .Case([&](math::CopySignOp) {
                            return binary<[](double a, double b) { return std::copysign(a, b); }>(
                                type);
                          })
                          .Case([&](math::FmaOp) {
                            return onFloats<
                                [](auto a, auto b, auto c) { return std::fma(a, b, c); }, 3>(type);
                          })
                          .Case([&](math::AbsIOp) {
                            return onIntegers<[](auto a) {
                              return wrap<decltype(a)>(asSigned(a) < 0 ? 0 - asUnsigned(a)
                                                                       : asUnsigned(a));
                            },
                                              1>(type);
                          })
                          .Case([&](math::IsNaNOp is) {
                            return classify<[](auto a) { return std::isnan(a); }>(
                                getElementTypeOrSelf(is.getOperand().getType()));
                          })
                          .Case([&](math::IsInfOp is) {
                            return classify<[](auto a) { return std::isinf(a); }>(
                                getElementTypeOrSelf(is.getOperand().getType()));
                          })
                          .Case([&](math::IsFiniteOp is) {
                            return classify<[](auto a) { return std::isfinite(a); }>(
                                getElementTypeOrSelf(is.getOperand().getType()));
                          })
                          .Default(LaneFunction());
#undef TW_UNARY
}
