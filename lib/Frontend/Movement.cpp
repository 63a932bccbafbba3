// Movement of elements.
#include "State.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace tw::fe;
namespace fe = tw::fe;

/// Values that a function gives, at most.
static constexpr int64_t mostParts = 65536;

static std::vector<int64_t> orderOf(int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i);
  return order;
}

Value fe::permute_dims(Arg x, Ints axes) {
  Scope s("permute_dims", x);
  mlir::Value value = s.get(x);
  SmallVector<int64_t> permutation;
  if (int64_t(axes.get().size()) != s.rank(value))
    return s.error(Code::T0205,
                   "expected " + Twine(s.rank(value)) + " axes, found " + Twine(axes.get().size()));
  for (int64_t axis : axes.get())
    permutation.push_back(s.axis(axis, s.rank(value)));
  return s.done(s.permute(value, permutation));
}

Value fe::moveaxis(Arg x, Ints source, Ints destination) {
  Scope s("moveaxis", x);
  mlir::Value value = s.get(x);
  int64_t rank = s.rank(value);
  if (source.get().size() != destination.get().size())
    return s.error(Code::T0205, "expected as many places to move to as axes, found " +
                                    Twine(destination.get().size()) + " and " +
                                    Twine(source.get().size()));
  std::vector<int64_t> order(size_t(rank), -1);
  SmallVector<bool> moved(size_t(rank), false);
  for (auto [from, to] : llvm::zip(source.get(), destination.get())) {
    int64_t f = s.axis(from, rank), t = s.axis(to, rank);
    if (!s)
      return s.poison();
    if (moved[f] || order[t] != -1)
      return s.error(Code::T0204, "expected each axis once");
    moved[f] = true;
    order[t] = f;
  }
  int64_t next = 0;
  for (int64_t &place : order) {
    if (place != -1)
      continue;
    while (moved[next])
      ++next;
    place = next++;
  }
  return permute_dims(x, order);
}

Value fe::swapaxes(Arg x, int64_t axis1, int64_t axis2) {
  Scope s("swapaxes", x);
  mlir::Value value = s.get(x);
  std::vector<int64_t> order = orderOf(s.rank(value));
  axis1 = s.axis(axis1, s.rank(value)), axis2 = s.axis(axis2, s.rank(value));
  if (!s)
    return s.poison();
  std::swap(order[size_t(axis1)], order[size_t(axis2)]);
  return permute_dims(x, order);
}

/// What -1 stands for: the elements of `from` over those of the other sizes of `to`. Symbolic sizes
/// cancel one by one.
static std::optional<tw::Dim> findRest(const graph::Shape &from, const graph::Shape &to,
                                       size_t unknown) {
  SmallVector<tw::Dim> left(from.begin(), from.end());
  std::optional<int64_t> given = 1, there = 1;
  auto times = [](std::optional<int64_t> a, int64_t b) { return a ? llvm::checkedMul(*a, b) : a; };
  for (auto [i, size] : llvm::enumerate(to)) {
    if (i == unknown)
      continue;
    if (size.isStatic())
      given = times(given, size.getConstant());
    else if (auto *place = llvm::find(left, size); place != left.end())
      left.erase(place);
    else
      return std::nullopt;
  }
  std::optional<tw::Dim> symbolic;
  for (const tw::Dim &size : left) {
    if (size.isStatic())
      there = times(there, size.getConstant());
    else if (symbolic)
      return std::nullopt;
    else
      symbolic = size;
  }
  if (!given || !there || *given == 0 || *there % *given)
    return std::nullopt;
  return symbolic ? *symbolic * (*there / *given) : tw::Dim(*there / *given);
}

