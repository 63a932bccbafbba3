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
  return visitInteger(from, [&](auto fromTag) {
    using From = typename decltype(fromTag)::type;
    return visitFloat(to, [](auto toTag) {
      using To = typename decltype(toTag)::type;
      return lanes<[](From a) { return isSigned ? To(asSigned(a)) : To(asUnsigned(a)); }, To,
                   From>();
    });
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
  return visitInteger(to, [&](auto toTag) {
    using To = typename decltype(toTag)::type;
    return visitFloat(from, [](auto fromTag) {
      using From = typename decltype(fromTag)::type;
      return lanes<[](auto a) { return toInteger<To, isSigned>(a); }, To, From>();
    });
  });
}

static LaneFunction resizeFloat(Type from, Type to) {
  return visitFloat(from, [&](auto fromTag) {
    return visitFloat(to, [](auto toTag) {
      using From = typename decltype(fromTag)::type;
      using To = typename decltype(toTag)::type;
      return lanes<[](auto a) { return To(a); }, To, From>();
    });
  });
}

static LaneFunction bitcast(Type from, Type to) {
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return nullptr;
  Type bits = IntegerType::get(from.getContext(), from.getIntOrFloatBitWidth());
  return visitInteger(bits, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<[](T a) { return a; }, T, T>();
  });
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
