// Elements at indices that tensors hold.
#include "State.h"

#include "tw/Support/ElementTypes.h"

#include <limits>

using namespace tw::fe;
namespace fe = tw::fe;

/// Indices as i32 or i64. `fromEnd` lets negative ones count from the end of `size`.
static Value indexOf(Scope &s, const Arg &arg, const Value &source, int64_t axis, bool fromEnd) {
  Value index = s.done(s.get(arg));
  if (!s)
    return index;
  if (!isInteger(index.dtype()))
    return s.error(Code::T0213, "expected integers as indices, found " + nameOf(index.dtype()));
  bool isSigned = format::findElement(index.dtype())->kind == format::ElementKind::Signed;
  if (index.dtype() != i32 && index.dtype() != i64)
    index = astype(index, i64);
  if (!fromEnd || !isSigned)
    return index;
  Value size = shape_size(source, axis, index.dtype());
  return where(index < 0, index + size, index);
}

Value fe::take(Arg x, Arg indices, int64_t axis) {
  Scope s("take", x, indices);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  return gather(value, {indexOf(s, indices, value, axis, true)}, axis);
}

Value fe::take_along_axis(Arg x, Arg indices, int64_t axis) {
  Scope s("take_along_axis", x, indices);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  Value index = indexOf(s, indices, value, axis, true);
  if (!s)
    return s.poison();
  if (index.rank() != value.rank())
    return s.error(Code::T0208, "expected indices of the operand's rank " + Twine(value.rank()) +
                                    ", found rank " + Twine(index.rank()));
  // Other dimensions broadcast.
  Shape shape = index.shape();
  for (int64_t i = 0; i != value.rank(); ++i)
    if (i != axis && shape[size_t(i)] != value.size(i)) {
      if (shape[size_t(i)] != Dim(1))
        return s.error(Code::T0208, "expected indices of the operand's sizes beside axis " +
                                        Twine(axis) + ", found " + fe::str(index.shape()) +
                                        " for " + fe::str(value.shape()));
      shape[size_t(i)] = value.size(i);
    }
  index = broadcast_to(index, shape);
  if (axis == value.rank() - 1)
    return gather(value, {index}, axis, axis);
  Values places;
  for (int64_t i = 0; i != value.rank(); ++i)
    places.push_back(i == axis ? index : iota(s.self(), shape, i, index.dtype()));
  return gather(value, Args(places), 0);
}

Value fe::gather(Arg x, Args indices, int64_t axis, int64_t batch_dims) {
  Scope s("gather", x, indices);
  mlir::Value value = s.get(x);
  axis = s.axis(axis, s.rank(value));
  SmallVector<mlir::Value> operands{value};
  for (const Value &index : indices.values)
    operands.push_back(unwrap(indexOf(s, index, {}, 0, false)));
  if (!s)
    return s.poison();
  return s.done(s.make<graph::GatherOp>(
      operands, {s.attribute("axis", axis), s.attribute("batch_dims", batch_dims)}));
}

Value fe::embedding(Arg indices, Arg weight) {
  Scope s("embedding", indices, weight);
  Value table = s.done(s.get(weight)), index = indexOf(s, indices, table, 0, false);
  if (s && table.rank() != 2)
    return s.error(Code::T0208, "expected a weight of rank 2, found " + fe::str(table.shape()));
  return gather(table, {index}, 0);
}

Value fe::one_hot(Arg x, int64_t num_classes, DType dtype) {
  Scope s("one_hot", x);
  Value index = indexOf(s, x, {}, 0, false);
  if (!s)
    return s.poison();
  return astype(expand_dims(index, -1) == iota(s.self(), {num_classes}, 0, index.dtype()), dtype);
}

Value fe::scatter(Arg x, Args indices, Arg updates, Text kind, int64_t axis, int64_t batch_dims) {
  Scope s("scatter", x, indices, updates);
  mlir::Value value = s.get(x),
              update = s.get(updates, value ? std::optional(s.dtype(value)) : std::nullopt);
  axis = s.axis(axis, s.rank(value));
  SmallVector<mlir::Value> operands{value, s.cast(update, s.element(value))};
  for (const Value &index : indices.values)
    operands.push_back(unwrap(indexOf(s, index, {}, 0, false)));
  if (!s)
    return s.poison();
  SmallVector<mlir::NamedAttribute> attributes{s.attribute("axis", axis),
                                               s.attribute("batch_dims", batch_dims)};
  if (kind != "set") {
    std::optional<graph::CombineKind> combine = graph::symbolizeCombineKind(StringRef(kind));
    if (!combine)
      return s.error(Code::T0214, "expected set, add, mul, max, min, all or any, found '" +
                                      StringRef(kind) + "'");
    attributes.push_back(s.attribute("kind", s.combine(*combine)));
  }
  return s.done(s.make<graph::ScatterOp>(operands, attributes));
}

