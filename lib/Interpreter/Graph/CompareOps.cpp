// compare, select, clamp, cast.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

static Tensor compareElements(CompareOp op, ArrayRef<Tensor> x) {
  return visitElementType(x[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    ComparePredicate predicate = op.getPredicate();
    auto holds = [&](T a, T b) {
      switch (predicate) {
      case ComparePredicate::Eq:
        return a == b;
      case ComparePredicate::Ne:
        return a != b;
      case ComparePredicate::Lt:
        return a < b;
      case ComparePredicate::Le:
        return a <= b;
      case ComparePredicate::Gt:
        return a > b;
      case ComparePredicate::Ge:
        return a >= b;
      }
      llvm_unreachable("all predicates handled");
    };
    return mapElements<bool>(resultType(op), holds, x[0].elements<T>(), x[1].elements<T>());
  });
}

static Tensor selectElements(SelectOp op, ArrayRef<Tensor> x) {
  return visitElementType(x[1].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T>(
        resultType(op), [](bool c, T a, T b) { return c ? a : b; }, x[0].elements<bool>(),
        x[1].elements<T>(), x[2].elements<T>());
  });
}

static Tensor clampElements(ClampOp op, ArrayRef<Tensor> x) {
  return visitElementType(x[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T>(
        resultType(op), [](T a, T low, T high) { return smaller(greater(a, low), high); },
        x[0].elements<T>(), x[1].elements<T>(), x[2].elements<T>());
  });
}

// Floats to integers truncate and saturate, NaN gives 0; integers wrap; to bool is x != 0.
template <typename To, typename From> static To castElement(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x))
      return 0;
    double least = double(std::numeric_limits<To>::min()), whole = std::trunc(double(x));
    // Greatest + 1 is a power of two, so exact.
    double beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (whole >= beyond)
      return std::numeric_limits<To>::max();
    return whole <= least ? std::numeric_limits<To>::min() : To(whole);
  } else {
    return To(x);
  }
}

static Tensor castElements(CastOp op, const Tensor &x) {
  return visitElementType(x.getElementType(), [&](auto from) {
    using From = typename decltype(from)::type;
    return visitElementType(resultType(op).getElementType(), [&](auto to) {
      using To = typename decltype(to)::type;
      return mapElements<To>(
          resultType(op), [](From x) { return castElement<To>(x); }, x.elements<From>());
    });
  });
}

static Tensor castBits(BitcastOp op, const Tensor &x) {
  Tensor result = Tensor::allocate(resultType(op));
  std::memcpy(result.bytes(), x.bytes(),
              size_t(resultType(op).getNumElements() * getElementBytes(x.getElementType())));
  return result;
}

Tensor tw::interp::evaluateCompare(Operation *op, ArrayRef<Tensor> x) {
  return llvm::TypeSwitch<Operation *, Tensor>(op)
      .Case([&](CompareOp op) { return compareElements(op, x); })
      .Case([&](SelectOp op) { return selectElements(op, x); })
      .Case([&](ClampOp op) { return clampElements(op, x); })
      .Case([&](CastOp op) { return castElements(op, x[0]); })
      .Case([&](BitcastOp op) { return castBits(op, x[0]); })
      .Default(Tensor());
}
