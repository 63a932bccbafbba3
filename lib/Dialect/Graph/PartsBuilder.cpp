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

Value PartsBuilder::sliceBy(Value x, int64_t dim, int64_t first, int64_t size, int64_t stride) {
  size_t rank = shapeOf(x).size();
  SmallVector<int64_t> offsets(rank, 0), sizes(rank, SliceOp::whole), strides(rank, 1);
  offsets[dim] = first;
  sizes[dim] = size;
  strides[dim] = stride;
  return SliceOp::create(builder, loc, x, offsets, sizes, strides);
}

Value PartsBuilder::padOrCrop(Value x, int64_t dim, int64_t low, int64_t high, double fill) {
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
