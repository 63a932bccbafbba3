// Shapes that rules need on the way back.
#include "Adjoint.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

Value Adjoint::repeatAlong(Value x, ArrayRef<int64_t> dims, ArrayRef<Dim> shape) {
  if (dims.empty())
    return x;
  Shape ones(shape);
  for (int64_t dim : dims)
    ones[dim] = Dim(1);
  return expand(reshape(x, ones), shape);
}

Value Adjoint::dilate(Value x, int64_t dim, int64_t stride) {
  Shape shape = shapeOf(x);
  int64_t size = shape[dim].getConstant();
  if (stride == 1 || size <= 1)
    return x;
  Shape apart(shape);
  apart.insert(apart.begin() + dim + 1, Dim(1));
  Value spread = padOrCrop(reshape(x, apart), dim + 1, 0, stride - 1);
  shape[dim] = Dim(size * stride);
  return slice(reshape(spread, shape), dim, 0, (size - 1) * stride + 1);
}
