// Reductions, scans, windows.
#include "State.h"

#include <cmath>

using namespace tw::fe;
namespace fe = tw::fe;
using graph::CombineKind;

/// The axes of `like` again, with size 1.
static Value keep(Scope &s, Value reduced, const Value &like, ArrayRef<int64_t> axes) {
  if (!s)
    return s.poison();
  Shape shape = like.shape();
  for (int64_t axis : axes)
    shape[size_t(axis)] = 1;
  return reshape(reduced, shape);
}

static Value reduce(Scope &s, CombineKind kind, mlir::Value operand, const Ints &axis,
                    bool keepdims) {
  if (!operand)
    return s.poison();
  SmallVector<int64_t> dims = s.axes(axis, s.rank(operand));
  if (!s)
    return s.poison();
  Value result =
      s.done(dims.empty() ? operand
                          : s.make<graph::ReduceOp>(operand, {s.attribute("kind", s.combine(kind)),
                                                              s.attribute("dims", dims)}));
  return keepdims ? keep(s, result, s.done(operand), dims) : result;
}

#define TW_REDUCE(name, kind)                                                                      \
  Value fe::name(Arg x, Ints axis, bool keepdims) {                                                \
    Scope s(#name, x);                                                                             \
    return reduce(s, CombineKind::kind, s.get(x), axis, keepdims);                                 \
  }
TW_REDUCE(sum, Add)
TW_REDUCE(prod, Mul)
TW_REDUCE(max, Max)
TW_REDUCE(min, Min)
#undef TW_REDUCE

Value fe::all(Arg x, Ints axis, bool keepdims) {
  Scope s("all", x);
  return reduce(s, CombineKind::All, s.cast(s.get(x), boolean), axis, keepdims);
}
Value fe::any(Arg x, Ints axis, bool keepdims) {
  Scope s("any", x);
  return reduce(s, CombineKind::Any, s.cast(s.get(x), boolean), axis, keepdims);
}

/// The number of elements along axes, as a scalar of the operand's type: a number, or what the call
/// settles.
static Value countOf(Scope &s, const Value &value, ArrayRef<int64_t> axes, double less) {
  double known = 1;
  Value symbolic;
  for (int64_t axis : axes) {
    Dim size = value.size(axis);
    if (size.isStatic()) {
      known *= double(size.getConstant());
      continue;
    }
    Value next = shape_size(value, axis, value.dtype());
    symbolic = symbolic.ok() ? symbolic * next : next;
  }
  if (!symbolic.ok())
    return full(s.self(), {}, known - less, value.dtype());
  return symbolic * known - less;
}

/// Sums, and counts, of narrow floats may be beyond what these can hold where the mean is not.
static Value widen(const Value &value) { return value.dtype() == f64 ? value : astype(value, f32); }

Value fe::mean(Arg x, Ints axis, bool keepdims) {
  Scope s("mean", x);
  Value value = s.done(s.floating(x));
  SmallVector<int64_t> dims = s.axes(axis, value.rank());
  if (!s)
    return s.poison();
  Value wide = widen(value);
  return astype(sum(wide, axis, keepdims) / countOf(s, wide, dims, 0), value.dtype());
}

Value fe::var(Arg x, Ints axis, double correction, bool keepdims) {
  Scope s("var", x);
  Value value = s.done(s.floating(x));
  SmallVector<int64_t> dims = s.axes(axis, value.rank());
  if (!s)
    return s.poison();
  Value wide = widen(value);
  Value squares = sum(square(wide - mean(wide, axis, true)), axis, keepdims);
  return astype(squares / countOf(s, wide, dims, correction), value.dtype());
}

Value fe::std(Arg x, Ints axis, double correction, bool keepdims) {
  Scope s("std", x);
  return sqrt(var(x, axis, correction, keepdims));
}

Value fe::logsumexp(Arg x, Ints axis, bool keepdims) {
  Scope s("logsumexp", x);
  Value value = s.done(s.floating(x)), most = max(value, axis, true);
  // An infinity is not subtracted from itself.
  Value shift = where(isfinite(most), most, 0.0);
  Value result = log(sum(exp(value - shift), axis, true)) + shift;
  SmallVector<int64_t> dims = s.axes(axis, value.rank());
  if (!s || keepdims || dims.empty())
    return result;
  return squeeze(result, std::vector<int64_t>(dims.begin(), dims.end()));
}

Value fe::norm(Arg x, Ints axis, double ord, bool keepdims) {
  Scope s("norm", x);
  Value value = s.done(s.floating(x));
  if (ord == 1)
    return sum(abs(value), axis, keepdims);
  if (ord == 2) {
    // Its derivative at 0 is 0.
    Value squares = sum(square(value), axis, keepdims), isZero = squares == 0.0;
    return where(isZero, 0.0, sqrt(where(isZero, 1.0, squares)));
  }
  if (std::isinf(ord))
    return ord > 0 ? max(abs(value), axis, keepdims) : min(abs(value), axis, keepdims);
  return s.error(Code::T0206, "expected 1, 2 or inf as ord, found " + Twine(std::to_string(ord)));
}

static Value argReduce(const char *name, CombineKind kind, const Arg &x, int64_t axis,
                       bool keepdims) {
  Scope s(name, x);
  mlir::Value value = s.get(x);
  axis = s.axis(axis, s.rank(value));
  if (!s)
    return s.poison();
  Value result = s.done(s.make<graph::ArgReduceOp>(
      value, {s.attribute("kind", s.combine(kind)), s.attribute("dim", axis)}));
  return keepdims ? expand_dims(result, axis) : result;
}
Value fe::argmax(Arg x, int64_t axis, bool keepdims) {
  return argReduce("argmax", CombineKind::Max, x, axis, keepdims);
}
Value fe::argmin(Arg x, int64_t axis, bool keepdims) {
  return argReduce("argmin", CombineKind::Min, x, axis, keepdims);
}

static Value scanned(const char *name, CombineKind kind, const Arg &x, int64_t axis, bool exclusive,
                     bool reverse) {
  Scope s(name, x);
  mlir::Value value = s.get(x);
  axis = s.axis(axis, s.rank(value));
  if (!s)
    return s.poison();
  SmallVector<mlir::NamedAttribute> attributes{s.attribute("kind", s.combine(kind)),
                                               s.attribute("dim", axis)};
  if (exclusive)
    attributes.push_back(s.attribute("exclusive", s.builder().getUnitAttr()));
  if (reverse)
    attributes.push_back(s.attribute("reverse", s.builder().getUnitAttr()));
  return s.done(s.same<graph::ScanOp>(value, attributes));
}
Value fe::cumulative_sum(Arg x, int64_t axis, bool exclusive, bool reverse) {
  return scanned("cumulative_sum", CombineKind::Add, x, axis, exclusive, reverse);
}
Value fe::cumulative_prod(Arg x, int64_t axis, bool exclusive, bool reverse) {
  return scanned("cumulative_prod", CombineKind::Mul, x, axis, exclusive, reverse);
}
Value fe::cumulative_max(Arg x, int64_t axis, bool reverse) {
  return scanned("cumulative_max", CombineKind::Max, x, axis, false, reverse);
}
Value fe::cumulative_min(Arg x, int64_t axis, bool reverse) {
  return scanned("cumulative_min", CombineKind::Min, x, axis, false, reverse);
}

Value fe::reduce_window(Arg x, Text kind, Ints window, Ints strides, Ints padding, Ints dilations) {
  Scope s("reduce_window", x);
  mlir::Value value = s.get(x);
  if (!value)
    return s.poison();
  std::optional<CombineKind> combine = graph::symbolizeCombineKind(StringRef(kind));
  if (!combine)
    return s.error(Code::T0214, "expected add, mul, max or min, found '" + StringRef(kind) + "'");
  size_t rank = size_t(s.rank(value));
  auto [low, high] = s.padding(padding, rank);
  auto size = s.list(window, rank, "window"), stride = s.list(strides, rank, "strides"),
       dilation = s.list(dilations, rank, "dilations");
  if (!s)
    return s.poison();
  return s.done(s.make<graph::WindowOp>(
      value, {s.attribute("kind", s.combine(*combine)), s.attribute("window", size),
              s.attribute("strides", stride), s.attribute("dilations", dilation),
              s.attribute("pad_low", low), s.attribute("pad_high", high)}));
}

/// Windows of the spatial dimensions alone.
static Value pool(Scope &s, const Value &value, Text kind, const Ints &window, const Ints &strides,
                  const Ints &padding, const Ints &dilations) {
  if (!s)
    return s.poison();
  if (value.rank() < 3)
    return s.error(Code::T0208, "expected rank 3 or more, found " + fe::str(value.shape()));
  size_t spatial = size_t(value.rank() - 2);
  auto [low, high] = s.padding(padding, spatial);
  auto whole = [&](SmallVector<int64_t> list, int64_t other) {
    list.insert(list.begin(), 2, other);
    return std::vector<int64_t>(list.begin(), list.end());
  };
  std::vector<int64_t> pads = whole(low, 0);
  high.insert(high.begin(), 2, 0);
  pads.insert(pads.end(), high.begin(), high.end());
  auto size = whole(s.list(window, spatial, "window"), 1),
       stride = whole(s.list(strides.isNone() ? window : strides, spatial, "strides"), 1),
       dilation = whole(s.list(dilations, spatial, "dilations"), 1);
  return s ? reduce_window(value, kind, size, stride, pads, dilation) : s.poison();
}

Value fe::max_pool(Arg x, Ints window, Ints strides, Ints padding, Ints dilations) {
  Scope s("max_pool", x);
  return pool(s, s.done(s.get(x)), "max", window, strides, padding, dilations);
}

Value fe::avg_pool(Arg x, Ints window, Ints strides, Ints padding, bool count_include_pad) {
  Scope s("avg_pool", x);
  Value value = s.done(s.floating(x));
  Value total = pool(s, value, "add", window, strides, padding, 1);
  if (!s || !total.ok())
    return s.poison();
  auto size = s.list(window, size_t(value.rank() - 2), "window");
  double count = 1;
  for (int64_t one : size)
    count *= double(one);
  auto [low, high] = s.padding(padding, size.size());
  bool padded = llvm::any_of(low, [](int64_t p) { return p != 0; }) ||
                llvm::any_of(high, [](int64_t p) { return p != 0; });
  if (count_include_pad || !padded)
    return total / count;
  // How many elements each window has: of one channel, known while compiling.
  Shape one = value.shape();
  one[0] = one[1] = 1;
  return total / pool(s, ones(s.self(), one, value.dtype()), "add", window, strides, padding, 1);
}

Value fe::global_avg_pool(Arg x) {
  Scope s("global_avg_pool", x);
  Value value = s.done(s.floating(x));
  if (s && value.rank() < 3)
    return s.error(Code::T0208, "expected rank 3 or more, found " + fe::str(value.shape()));
  std::vector<int64_t> spatial;
  for (int64_t i = 2; i < value.rank(); ++i)
    spatial.push_back(i);
  return mean(value, spatial, true);
}
