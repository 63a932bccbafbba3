// Constants, inline or in a file, and iota.
//===---------------------------------------------------------------------------------------===//
#include "Graph.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;
using namespace tw::interp;

// Rows of a file may begin anywhere, elements may not: bytes that are not aligned are copied.
static Tensor fromBytes(RankedTensorType type, ArrayRef<char> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) %
          uint64_t(getElementBytes(type.getElementType())) ==
      0)
    return Tensor::borrow(type, bytes.data());
  Tensor tensor = Tensor::allocate(type);
  llvm::copy(bytes, tensor.bytes());
  return tensor;
}

FailureOr<Tensor> tw::interp::readConstant(Operation *op, Attribute value, RankedTensorType type,
                                           const Options &options) {
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return Tensor::fromAttr(elements);
  ArrayRef<char> bytes;
  if (auto file = dyn_cast<FileAttr>(value)) {
    FailureOr<ArrayRef<char>> resolved = failure();
    if (options.resolve)
      resolved = options.resolve(file);
    if (failed(resolved))
      return tw::emitOpError(op, Code::T0706) << "cannot read its bytes, " << file;
    bytes = *resolved;
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value);
             resource && resource.getRawHandle().getBlob()) {
    bytes = resource.getRawHandle().getBlob()->getData();
  } else {
    return tw::emitOpError(op, Code::T0706) << "has a value of a form that cannot be read";
  }
  int64_t expected = type.getNumElements() * getElementBytes(type.getElementType());
  if (int64_t(bytes.size()) != expected)
    return tw::emitOpError(op, Code::T0706)
           << "expected " << expected << " bytes for " << type << ", found " << bytes.size();
  return fromBytes(type, bytes);
}

static Tensor evaluateIota(IotaOp op) {
  Tensor result = Tensor::allocate(resultType(op));
  visitStoredType(result.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    SmallVector<int64_t> index(result.getShape().size(), 0);
    index[op.getDim()] = 1;
    auto out = result.elements<T>();
    forEachPoint<2>(result.getShape(), {getRowMajorStrides(result.getShape()), index}, {0, 0},
                    [&](auto at) {
                      if constexpr (std::is_same_v<T, bool>)
                        out[at[0]] = at[1] & 1;
                      else
                        out[at[0]] = T(at[1]);
                    });
  });
  return result;
}

static FailureOr<Tensor> evaluateSize(SizeOp op) {
  Dim size = op.getSize().getShape().front();
  if (!size.isStatic())
    return tw::emitOpError(op, Code::T0701) << "has no value: give its symbols sizes";
  Tensor result = Tensor::allocate(resultType(op));
  visitStoredType(result.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>)
      result.elements<T>()[0] = size.getConstant() & 1;
    else
      result.elements<T>()[0] = T(size.getConstant());
  });
  return result;
}

FailureOr<Tensor> tw::interp::evaluateConstantOp(Operation *op, const Options &options) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return readConstant(op, constant.getValue(), resultType(op), options);
  if (auto iota = dyn_cast<IotaOp>(op))
    return evaluateIota(iota);
  if (auto size = dyn_cast<SizeOp>(op))
    return evaluateSize(size);
  return Tensor();
}
