// Elements at indices that tensors hold.
#include "State.h"

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
