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

Value Adjoint::padOrCrop(Value x, int64_t dim, int64_t low, int64_t high, double fill) {
  size_t rank = shapeOf(x).size();
  SmallVector<int64_t> before(rank, 0), after(rank, 0);
  before[dim] = std::max<int64_t>(low, 0);
  after[dim] = std::max<int64_t>(high, 0);
  // Padded first: more may be taken away at one end than there is without what is added at the
  // other.
  if (before[dim] || after[dim])
    x = PadOp::create(builder, loc, x, before, after, builder.getFloatAttr(elementOf(x), fill));
  if (low < 0 || high < 0) {
    int64_t size =
        shapeOf(x)[dim].getConstant() + std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0);
    x = slice(x, dim, std::max<int64_t>(-low, 0), size);
  }
  return x;
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

Value Adjoint::sliceBy(Value x, int64_t dim, int64_t first, int64_t size, int64_t stride) {
  size_t rank = shapeOf(x).size();
  SmallVector<int64_t> offsets(rank, 0), sizes(rank, SliceOp::whole), strides(rank, 1);
  offsets[dim] = first;
  sizes[dim] = size;
  strides[dim] = stride;
  return SliceOp::create(builder, loc, x, offsets, sizes, strides);
}