Value fe::reshape(Arg x, Shape shape) {
  Scope s("reshape", x);
  mlir::Value value = s.get(x);
  if (!value)
    return s.poison();
  graph::Shape from = s.shape(value), to = toShape(s.context(), shape);
  std::optional<size_t> unknown;
  for (auto [i, size] : llvm::enumerate(to)) {
    if (!size.isStatic() || size.getConstant() >= 0)
      continue;
    if (size.getConstant() != -1 || unknown)
      return s.error(Code::T0206,
                     "expected sizes of 0 or more and at most one -1, found " + fe::str(shape));
    unknown = i;
  }
  if (unknown) {
    std::optional<tw::Dim> rest = findRest(from, to, *unknown);
    if (!rest)
      return s.error(Code::T0212, "expected the other sizes of " + fe::str(shape) +
                                      " to divide the elements of " + graph::toString(from));
    to[*unknown] = *rest;
  }
  return s.done(s.reshape(value, to));
}

Value fe::flatten(Arg x, int64_t start, int64_t stop) {
  Scope s("flatten", x);
  Value value = s.done(s.get(x));
  if (value.rank() == 0)
    return reshape(x, {1});
  start = s.axis(start, value.rank()), stop = s.axis(stop, value.rank());
  if (!s)
    return s.poison();
  Shape from = value.shape(), to(from.begin(), from.begin() + start);
  if (start > stop)
    return s.error(Code::T0204, "expected start at or before stop, found " + Twine(start) +
                                    " and " + Twine(stop));
  to.push_back(-1);
  to.insert(to.end(), from.begin() + stop + 1, from.end());
  return reshape(x, to);
}

Value fe::expand_dims(Arg x, Ints axis) {
  Scope s("expand_dims", x);
  Value value = s.done(s.get(x));
  SmallVector<int64_t> places =
      s.axes(axis.isNone() ? Ints(0) : axis, value.rank() + int64_t(axis.get().size()));
  if (!s)
    return s.poison();
  Shape shape = value.shape();
  for (int64_t place : places)
    shape.insert(shape.begin() + place, Dim(1));
  return reshape(x, shape);
}

Value fe::squeeze(Arg x, Ints axis) {
  Scope s("squeeze", x);
  Value value = s.done(s.get(x));
  SmallVector<int64_t> places = s.axes(axis, value.rank());
  if (!s)
    return s.poison();
  Shape shape;
  for (int64_t i = 0; i != value.rank(); ++i) {
    bool isOne = value.size(i) == Dim(1), named = llvm::is_contained(places, i);
    if (named && !isOne && !axis.isNone())
      return s.error(Code::T0208, "expected size 1 along axis " + Twine(i) + ", found " +
                                      fe::str(value.shape()));
    if (!named || !isOne)
      shape.push_back(value.size(i));
  }
  return reshape(x, shape);
}

Value fe::broadcast_to(Arg x, Shape shape) {
  Scope s("broadcast_to", x);
  mlir::Value value = s.get(x);
  return s.check(shape) ? s.done(s.broadcastTo(value, toShape(s.context(), shape))) : s.poison();
}

/// The operands, of one type.
static SmallVector<mlir::Value> together(Scope &s, const Args &args) {
  SmallVector<mlir::Value> values = s.get(args);
  if (values.empty()) {
    s.error(Code::T0208, "expected at least one operand, found none");
    return {};
  }
  std::optional<DType> common = s.dtype(values.front());
  for (mlir::Value value : values) {
    std::optional<DType> both = promote(*common, s.dtype(value));
    if (!both) {
      s.error(Code::T0213,
              "no integer type holds " + nameOf(*common) + " and " + nameOf(s.dtype(value)));
      return {};
    }
    common = both;
  }
  for (mlir::Value &value : values)
    value = s.cast(value, *common);
  return values;
}

Value fe::concat(Args arrays, int64_t axis) {
  Scope s("concat", arrays);
  SmallVector<mlir::Value> values = together(s, arrays);
  axis = values.empty() ? 0 : s.axis(axis, s.rank(values.front()));
  return s ? s.done(s.make<graph::ConcatOp>(values, s.attribute("dim", axis))) : s.poison();
}

