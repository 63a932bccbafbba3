// Arith ops on lanes, but for casts. Integer ops whose result would be undefined yield poison.
//===---------------------------------------------------------------------------------------===//
#include "LaneTemplates.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::interp;

// minimum and maximum: NaN where either is, -0 below +0.
template <typename T> static T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> static T maximum(T a, T b) { return -minimum(T(-a), T(-b)); }

template <auto F> static LaneFunction signedDivision(Type type) {
  return visitInteger(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<[](T a, T b) -> std::optional<T> {
      if (b == 0 || (asSigned(a) == leastOf<T> && asSigned(b) == -1))
        return std::nullopt;
      return wrap<T>(uint64_t(F(asSigned(a), asSigned(b))));
    },
                 T, T, T>();
  });
}
template <auto F> static LaneFunction unsignedDivision(Type type) {
  return visitInteger(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<[](T a, T b) -> std::optional<T> {
      if (b == 0)
        return std::nullopt;
      return wrap<T>(F(asUnsigned(a), asUnsigned(b)));
    },
                 T, T, T>();
  });
}
template <auto F> static LaneFunction shift(Type type) {
  return visitInteger(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<[](T a, T b) -> std::optional<T> {
      if (asUnsigned(b) >= widthOf<T>)
        return std::nullopt;
      return wrap<T>(F(a, asUnsigned(b)));
    },
                 T, T, T>();
  });
}

template <auto F> static LaneFunction compareFloats(Type type) {
  return visitFloat(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<F, bool, T, T>();
  });
}
static LaneFunction compareFloats(arith::CmpFPredicate predicate, Type type) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return compareFloats<[](auto a, auto b) { return false; }>(type);
  case P::AlwaysTrue:
    return compareFloats<[](auto a, auto b) { return true; }>(type);
  case P::OEQ:
    return compareFloats<[](auto a, auto b) { return a == b; }>(type);
  case P::OGT:
    return compareFloats<[](auto a, auto b) { return a > b; }>(type);
  case P::OGE:
    return compareFloats<[](auto a, auto b) { return a >= b; }>(type);
  case P::OLT:
    return compareFloats<[](auto a, auto b) { return a < b; }>(type);
  case P::OLE:
    return compareFloats<[](auto a, auto b) { return a <= b; }>(type);
  case P::ONE:
    return compareFloats<[](auto a, auto b) { return a < b || a > b; }>(type);
  case P::ORD:
    return compareFloats<[](auto a, auto b) { return a == a && b == b; }>(type);
  case P::UEQ:
    return compareFloats<[](auto a, auto b) { return !(a < b || a > b); }>(type);
  case P::UGT:
    return compareFloats<[](auto a, auto b) { return !(a <= b); }>(type);
  case P::UGE:
    return compareFloats<[](auto a, auto b) { return !(a < b); }>(type);
  case P::ULT:
    return compareFloats<[](auto a, auto b) { return !(a >= b); }>(type);
  case P::ULE:
    return compareFloats<[](auto a, auto b) { return !(a > b); }>(type);
  case P::UNE:
    return compareFloats<[](auto a, auto b) { return a != b; }>(type);
  case P::UNO:
    return compareFloats<[](auto a, auto b) { return a != a || b != b; }>(type);
  }
  llvm_unreachable("all predicates handled");
}

template <auto F> static LaneFunction compareIntegers(Type type) {
  return visitInteger(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<F, bool, T, T>();
  });
}
static LaneFunction compareIntegers(arith::CmpIPredicate predicate, Type type) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return compareIntegers<[](auto a, auto b) { return a == b; }>(type);
  case P::ne:
    return compareIntegers<[](auto a, auto b) { return a != b; }>(type);
  case P::slt:
    return compareIntegers<[](auto a, auto b) { return asSigned(a) < asSigned(b); }>(type);
  case P::sle:
    return compareIntegers<[](auto a, auto b) { return asSigned(a) <= asSigned(b); }>(type);
  case P::sgt:
    return compareIntegers<[](auto a, auto b) { return asSigned(a) > asSigned(b); }>(type);
  case P::sge:
    return compareIntegers<[](auto a, auto b) { return asSigned(a) >= asSigned(b); }>(type);
  case P::ult:
    return compareIntegers<[](auto a, auto b) { return asUnsigned(a) < asUnsigned(b); }>(type);
  case P::ule:
    return compareIntegers<[](auto a, auto b) { return asUnsigned(a) <= asUnsigned(b); }>(type);
  case P::ugt:
    return compareIntegers<[](auto a, auto b) { return asUnsigned(a) > asUnsigned(b); }>(type);
  case P::uge:
    return compareIntegers<[](auto a, auto b) { return asUnsigned(a) >= asUnsigned(b); }>(type);
  }
  llvm_unreachable("all predicates handled");
}

