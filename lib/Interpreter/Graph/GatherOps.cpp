// gather: elements at indices; 0 where an index is outside.
//===---------------------------------------------------------------------------------------===//
#include "Graph.h"

#include <cstring>

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

static int64_t indexAt(const Tensor &indices, int64_t at) {
  return indices.getElementType().isInteger(32) ? indices.elements<int32_t>()[at]
                                                : indices.elements<int64_t>()[at];
}

Tensor tw::interp::evaluateGather(Operation *op, ArrayRef<Tensor> x) {
  auto gather = dyn_cast<GatherOp>(op);
  if (!gather)
    return Tensor();
  // The result's dimensions: source[0 : axis], indices[batch_dims :], source[axis + k :].
  const Tensor &source = x[0];
  ArrayRef<Tensor> indices = x.drop_front();
  int64_t axis = gather.getAxis(), batch = gather.getBatchDims(), count = int64_t(indices.size());
  SmallVector<int64_t> own = getRowMajorStrides(source.getShape());
  SmallVector<int64_t> indexStrides = getRowMajorStrides(indices[0].getShape());
  SmallVector<int64_t> fromSource(ArrayRef(own).take_front(axis));
  SmallVector<int64_t> fromIndices(ArrayRef(indexStrides).take_front(batch));
  fromIndices.append(axis - batch, 0);
  fromSource.append(indexStrides.size() - batch, 0);
  llvm::append_range(fromIndices, ArrayRef(indexStrides).drop_front(batch));
  llvm::append_range(fromSource, ArrayRef(own).drop_front(axis + count));
  fromIndices.append(own.size() - axis - count, 0);

  Tensor result = Tensor::allocate(resultType(op));
  size_t bytes = size_t(getElementBytes(source.getElementType()));
  char *out = result.bytes();
  forEachPoint<2>(result.getShape(), {fromSource, fromIndices}, {0, 0}, [&](auto at) {
    int64_t offset = at[0];
    bool isInside = true;
    for (int64_t i = 0; i < count; ++i) {
      int64_t index = indexAt(indices[i], at[1]);
      isInside &= index >= 0 && index < source.getShape()[axis + i];
      offset += isInside ? index * own[axis + i] : 0;
    }
    if (isInside)
      std::memcpy(out, source.bytes() + size_t(offset) * bytes, bytes);
    out += bytes;
  });
  return result;
}
