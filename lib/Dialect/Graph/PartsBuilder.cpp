// Constants, repetition and slices of composites' parts.
#include "PartsBuilder.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// A constant of one element, at every point of the shape.
static Value spread(PartsBuilder &p, ArrayRef<Dim> shape, TypedAttr element) {
  bool isStatic = llvm::all_of(shape, [](const Dim &dim) { return dim.isStatic(); });
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(isStatic ? dim.getConstant() : 1);
  auto type = RankedTensorType::get(sizes, element.getType());
  Value value = ConstantOp::create(p.builder, p.loc, DenseElementsAttr::get(type, element));
  return isStatic ? value : p.expand(value, shape);
}

Value PartsBuilder::splat(ArrayRef<Dim> shape, Type element, uint64_t bits) {
  if (isa<FloatType>(element))
    return real(shape, element, double(bits));
  llvm::APInt value(element.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
                    /*implicitTrunc=*/true);
  return spread(*this, shape, IntegerAttr::get(element, value));
}

Value PartsBuilder::real(ArrayRef<Dim> shape, Type element, double value) {
  return spread(*this, shape, builder.getFloatAttr(element, value));
}

Value PartsBuilder::repeat(Value x, int64_t dim, const Dim &size) {
  Shape shape = shapeOf(x);
  shape.insert(shape.begin() + dim, Dim(1));
  Value whole = reshape(x, shape);
  shape[dim] = size;
  return expand(whole, shape);
}

Value PartsBuilder::slice(Value x, int64_t dim, int64_t first, int64_t size) {
  size_t rank = shapeOf(x).size();
  SmallVector<int64_t> offsets(rank, 0), sizes(rank, SliceOp::whole), strides(rank, 1);
  offsets[dim] = first;
  sizes[dim] = size;
  return SliceOp::create(builder, loc, x, offsets, sizes, strides);
}
