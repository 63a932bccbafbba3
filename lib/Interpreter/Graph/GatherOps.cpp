// gather and scatter: elements at indices; what is outside is 0, or dropped.
//===---------------------------------------------------------------------------------------===//
#include "../Program/Lanes.h"
#include "Combine.h"

#include <cstring>

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

static int64_t indexAt(const Tensor &indices, int64_t at) {
  return indices.getElementType().isInteger(32) ? indices.elements<int32_t>()[at]
                                                : indices.elements<int64_t>()[at];
}

/// The elements of a tensor of shape `whole` that indices name: source[0 : axis], indices[batch :],
/// source[axis + k :]. Calls `body` for each of them with its place in the tensor, or -1.
static void forEachNamed(ArrayRef<int64_t> whole, ArrayRef<Tensor> indices, int64_t axis,
                         int64_t batch, llvm::function_ref<void(int64_t)> body) {
  int64_t count = int64_t(indices.size());
  ArrayRef<int64_t> indexShape = indices[0].getShape();
  SmallVector<int64_t> own = getRowMajorStrides(whole);
  SmallVector<int64_t> indexStrides = getRowMajorStrides(indexShape);
  SmallVector<int64_t> shape(whole.take_front(axis));
  SmallVector<int64_t> fromSource(ArrayRef(own).take_front(axis));
  SmallVector<int64_t> fromIndices(ArrayRef(indexStrides).take_front(batch));
  llvm::append_range(shape, indexShape.drop_front(batch));
  llvm::append_range(shape, whole.drop_front(axis + count));
  fromIndices.append(axis - batch, 0);
  fromSource.append(indexStrides.size() - batch, 0);
  llvm::append_range(fromIndices, ArrayRef(indexStrides).drop_front(batch));
  llvm::append_range(fromSource, ArrayRef(own).drop_front(axis + count));
  fromIndices.append(own.size() - axis - count, 0);
  forEachPoint<2>(shape, {fromSource, fromIndices}, {0, 0}, [&](auto at) {
    int64_t offset = at[0];
    bool isInside = true;
    for (int64_t i = 0; i < count; ++i) {
      int64_t index = indexAt(indices[i], at[1]);
      isInside &= index >= 0 && index < whole[axis + i];
      offset += isInside ? index * own[axis + i] : 0;
    }
    body(isInside ? offset : -1);
  });
}

static Tensor gather(GatherOp op, ArrayRef<Tensor> x) {
  const Tensor &source = x[0];
  Tensor result = Tensor::allocate(resultType(op));
  size_t bytes = size_t(getElementBytes(source.getElementType()));
  char *out = result.bytes();
  forEachNamed(source.getShape(), x.drop_front(), op.getAxis(), op.getBatchDims(),
               [&](int64_t place) {
                 if (place >= 0)
                   std::memcpy(out, source.bytes() + size_t(place) * bytes, bytes);
                 out += bytes;
               });
  return result;
}

/// What replaces an element, given both.
using Replace = llvm::function_ref<void(char *element, const char *update)>;

static Tensor scatter(ScatterOp op, ArrayRef<Tensor> x, Replace replace) {
  Tensor result = Tensor::allocate(resultType(op));
  size_t bytes = size_t(getElementBytes(x[0].getElementType()));
  std::memcpy(result.bytes(), x[0].bytes(), size_t(resultType(op).getNumElements()) * bytes);
  const char *update = x[1].bytes();
  forEachNamed(x[0].getShape(), x.drop_front(2), op.getAxis(), op.getBatchDims(),
               [&](int64_t place) {
                 if (place >= 0)
                   replace(result.bytes() + size_t(place) * bytes, update);
                 update += bytes;
               });
  return result;
}

template <typename T> static Tensor combineAt(ScatterOp op, ArrayRef<Tensor> x) {
  return scatter(op, x, [&](char *element, const char *update) {
    auto &old = *reinterpret_cast<T *>(element);
    T value = *reinterpret_cast<const T *>(update);
    old = T(combine<T>(*op.getKind(), Wide<T>(old), Wide<T>(value)));
  });
}

/// bf16 and f16: in f32, and each step is rounded.
static Tensor combineNarrow(ScatterOp op, ArrayRef<Tensor> x) {
  Type type = x[0].getElementType(), wide = Float32Type::get(op.getContext());
  return scatter(op, x, [&](char *element, const char *update) {
    float old, value;
    convertLanes(type, element, wide, &old, 1);
    convertLanes(type, update, wide, &value, 1);
    old = float(combine<float>(*op.getKind(), old, value));
    convertLanes(wide, &old, type, element, 1);
  });
}

Tensor tw::interp::evaluateGather(Operation *op, ArrayRef<Tensor> x) {
  if (auto reads = dyn_cast<GatherOp>(op))
    return gather(reads, x);
  auto writes = dyn_cast<ScatterOp>(op);
  if (!writes)
    return Tensor();
  Type type = x[0].getElementType();
  if (!writes.getKind())
    return scatter(writes, x, [&](char *element, const char *update) {
      std::memcpy(element, update, size_t(getElementBytes(type)));
    });
  if (isNarrowFloat(type))
    return combineNarrow(writes, x);
  return visitElementType(
      type, [&](auto tag) { return combineAt<typename decltype(tag)::type>(writes, x); });
}
