// Tensors from numbers.
#include "State.h"

#include "tw/Support/ElementTypes.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace tw::fe;
namespace fe = tw::fe;

/// Null after an error.
static Value fill(Scope &s, const Shape &shape, const Arg &value, DType dtype) {
  auto type = mlir::cast_or_null<mlir::RankedTensorType>(makeType(s, dtype, shape));
  mlir::Value scalar = type ? s.cast(s.get(value, dtype), dtype) : mlir::Value();
  if (!scalar)
    return s.poison();
  // A constant of the whole shape folds where an expanded one does not.
  auto constant = scalar.getDefiningOp<graph::ConstantOp>();
  auto number = constant ? mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                         : mlir::DenseElementsAttr();
  if (number && number.isSplat() && type.hasStaticShape())
    return s.done(s.make<graph::ConstantOp>(
        {},
        s.attribute("value",
                    mlir::DenseElementsAttr::get(type, number.getSplatValue<mlir::Attribute>())),
        type));
  return s.done(s.broadcastTo(scalar, toShape(s.context(), shape)));
}

Value fe::full(On function, Shape shape, Arg fill_value, DType dtype) {
  Scope s("full", function, fill_value);
  return fill(s, shape, fill_value, dtype);
}
Value fe::zeros(On function, Shape shape, DType dtype) {
  Scope s("zeros", function);
  return fill(s, shape, 0, dtype);
}
Value fe::ones(On function, Shape shape, DType dtype) {
  Scope s("ones", function);
  return fill(s, shape, 1, dtype);
}

static Value like(const char *name, const Arg &x, const Arg &number) {
  Scope s(name, x, number);
  Value value = s.done(s.get(x));
  return s ? fill(s, value.shape(), number, value.dtype()) : s.poison();
}
Value fe::full_like(Arg x, Arg fill_value) { return like("full_like", x, fill_value); }
Value fe::zeros_like(Arg x) { return like("zeros_like", x, 0); }
Value fe::ones_like(Arg x) { return like("ones_like", x, 1); }

Value fe::iota(On function, Shape shape, int64_t axis, DType dtype) {
  Scope s("iota", function);
  mlir::Type type = makeType(s, dtype, shape);
  axis = s.axis(axis, int64_t(shape.size()));
  return type && s ? s.done(s.make<graph::IotaOp>({}, s.attribute("dim", axis), type)) : s.poison();
}

Value fe::arange(On function, int64_t start, int64_t stop, int64_t step, DType dtype) {
  Scope s("arange", function);
  if (step == 0)
    return s.error(Code::T0206, "expected a step other than 0");
  std::optional<int64_t> apart = llvm::checkedSub(stop, start);
  if (!apart || (*apart == INT64_MIN && step == -1))
    return s.error(Code::T0206, "expected less than 2^63 numbers");
  int64_t span = *apart, up = span / step + (span % step != 0 && (span > 0) == (step > 0));
  Value index = iota(function, {std::max<int64_t>(up, 0)}, 0, dtype);
  if (step != 1)
    index = index * step;
  return start ? index + start : index;
}

Value fe::linspace(On function, double start, double stop, int64_t num, bool endpoint,
                   DType dtype) {
  Scope s("linspace", function);
  if (num < 0)
    return s.error(Code::T0206, "expected a number of 0 or more, found " + Twine(num));
  int64_t parts = endpoint ? num - 1 : num;
  double distance = parts > 0 ? (stop - start) / double(parts) : 0;
  DType wide = isFloating(dtype) ? dtype : f64;
  Value place = iota(function, {num}, 0, wide), line = place * distance + start;
  // The last one is exact; of one, whose number a call may settle, the first is.
  if (endpoint && num > 1)
    line = where(place == 0.0, start, where(place == double(parts), stop, line));
  return astype(line, dtype);
}

/// column - row compared with k.
static Value diagonal(const Function &function, const Shape &shape) {
  int64_t rank = int64_t(shape.size());
  return iota(function, shape, rank - 1) - iota(function, shape, rank - 2);
}

Value fe::eye(On function, int64_t rows, int64_t columns, int64_t k, DType dtype) {
  Scope s("eye", function);
  if (!s)
    return s.poison();
  return astype(diagonal(s.self(), {rows, columns < 0 ? rows : columns}) == k, dtype);
}

static Value triangle(const char *name, const Arg &x, int64_t k, bool lower) {
  Scope s(name, x);
  Value value = s.done(s.get(x));
  if (s && value.rank() < 2)
    return s.error(Code::T0208, "expected rank 2 or more, found " + Twine(value.rank()));
  if (!s)
    return value;
  Shape shape = value.shape();
  Value where_ = diagonal(s.self(), {shape[shape.size() - 2], shape.back()});
  return where(lower ? where_ <= k : where_ >= k, value, zeros_like(value));
}
Value fe::tril(Arg x, int64_t k) { return triangle("tril", x, k, true); }
Value fe::triu(Arg x, int64_t k) { return triangle("triu", x, k, false); }

Value fe::shape_size(Arg x, int64_t axis, DType dtype) {
  Scope s("shape_size", x);
  mlir::Value value = s.get(x);
  axis = s.axis(axis, s.rank(value));
  mlir::Type type = makeType(s, dtype, {});
  if (!s || !type)
    return s.poison();
  return s.done(s.make<graph::SizeOp>(
      {}, s.attribute("size", graph::DimsAttr::get(s.context(), s.shape(value)[axis])), type));
}