/// A scatter of slices to those of their segments.
static Value overSegments(Scope &s, const Value &value, const Arg &segments, int64_t count,
                          const Arg &start, Text kind) {
  Value numbers = s.done(s.get(segments));
  if (!s)
    return s.poison();
  if (value.rank() < 1 || numbers.shape() != Shape{value.size(0)} || !isInteger(numbers.dtype()))
    return s.error(Code::T0208, "expected a segment, an integer, for each slice along dimension 0 "
                                "of " +
                                    fe::str(value.shape()) + ", found " + nameOf(numbers.dtype()) +
                                    " " + fe::str(numbers.shape()));
  if (count < 0)
    return s.error(Code::T0206, "expected 0 segments or more, found " + Twine(count));
  Shape shape = value.shape();
  shape[0] = Dim(count);
  return scatter(full(s.self(), shape, start, value.dtype()), {numbers}, value, kind);
}

Value fe::segment_sum(Arg x, Arg segments, int64_t num_segments) {
  Scope s("segment_sum", x, segments);
  return overSegments(s, s.done(s.get(x)), segments, num_segments, 0, "add");
}

Value fe::segment_mean(Arg x, Arg segments, int64_t num_segments) {
  Scope s("segment_mean", x, segments);
  Value value = s.done(s.floating(x)),
        sum = overSegments(s, value, segments, num_segments, 0, "add");
  if (!s || !sum.ok())
    return s.poison();
  Value one = full(s.self(), {value.size(0)}, 1, value.dtype());
  Value count = maximum(overSegments(s, one, segments, num_segments, 0, "add"), 1);
  Shape shape(size_t(value.rank()), Dim(1));
  shape[0] = Dim(num_segments);
  return sum / reshape(count, shape);
}

Value fe::segment_max(Arg x, Arg segments, int64_t num_segments) {
  Scope s("segment_max", x, segments);
  Value value = s.done(s.get(x));
  if (!s)
    return s.poison();
  // Of integers the lowest: all bits but the first, of unsigned ones 0.
  mlir::Type element = s.element(unwrap(value));
  Arg lowest(0);
  if (auto floating = dyn_cast<mlir::FloatType>(element))
    lowest = Arg(hasInfinities(element)
                     ? -std::numeric_limits<double>::infinity()
                     : llvm::APFloat::getLargest(floating.getFloatSemantics(), /*Negative=*/true)
                           .convertToDouble());
  else if (!graph::isUnsigned(element) && value.dtype() != boolean)
    lowest = Arg(llvm::minIntN(element.getIntOrFloatBitWidth()));
  return overSegments(s, value, segments, num_segments, lowest,
                      value.dtype() == boolean ? "any" : "max");
}

static Value positions(Scope &s, const Value &value, int64_t axis, bool descending,
                       std::optional<int64_t> first) {
  if (!s)
    return s.poison();
  Dim size = value.size(axis);
  if (first && !size.isStatic())
    return s.error(Code::T0208,
                   "expected a static size along the axis, found " + fe::str(value.shape()));
  if (first && (*first < 0 || *first > size.getConstant()))
    return s.error(Code::T0206, "expected a number up to " + Twine(size.getConstant()) +
                                    ", found " + Twine(*first));
  SmallVector<mlir::NamedAttribute> attributes{
      s.attribute("dim", axis),
      s.attribute("first",
                  first.value_or(size.isStatic() ? size.getConstant() : graph::SliceOp::whole))};
  if (descending)
    attributes.push_back(s.attribute("descending", s.builder().getUnitAttr()));
  return s.done(s.make<graph::ArgSortOp>(unwrap(value), attributes));
}

Value fe::argsort(Arg x, int64_t axis, bool descending) {
  Scope s("argsort", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  return positions(s, value, axis, descending, std::nullopt);
}

Value fe::sort(Arg x, int64_t axis, bool descending) {
  Scope s("sort", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  return take_along_axis(value, positions(s, value, axis, descending, std::nullopt), axis);
}

Values fe::top_k(Arg x, int64_t k, int64_t axis) {
  Scope s("top_k", x);
  Value value = s.done(s.get(x));
  axis = s.axis(axis, value.rank());
  Value places = positions(s, value, axis, true, k);
  return {take_along_axis(value, places, axis), places};
}
