// Arithmetic, elementary functions, bits, comparison, choice, conversion.
#include "State.h"
#include "tw/Support/ElementTypes.h"

#include <cmath>
#include <numbers>

using namespace tw::fe;
namespace fe = tw::fe;
using graph::ComparePredicate;

template <typename Op> static Value binary(const char *name, Promotion promotion, Arg a, Arg b) {
  Scope s(name, a, b);
  return s.done(s.same<Op>(s.unify({&a, &b}, promotion)));
}

template <typename Op> static Value floating(const char *name, Arg x) {
  Scope s(name, x);
  return s.done(s.same<Op>(s.floating(x)));
}

template <typename Op> static Value unary(const char *name, Arg x) {
  Scope s(name, x);
  return s.done(s.same<Op>(s.get(x)));
}

#define TW_BINARY(name, op, promotion)                                                             \
  Value fe::name(Arg a, Arg b) { return binary<graph::op>(#name, Promotion::promotion, a, b); }
TW_BINARY(add, AddOp, Any)
TW_BINARY(subtract, SubOp, Any)
TW_BINARY(multiply, MulOp, Any)
TW_BINARY(divide, DivOp, Floating)
TW_BINARY(remainder, ModOp, Any)
TW_BINARY(fmod, RemOp, Any)
TW_BINARY(pow, PowOp, Any)
TW_BINARY(minimum, MinimumOp, Any)
TW_BINARY(maximum, MaximumOp, Any)
TW_BINARY(bitwise_and, AndOp, Integer)
TW_BINARY(bitwise_or, OrOp, Integer)
TW_BINARY(bitwise_xor, XorOp, Integer)
TW_BINARY(bitwise_left_shift, ShlOp, Integer)
TW_BINARY(bitwise_right_shift, ShrOp, Integer)
TW_BINARY(logical_and, AndOp, Bool)
TW_BINARY(logical_or, OrOp, Bool)
TW_BINARY(logical_xor, XorOp, Bool)
#undef TW_BINARY

#define TW_FLOATING(name, op)                                                                      \
  Value fe::name(Arg x) { return floating<graph::op>(#name, x); }
TW_FLOATING(reciprocal, ReciprocalOp)
TW_FLOATING(exp, ExpOp)
TW_FLOATING(log, LogOp)
TW_FLOATING(sqrt, SqrtOp)
TW_FLOATING(rsqrt, RsqrtOp)
TW_FLOATING(sin, SinOp)
TW_FLOATING(cos, CosOp)
TW_FLOATING(tan, TanOp)
TW_FLOATING(asin, AsinOp)
TW_FLOATING(acos, AcosOp)
TW_FLOATING(atan, AtanOp)
TW_FLOATING(sinh, SinhOp)
TW_FLOATING(cosh, CoshOp)
TW_FLOATING(tanh, TanhOp)
TW_FLOATING(asinh, AsinhOp)
TW_FLOATING(acosh, AcoshOp)
TW_FLOATING(atanh, AtanhOp)
TW_FLOATING(erf, ErfOp)
TW_FLOATING(sigmoid, SigmoidOp)
#undef TW_FLOATING

#define TW_ANY(name, op)                                                                           \
  Value fe::name(Arg x) { return unary<graph::op>(#name, x); }
TW_ANY(negative, NegOp)
TW_ANY(abs, AbsOp)
TW_ANY(sign, SignOp)
TW_ANY(relu, ReluOp)
#undef TW_ANY

// Integers are their own.
#define TW_ROUNDING(name, op)                                                                      \
  Value fe::name(Arg x) {                                                                          \
    Scope s(#name, x);                                                                             \
    mlir::Value value = s.get(x);                                                                  \
    return s.done(value && isFloating(s.dtype(value)) ? s.same<graph::op>(value) : value);         \
  }
TW_ROUNDING(floor, FloorOp)
TW_ROUNDING(ceil, CeilOp)
TW_ROUNDING(round, RoundOp)
#undef TW_ROUNDING

Value fe::trunc(Arg x) {
  Scope s("trunc", x);
  Value value = s.done(s.get(x));
  return isFloating(value.dtype()) ? where(value < 0, ceil(value), floor(value)) : value;
}

Value fe::floor_divide(Arg a, Arg b) {
  Scope s("floor_divide", a, b);
  auto both = s.unify({&a, &b}, Promotion::Any);
  if (both.empty())
    return s.poison();
  Value x = s.done(both[0]), y = s.done(both[1]);
  if (isFloating(x.dtype()))
    return floor(x / y);
  Value quotient = s.done(s.same<graph::DivOp>(both));
  if (!isInteger(x.dtype()) ||
      format::findElement(x.dtype())->kind == format::ElementKind::Unsigned)
    return quotient;
  // The truncated quotient is one too large where signs differ and something is left.
  Value left = s.done(s.same<graph::RemOp>(both));
  return where(logical_and(left != 0, logical_and(y != 0, (left < 0) != (y < 0))), quotient - 1,
               quotient);
}

Value fe::square(Arg x) {
  Scope s("square", x);
  Value value = s.done(s.get(x));
  return value * value;
}

Value fe::logaddexp(Arg a, Arg b) {
  Scope s("logaddexp", a, b);
  auto both = s.unify({&a, &b}, Promotion::Floating);
  if (both.empty())
    return s.poison();
  Value x = s.done(both[0]), y = s.done(both[1]), most = maximum(x, y);
  // Where both are the same infinity their difference is NaN.
  Value sum = most + log1p(exp(-abs(x - y)));
  return where(x == y, most + std::numbers::ln2, sum);
}

Value fe::exp2(Arg x) {
  Scope s("exp2", x);
  return pow(2.0, s.done(s.floating(x)));
}

// Kahan: the rounding errors of exp and log cancel.
// Both add what rounding took away, by a formula whose derivative by parts is as accurate, also
// where it is not chosen.

Value fe::expm1(Arg x) {
  Scope s("expm1", x);
  Value value = s.done(s.floating(x)), y = exp(value), isSmall = abs(value) < 0.5;
  // y (x - log(y)) is the difference of exp(x) and y.
  Value rest = where(isSmall, value - log(where(isSmall, y, 1.0)), 0.0);
  return (y - 1.0) + where(isSmall, y, 0.0) * rest;
}

Value fe::log1p(Arg x) {
  Scope s("log1p", x);
  Value value = s.done(s.floating(x)), y = value + 1.0;
  Value isInside = logical_and(y > 0.0, y < HUGE_VAL);
  Value rest = where(isInside, value - (y - 1.0), 0.0);
  return log(y) + rest / where(isInside, y, 1.0);
}

Value fe::log2(Arg x) {
  Scope s("log2", x);
  return log(x) * std::numbers::log2e;
}

Value fe::log10(Arg x) {
  Scope s("log10", x);
  return log(x) * std::numbers::log10e;
}

/// A number as a bound of what is limited in `type`: nothing is beyond the largest number of a type
/// without infinities.
static Arg limitBound(Scope &s, Arg bound, std::optional<DType> type) {
  bool isNumber = bound.kind == Arg::Kind::Float || bound.kind == Arg::Kind::Integer;
  auto element =
      type ? mlir::dyn_cast<mlir::FloatType>(tw::getElementType(s.context(), *type)) : nullptr;
  if (!isNumber || !element || tw::hasInfinities(element))
    return bound;
  double most = llvm::APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
  double number = bound.kind == Arg::Kind::Float ? bound.number : double(bound.integer);
  if (number > most || number < -most)
    bound = Arg(number > 0 ? most : -most, bound.where);
  return bound;
}

Value fe::clip(Arg x, Arg min, Arg max) {
  Scope s("clip", x, min, max);
  std::optional<DType> type;
  for (const Arg *arg : {&x, &min, &max})
    if (s && arg->kind == Arg::Kind::Tensor && !arg->isNone())
      type = type ? promote(*type, arg->value.dtype()) : arg->value.dtype();
  if (s) {
    min = limitBound(s, min, type);
    max = limitBound(s, max, type);
  }
  if (min.isNone() && max.isNone())
    return s.done(s.get(x));
  if (min.isNone() || max.isNone())
    return min.isNone() ? minimum(x, max) : maximum(x, min);
  return s.done(s.same<graph::ClampOp>(s.unify({&x, &min, &max}, Promotion::Any)));
}

Value fe::bitwise_invert(Arg x) {
  Scope s("bitwise_invert", x);
  return s.done(s.same<graph::NotOp>(s.unify(&x, Promotion::Integer)));
}

Value fe::logical_not(Arg x) {
  Scope s("logical_not", x);
  return s.done(s.same<graph::NotOp>(s.unify(&x, Promotion::Bool)));
}

static Value compare(const char *name, ComparePredicate predicate, Arg a, Arg b) {
  Scope s(name, a, b);
  auto both = s.unify({&a, &b}, Promotion::Any);
  if (both.empty())
    return s.poison();
  return s.done(s.make<graph::CompareOp>(
      both, s.attribute("predicate", graph::ComparePredicateAttr::get(s.context(), predicate))));
}

#define TW_COMPARE(name, predicate)                                                                \
  Value fe::name(Arg a, Arg b) { return compare(#name, ComparePredicate::predicate, a, b); }
TW_COMPARE(equal, Eq)
TW_COMPARE(not_equal, Ne)
TW_COMPARE(less, Lt)
TW_COMPARE(less_equal, Le)
TW_COMPARE(greater, Gt)
TW_COMPARE(greater_equal, Ge)
#undef TW_COMPARE

Value fe::isnan(Arg x) {
  Scope s("isnan", x);
  return s.done(s.make<graph::IsNanOp>(s.floating(x)));
}

Value fe::isinf(Arg x) {
  Scope s("isinf", x);
  return s.done(s.make<graph::IsInfOp>(s.floating(x)));
}

Value fe::isfinite(Arg x) {
  Scope s("isfinite", x);
  return logical_not(logical_or(isnan(x), isinf(x)));
}

Value fe::where(Arg condition, Arg a, Arg b) {
  Scope s("where", condition, a, b);
  auto sides = s.unify({&a, &b}, Promotion::Any);
  mlir::Value chosen = s.get(condition);
  if (!chosen || sides.empty())
    return s.poison();
  if (s.dtype(chosen) != boolean)
    return s.error(Code::T0213, "expected a condition of bools, found " + nameOf(s.dtype(chosen)));
  auto all = s.broadcast({chosen, sides[0], sides[1]});
  if (all.empty())
    return s.poison();
  return s.done(s.make<graph::SelectOp>(all, {}, all[1].getType()));
}

Value fe::astype(Arg x, DType dtype) {
  Scope s("astype", x);
  mlir::Value value = s.get(x);
  if (value && (!format::findElement(dtype) || !format::findElement(dtype)->isHeld))
    return s.error(Code::T0213, "no tensor has the element type " + nameOf(dtype));
  return s.done(s.cast(value, dtype));
}

Value fe::bitcast(Arg x, DType dtype) {
  Scope s("bitcast", x);
  mlir::Value value = s.get(x);
  if (!value)
    return s.poison();
  if (!format::findElement(dtype) || !format::findElement(dtype)->isHeld)
    return s.error(Code::T0213, "no tensor has the element type " + nameOf(dtype));
  return s.done(s.make<graph::BitcastOp>(
      value, {}, graph::withElementType(value.getType(), tw::getElementType(s.context(), dtype))));
}
