// Movement ops: copies between strided regions.
//===---------------------------------------------------------------------------------------===//
#include "../Program/Lanes.h"
#include "Graph.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

namespace {

/// A region of a tensor: the element at the origin, and the distance to the next along each
/// dimension.
struct Region {
  explicit Region(const Tensor &tensor) : strides(getRowMajorStrides(tensor.getShape())) {}
  int64_t origin = 0;
  SmallVector<int64_t> strides;
};

void copyRegion(ArrayRef<int64_t> shape, const Tensor &source, const Region &from, Tensor &result,
                const Region &to) {
  size_t bytes = size_t(getElementBytes(source.getElementType()));
  const char *in = source.bytes();
  char *out = result.bytes();
  forEachPoint<2>(shape, {from.strides, to.strides}, {from.origin, to.origin}, [&](auto at) {
    std::memcpy(out + size_t(at[1]) * bytes, in + size_t(at[0]) * bytes, bytes);
  });
}

/// The whole result read from a region of the source.
Tensor readRegion(Operation *op, const Tensor &source, const Region &from) {
  Tensor result = Tensor::allocate(resultType(op));
  copyRegion(result.getShape(), source, from, result, Region(result));
  return result;
}

Tensor permute(PermuteOp op, const Tensor &x) {
  Region from(x);
  SmallVector<int64_t> strides;
  for (int64_t dim : op.getPermutation())
    strides.push_back(from.strides[dim]);
  from.strides = strides;
  return readRegion(op, x, from);
}

Tensor expand(ExpandOp op, const Tensor &x) {
  Region from(x);
  for (auto [stride, size] : llvm::zip(from.strides, x.getShape()))
    if (size == 1)
      stride = 0;
  return readRegion(op, x, from);
}

Tensor slice(SliceOp op, const Tensor &x) {
  Region from(x);
  for (auto [stride, offset, step] : llvm::zip(from.strides, op.getOffsets(), op.getStrides())) {
    from.origin += offset * stride;
    stride *= step;
  }
  return readRegion(op, x, from);
}

Tensor flip(FlipOp op, const Tensor &x) {
  Region from(x);
  for (int64_t dim : op.getDims()) {
    from.origin += (x.getShape()[dim] - 1) * from.strides[dim];
    from.strides[dim] = -from.strides[dim];
  }
  return readRegion(op, x, from);
}

Tensor pad(PadOp op, const Tensor &x) {
  Tensor result = Tensor::allocate(resultType(op));
  fillLanes(op.getValue(), result.bytes(), result.getNumElements());
  Region to(result);
  for (auto [stride, low] : llvm::zip(to.strides, op.getLow()))
    to.origin += low * stride;
  copyRegion(x.getShape(), x, Region(x), result, to);
  return result;
}

Tensor concat(ConcatOp op, ArrayRef<Tensor> operands) {
  Tensor result = Tensor::allocate(resultType(op));
  Region to(result);
  for (const Tensor &x : operands) {
    copyRegion(x.getShape(), x, Region(x), result, to);
    to.origin += x.getShape()[op.getDim()] * to.strides[op.getDim()];
  }
  return result;
}

// What lies outside of the operand is dropped.
Tensor updateSlice(UpdateSliceOp op, ArrayRef<Tensor> operands) {
  Tensor result = Tensor::allocate(resultType(op));
  copyInto(operands[0], result);
  Tensor update = operands[1];
  SmallVector<int64_t> begin;
  for (const Dim &offset : op.getOffsets().getShape())
    begin.push_back(offset.getConstant());
  for (auto [dim, position] : llvm::zip(op.getAlong(), operands.drop_front(2)))
    begin[dim] += position.getElementType().isInteger(32) ? position.elements<int32_t>()[0]
                                                          : position.elements<int64_t>()[0];
  Region from(update), to(result);
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < begin.size(); ++dim) {
    int64_t size = result.getShape()[dim], first = std::clamp<int64_t>(begin[dim], 0, size);
    int64_t dropped = std::min(first - begin[dim], update.getShape()[dim]);
    shape.push_back(std::min(update.getShape()[dim] - dropped, size - first));
    from.origin += dropped * from.strides[dim];
    to.origin += first * to.strides[dim];
  }
  copyRegion(shape, update, from, result, to);
  return result;
}

/// From the first element of both on.
void copyBox(ArrayRef<int64_t> shape, const Tensor &source, Tensor &result) {
  copyRegion(shape, source, Region(source), result, Region(result));
}

} // namespace

void tw::interp::copyInto(const Tensor &source, Tensor &result) {
  SmallVector<int64_t> shape;
  for (auto [own, other] : llvm::zip(source.getShape(), result.getShape()))
    shape.push_back(std::min(own, other));
  copyBox(shape, source, result);
}

Tensor tw::interp::evaluateMovement(Operation *op, ArrayRef<Tensor> x) {
  return llvm::TypeSwitch<Operation *, Tensor>(op)
      .Case([&](PermuteOp op) { return permute(op, x[0]); })
      .Case([&](ReshapeOp op) { return x[0].withType(resultType(op)); })
      .Case([&](ExpandOp op) { return expand(op, x[0]); })
      .Case([&](SliceOp op) { return slice(op, x[0]); })
      .Case([&](FlipOp op) { return flip(op, x[0]); })
      .Case([&](PadOp op) { return pad(op, x[0]); })
      .Case([&](ConcatOp op) { return concat(op, x); })
      .Case([&](UpdateSliceOp op) { return updateSlice(op, x); })
      .Case([&](PrefixOp op) {
        Tensor result = Tensor::allocate(resultType(op));
        copyInto(x[0], result);
        return result;
      })
      .Default(Tensor());
}