static LaneFunction select(Type type) {
  // Narrow floats are moved as they are.
  if (tw::isNarrowFloat(type))
    type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  auto visit = [](auto tag) {
    using T = typename decltype(tag)::type;
    return lanes<[](bool c, T a, T b) { return c ? a : b; }, T, bool, T, T>();
  };
  if (type.isF32())
    return visit(Tag<float>());
  return type.isF64() ? visit(Tag<double>()) : visitInteger(type, visit);
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

LaneFunction tw::interp::getArithLanes(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, LaneFunction>(op)
      .Case([&](arith::AddFOp) { return onFloats<[](auto a, auto b) { return a + b; }, 2>(type); })
      .Case([&](arith::SubFOp) { return onFloats<[](auto a, auto b) { return a - b; }, 2>(type); })
      .Case([&](arith::MulFOp) { return onFloats<[](auto a, auto b) { return a * b; }, 2>(type); })
      .Case([&](arith::DivFOp) { return onFloats<[](auto a, auto b) { return a / b; }, 2>(type); })
      .Case([&](arith::RemFOp) {
        return onFloats<[](auto a, auto b) { return std::fmod(a, b); }, 2>(type);
      })
      .Case([&](arith::NegFOp) { return onFloats<[](auto a) { return -a; }, 1>(type); })
      .Case([&](arith::MinimumFOp) {
        return onFloats<[](auto a, auto b) { return minimum(a, b); }, 2>(type);
      })
      .Case([&](arith::MaximumFOp) {
        return onFloats<[](auto a, auto b) { return maximum(a, b); }, 2>(type);
      })
      .Case([&](arith::MinNumFOp) {
        return onFloats<[](auto a, auto b) { return std::fmin(a, b); }, 2>(type);
      })
      .Case([&](arith::MaxNumFOp) {
        return onFloats<[](auto a, auto b) { return std::fmax(a, b); }, 2>(type);
      })
      .Case([&](arith::AddIOp) {
        return onIntegers<
            [](auto a, auto b) { return wrap<decltype(a)>(asUnsigned(a) + asUnsigned(b)); }, 2>(
            type);
      })
      .Case([&](arith::SubIOp) {
        return onIntegers<
            [](auto a, auto b) { return wrap<decltype(a)>(asUnsigned(a) - asUnsigned(b)); }, 2>(
            type);
      })
      .Case([&](arith::MulIOp) {
        return onIntegers<
            [](auto a, auto b) { return wrap<decltype(a)>(asUnsigned(a) * asUnsigned(b)); }, 2>(
            type);
      })
      .Case([&](arith::AndIOp) {
        return onIntegers<
            [](auto a, auto b) { return wrap<decltype(a)>(asUnsigned(a) & asUnsigned(b)); }, 2>(
            type);
      })
      .Case([&](arith::OrIOp) {
        return onIntegers<
            [](auto a, auto b) { return wrap<decltype(a)>(asUnsigned(a) | asUnsigned(b)); }, 2>(
            type);
      })
      .Case([&](arith::XOrIOp) {
        return onIntegers<
            [](auto a, auto b) { return wrap<decltype(a)>(asUnsigned(a) ^ asUnsigned(b)); }, 2>(
            type);
      })
      .Case([&](arith::MinSIOp) {
        return onIntegers<[](auto a, auto b) { return asSigned(a) < asSigned(b) ? a : b; }, 2>(
            type);
      })
      .Case([&](arith::MaxSIOp) {
        return onIntegers<[](auto a, auto b) { return asSigned(a) > asSigned(b) ? a : b; }, 2>(
            type);
      })
      .Case([&](arith::MinUIOp) {
        return onIntegers<[](auto a, auto b) { return asUnsigned(a) < asUnsigned(b) ? a : b; }, 2>(
            type);
      })
      .Case([&](arith::MaxUIOp) {
        return onIntegers<[](auto a, auto b) { return asUnsigned(a) > asUnsigned(b) ? a : b; }, 2>(
            type);
      })
      .Case([&](arith::DivSIOp) {
        return signedDivision<[](int64_t a, int64_t b) { return a / b; }>(type);
      })
      .Case([&](arith::RemSIOp) {
        return signedDivision<[](int64_t a, int64_t b) { return a % b; }>(type);
      })
      .Case([&](arith::FloorDivSIOp) { return signedDivision<floorDivide>(type); })
      .Case([&](arith::CeilDivSIOp) {
        return signedDivision<[](int64_t a, int64_t b) { return -floorDivide(-a, b); }>(type);
      })
      .Case([&](arith::DivUIOp) {
        return unsignedDivision<[](uint64_t a, uint64_t b) { return a / b; }>(type);
      })
      .Case([&](arith::RemUIOp) {
        return unsignedDivision<[](uint64_t a, uint64_t b) { return a % b; }>(type);
      })
      .Case([&](arith::CeilDivUIOp) {
        return unsignedDivision<[](uint64_t a, uint64_t b) { return a / b + (a % b != 0); }>(type);
      })
      .Case([&](arith::ShLIOp) {
        return shift<[](auto a, uint64_t b) { return asUnsigned(a) << b; }>(type);
      })
      .Case([&](arith::ShRUIOp) {
        return shift<[](auto a, uint64_t b) { return asUnsigned(a) >> b; }>(type);
      })
      .Case([&](arith::ShRSIOp) {
        return shift<[](auto a, uint64_t b) { return uint64_t(asSigned(a) >> b); }>(type);
      })
      .Case([&](arith::CmpFOp compare) {
        return compareFloats(compare.getPredicate(),
                             getElementTypeOrSelf(compare.getLhs().getType()));
      })
      .Case([&](arith::CmpIOp compare) {
        return compareIntegers(compare.getPredicate(),
                               getElementTypeOrSelf(compare.getLhs().getType()));
      })
      .Case([&](arith::SelectOp) { return select(type); })
      .Default(LaneFunction());
}
