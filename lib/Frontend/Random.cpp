// Random numbers of a counter.
#include "State.h"

using namespace tw::fe;
namespace fe = tw::fe;

static Value draw(Scope &s, graph::RandomKind kind, const Arg &key, const Arg &counter,
                  const Shape &shape, DType dtype) {
  mlir::Value first = s.cast(s.get(key, u64), u64), at = s.cast(s.get(counter, u64), u64);
  if (!s)
    return s.poison();
  if (!s.check(shape))
    return s.poison();
  if (!format::findElement(dtype) || !format::findElement(dtype)->isHeld)
    return s.error(Code::T0213, "no tensor has the element type " + nameOf(dtype));
  mlir::Type type =
      graph::getTensorType(toShape(s.context(), shape), tw::getElementType(s.context(), dtype));
  return s.done(s.make<graph::RandomOp>(
      {first, at}, s.attribute("kind", graph::RandomKindAttr::get(s.context(), kind)), type));
}

Value fe::random_bits(Arg key, Arg counter, Shape shape) {
  Scope s("random_bits", key, counter);
  return draw(s, graph::RandomKind::Bits, key, counter, shape, u32);
}

Value fe::random_uniform(Arg key, Arg counter, Shape shape, DType dtype) {
  Scope s("random_uniform", key, counter);
  return draw(s, graph::RandomKind::Uniform, key, counter, shape, dtype);
}

Value fe::random_normal(Arg key, Arg counter, Shape shape, DType dtype) {
  Scope s("random_normal", key, counter);
  return draw(s, graph::RandomKind::Normal, key, counter, shape, dtype);
}

Value fe::dropout(Arg x, Arg key, Arg counter, double rate) {
  Scope s("dropout", x, key, counter);
  Value value = s.done(s.floating(x));
  if (!(rate >= 0 && rate < 1))
    return s.error(Code::T0206,
                   "expected a rate from 0 to below 1, found " + Twine(std::to_string(rate)));
  Value drawn = draw(s, graph::RandomKind::Uniform, key, counter, value.shape(),
                     value.dtype() == f64 ? f64 : f32);
  return where(drawn < rate, 0.0, value * (1 / (1 - rate)));
}
