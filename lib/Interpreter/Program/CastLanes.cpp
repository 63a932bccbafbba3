// Arith casts on lanes. A float outside the range of the integer type converts to poison.
//===---------------------------------------------------------------------------------------===//
#include "LaneTemplates.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::interp;

// Calls `visit` with the tags of two integer types.
template <typename Visitor> static LaneFunction visitIntegers(Type from, Type to, Visitor &&visit) {
  return visitInteger(from, [&](auto fromTag) {
    return visitInteger(to, [&](auto toTag) { return visit(fromTag, toTag); });
  });
}

template <bool isSigned> static LaneFunction resizeInteger(Type from, Type to) {
  return visitIntegers(from, to, [](auto fromTag, auto toTag) {
    using From = typename decltype(fromTag)::type;
    using To = typename decltype(toTag)::type;
    return lanes<[](From a) { return wrap<To>(isSigned ? uint64_t(asSigned(a)) : asUnsigned(a)); },
                 To, From>();
  });
}

template <bool isSigned> static LaneFunction integerToFloat(Type from, Type to) {
  return visitInteger(from, [&](auto tag) -> LaneFunction {
    using From = typename decltype(tag)::type;
    if (to.isF32())
      return lanes<[](From a) { return isSigned ? float(asSigned(a)) : float(asUnsigned(a)); },
                   float, From>();
    if (to.isF64())
      return lanes<[](From a) { return isSigned ? double(asSigned(a)) : double(asUnsigned(a)); },
                   double, From>();
    return nullptr;
  });
}

// The truncated value lies in (low, high), both exact in f64: one beyond the limits of the type.
template <typename To, bool isSigned> static std::optional<To> toInteger(double a) {
  constexpr unsigned width = widthOf<To>;
  double high = std::ldexp(1.0, int(isSigned ? width - 1 : width));
  double truncated = std::trunc(a);
  if (!(truncated < high && truncated >= (isSigned ? -high : 0.0)))
    return std::nullopt;
  return wrap<To>(isSigned ? uint64_t(int64_t(truncated)) : uint64_t(truncated));
}

template <bool isSigned> static LaneFunction floatToInteger(Type from, Type to) {
  return visitInteger(to, [&](auto tag) -> LaneFunction {
    using To = typename decltype(tag)::type;
    if (from.isF32())
      return lanes<[](float a) { return toInteger<To, isSigned>(a); }, To, float>();
    return from.isF64() ? lanes<[](double a) { return toInteger<To, isSigned>(a); }, To, double>()
                        : nullptr;
  });
}

static LaneFunction resizeFloat(Type from, Type to) {
  if (from.isF32() && to.isF64())
    return lanes<[](float a) { return double(a); }, double, float>();
  if (from.isF64() && to.isF32())
    return lanes<[](double a) { return float(a); }, float, double>();
  return nullptr;
}

static LaneFunction bitcast(Type from, Type to) {
  auto same = [&](Type a, Type b) { return (from == a && to == b) || (from == b && to == a); };
  Builder builder(from.getContext());
  if (same(builder.getF32Type(), builder.getI32Type()))
    return lanes<[](int32_t a) { return a; }, int32_t, int32_t>();
  if (same(builder.getF64Type(), builder.getI64Type()))
    return lanes<[](int64_t a) { return a; }, int64_t, int64_t>();
  return nullptr;
}

LaneFunction tw::interp::getCastLanes(Operation *op) {
  if (op->getNumOperands() != 1)
    return nullptr;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, LaneFunction>(op)
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](auto) { return resizeInteger<true>(from, to); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto) { return resizeInteger<false>(from, to); })
      .Case([&](arith::SIToFPOp) { return integerToFloat<true>(from, to); })
      .Case([&](arith::UIToFPOp) { return integerToFloat<false>(from, to); })
      .Case([&](arith::FPToSIOp) { return floatToInteger<true>(from, to); })
      .Case([&](arith::FPToUIOp) { return floatToInteger<false>(from, to); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return resizeFloat(from, to); })
      .Case([&](arith::BitcastOp) { return bitcast(from, to); })
      .Default(LaneFunction());
}