Value fe::stack(Args arrays, int64_t axis) {
  Scope s("stack", arrays);
  axis = arrays.values.empty() ? 0 : s.axis(axis, arrays.values.front().rank() + 1);
  Values apart;
  for (const Value &value : arrays.values)
    apart.push_back(expand_dims(value, axis));
  return concat(Args(apart, arrays.where), axis);
}

Values fe::split(Arg x, Ints sizes, int64_t axis) {
  Scope s("split", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  std::vector<int64_t> list = sizes.get();
  size_t count =
      sizes.isOne() ? size_t(std::clamp<int64_t>(list.front(), 0, mostParts + 1)) : list.size();
  if (count > size_t(mostParts)) {
    s.error(Code::T0206, "expected at most " + Twine(mostParts) + " parts");
    return {};
  }
  Dim whole = value.size(axis);
  if (s && !whole.isStatic())
    s.error(Code::T0208, "expected a static size along the axis, found " + whole.str());
  int64_t size = whole.getConstant(), total = 0;
  if (sizes.isOne()) {
    if (s && (count == 0 || size % int64_t(count)))
      s.error(Code::T0206, "expected a number of parts that divides " + Twine(size) + ", found " +
                               Twine(list.front()));
    if (s)
      list.assign(count, size / int64_t(count));
  }
  for (int64_t part : list) {
    std::optional<int64_t> sum = llvm::checkedAdd(total, part);
    if (part < 0 || !sum)
      s.error(Code::T0206,
              "expected sizes of 0 or more, and a sum below 2^63, found " + Twine(part));
    total = sum.value_or(0);
  }
  if (s && total != size)
    s.error(Code::T0206, "expected sizes that come to " + Twine(size) + ", found " + Twine(total));
  if (!s)
    return s.poison(count);
  Values parts;
  int64_t begin = 0;
  for (int64_t part : list) {
    parts.push_back(slice(value, begin, begin + part, 1, axis));
    begin += part;
  }
  return parts;
}

Values fe::unstack(Arg x, int64_t axis) {
  Scope s("unstack", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  Dim whole = value.size(axis);
  if (s && !whole.isStatic())
    s.error(Code::T0208, "expected a static size along the axis, found " + whole.str());
  if (s && whole.getConstant() > mostParts)
    s.error(Code::T0206, "expected at most " + Twine(mostParts) + " slices, found " +
                             Twine(whole.getConstant()));
  Values parts;
  for (int64_t i = 0; s && i != whole.getConstant(); ++i)
    parts.push_back(select(value, i, axis));
  return parts;
}

Value fe::slice(Arg x, Ints start, Ints stop, Ints step, Ints axes) {
  Scope s("slice", x);
  mlir::Value value = s.get(x);
  if (!value)
    return s.poison();
  int64_t rank = s.rank(value);
  size_t count = std::max({axes.get().size(), start.get().size(), stop.get().size()});
  std::vector<int64_t> along = axes.get();
  if (axes.isNone())
    along = orderOf(int64_t(count));
  auto starts = s.list(start, along.size(), "start"), stops = s.list(stop, along.size(), "stop"),
       steps = s.list(step, along.size(), "step");
  SmallVector<int64_t> offsets(rank, 0), sizes(rank, graph::SliceOp::whole), strides(rank, 1),
      flipped;
  graph::Shape shape = s.shape(value);
  SmallVector<bool> seen(size_t(rank), false);
  for (auto [axis, from, to, by] : llvm::zip(along, starts, stops, steps)) {
    int64_t dim = s.axis(axis, rank);
    if (!s)
      return s.poison();
    if (seen[dim])
      return s.error(Code::T0204, "expected each axis once, found " + Twine(axis) + " twice");
    seen[dim] = true;
    if (by == 0)
      return s.error(Code::T0206, "expected a step other than 0");
    // What is longer takes one element.
    int64_t longest = shape[dim].isStatic() ? shape[dim].getConstant() + 1 : INT32_MAX;
    by = std::clamp(by, -longest, longest);
    if (!shape[dim].isStatic()) {
      // Where it ends is not known: a part from the front, or all.
      if (from == 0 && to == INT64_MAX && by == 1)
        continue;
      if (from < 0 || to < from || to == INT64_MAX || by < 0)
        return s.error(Code::T0208, "expected all, or a part of known size, of the dimension " +
                                        tw::toString(shape[dim]));
    } else {
      int64_t size = shape[dim].getConstant();
      auto clamp = [&](int64_t place, int64_t least, int64_t most) {
        place = place < 0 ? std::max(place + size, least) : place;
        return std::clamp(place, least, most);
      };
      if (by > 0) {
        from = clamp(from, 0, size), to = std::max(clamp(to, 0, size), from);
      } else {
        // Counted on the reversed dimension.
        int64_t first = clamp(from, -1, size - 1), last = to < -size ? -1 : clamp(to, -1, size - 1);
        from = size - 1 - first, to = std::max(size - 1 - last, from);
        by = -by;
        flipped.push_back(dim);
      }
    }
    offsets[dim] = from;
    strides[dim] = by;
    sizes[dim] = (to - from + by - 1) / by;
    // Of none the place is kept: at other sizes of ranges there may be some.
    if (sizes[dim] == 0)
      strides[dim] = 1;
  }
  if (!flipped.empty())
    value = s.same<graph::FlipOp>(value, s.attribute("dims", ArrayRef<int64_t>(flipped)));
  return s.done(
      s.make<graph::SliceOp>(value, {s.attribute("offsets", offsets), s.attribute("sizes", sizes),
                                     s.attribute("strides", strides)}));
}

Value fe::select(Arg x, int64_t index, int64_t axis) {
  Scope s("select", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  Dim size = value.size(axis);
  if (s && size.isStatic() && (index < -size.getConstant() || index >= size.getConstant()))
    return s.error(Code::T0206, "expected an index below the size " + Twine(size.getConstant()) +
                                    ", found " + Twine(index));
  if (s && !size.isStatic() && index < 0) {
    // From the end of a size that the call settles.
    Value place = shape_size(value, axis) + index;
    return gather(value, {place}, axis);
  }
  if (index < 0)
    index += size.getConstant();
  return squeeze(slice(value, index, index + 1, 1, axis), axis);
}

/// An integer scalar of i32 or i64.
static Value position(Scope &s, const Arg &arg) {
  Value value = s.done(s.get(arg));
  if (!s)
    return value;
  if (value.rank() != 0 || !isInteger(value.dtype()))
    return s.error(Code::T0208, "expected an integer scalar, found " + nameOf(value.dtype()) +
                                    " of shape " + fe::str(value.shape()));
  return value.dtype() == i32 ? value : astype(value, i64);
}

Value fe::dynamic_slice(Arg x, Arg start, int64_t size, int64_t axis) {
  Scope s("dynamic_slice", x, start);
  Value value = s.done(s.get(x)), at = position(s, start);
  axis = s.axis(axis, value.rank());
  if (!s)
    return s.poison();
  Value places = iota(s.self(), {size}, 0, at.dtype()) + at;
  return gather(value, {places}, axis);
}

Value fe::update_slice(Arg x, Arg update, Ints start, Arg place, int64_t axis) {
  Scope s("update_slice", x, update, place);
  mlir::Value value = s.get(x), part = s.get(update);
  if (!value || !part)
    return s.poison();
  SmallVector<int64_t> offsets = s.list(start, size_t(s.rank(value)), "start");
  SmallVector<mlir::Value> operands{value, part};
  SmallVector<int64_t> along;
  if (!place.isNone()) {
    Value at = position(s, place);
    if (!s)
      return s.poison();
    operands.push_back(unwrap(at));
    along.push_back(s.axis(axis, s.rank(value)));
  }
  if (!s)
    return s.poison();
  graph::Shape sizes(offsets.begin(), offsets.end());
  return s.done(s.make<graph::UpdateSliceOp>(
      operands, {s.attribute("offsets", graph::DimsAttr::get(s.context(), sizes)),
                 s.attribute("along", along)}));
}

Value fe::pad(Arg x, Ints low, Ints high, Arg constant_value) {
  Scope s("pad", x, constant_value);
  mlir::Value value = s.get(x);
  if (!value)
    return s.poison();
  size_t rank = size_t(s.rank(value));
  auto before = s.list(low, rank, "low"), behind = s.list(high, rank, "high");
  mlir::Value number = constant_value.kind == Arg::Kind::Tensor
                           ? mlir::Value()
                           : s.get(constant_value, s.dtype(value));
  auto constant = number ? number.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!s)
    return s.poison();
  if (!constant)
    return s.error(Code::T0211, "expected a number to pad with");
  auto filled =
      mlir::cast<mlir::DenseElementsAttr>(constant.getValue()).getSplatValue<mlir::Attribute>();
  constant->erase();
  return s.done(
      s.make<graph::PadOp>(value, {s.attribute("low", before), s.attribute("high", behind),
                                   s.attribute("value", filled)}));
}

Value fe::flip(Arg x, Ints axis) {
  Scope s("flip", x);
  mlir::Value value = s.get(x);
  SmallVector<int64_t> dims = s.axes(axis, s.rank(value));
  return s ? s.done(s.same<graph::FlipOp>(value, s.attribute("dims", ArrayRef<int64_t>(dims))))
           : s.poison();
}

Value fe::roll(Arg x, int64_t shift, int64_t axis) {
  Scope s("roll", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  Dim whole = value.size(axis);
  if (s && !whole.isStatic())
    return s.error(Code::T0208, "expected a static size along the axis, found " + whole.str());
  int64_t size = whole.getConstant();
  if (!s || size == 0)
    return value;
  int64_t cut = size - ((shift % size) + size) % size;
  if (cut == size)
    return value;
  return concat({slice(value, cut, size, 1, axis), slice(value, 0, cut, 1, axis)}, axis);
}

/// Each dimension of the operand with one of repetitions in front of it, or behind it.
static Value repeated(Scope &s, Value value, ArrayRef<int64_t> times, bool inFront) {
  if (!s)
    return s.poison();
  Shape apart, large, joined;
  for (auto [size, count] : llvm::zip(value.shape(), times)) {
    // Sizes, and the elements of several dimensions, stay far below 2^63.
    if (count < 0 || count > INT32_MAX ||
        (size.isStatic() && !llvm::checkedMul(size.getConstant(), count)))
      return s.error(Code::T0206, "expected repetitions from 0 to " + Twine(INT32_MAX) +
                                      ", found " + Twine(count));
    if (inFront)
      apart.push_back(1), large.push_back(count);
    apart.push_back(size), large.push_back(size);
    if (!inFront)
      apart.push_back(1), large.push_back(count);
    joined.push_back(size * count);
  }
  return reshape(broadcast_to(reshape(value, apart), large), joined);
}

Value fe::tile(Arg x, Ints repetitions) {
  Scope s("tile", x);
  Value value = s.done(s.get(x));
  std::vector<int64_t> times = repetitions.get();
  int64_t rank = std::max(value.rank(), int64_t(times.size()));
  times.insert(times.begin(), size_t(rank) - times.size(), 1);
  if (rank > value.rank()) {
    Shape shape(size_t(rank - value.rank()), Dim(1));
    for (const Dim &dim : value.shape())
      shape.push_back(dim);
    value = reshape(value, shape);
  }
  return repeated(s, value, times, true);
}

Value fe::repeat(Arg x, int64_t repeats, int64_t axis) {
  Scope s("repeat", x);
  Value value = s.done(s.get(x));
  SmallVector<int64_t> times(size_t(value.rank()), 1);
  axis = s.axis(axis, value.rank());
  if (!times.empty())
    times[axis] = repeats;
  return repeated(s, value, times, false);
}
