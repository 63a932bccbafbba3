// Storage of tensors, and their way from and to attributes.
//===---------------------------------------------------------------------------------------===//
#include "tw/Interpreter/Tensor.h"

#include "tw/Format/Element.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Support/MemoryLimit.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace mlir;
using namespace tw;
using namespace tw::interp;

int64_t tw::interp::getElementBytes(Type elementType) {
  if (elementType.isIndex())
    return 8;
  return isHeld(elementType) ? int64_t(format::elementBytes(*getElement(elementType))) : 0;
}

bool Tensor::isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && getElementBytes(tensor.getElementType()) != 0;
}

LogicalResult Tensor::checkMemory(Operation *op, TypeRange types) {
  // Memory that the machine does not have is promised nevertheless, until it is used.
  uint64_t machine = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)), sum = 0;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    uint64_t bytes = uint64_t(getElementBytes(tensor.getElementType()));
    for (int64_t dim : tensor.getShape())
      bytes = llvm::SaturatingMultiply(bytes, uint64_t(dim));
    sum = llvm::SaturatingAdd(sum, bytes);
  }
  constexpr uint64_t smallest = 1 << 20;
  if (sum <= smallest)
    return success();
  if (!mayAllocate(op->getLoc(), sum))
    return failure();
  // Or else the optimizer leaves out memory that nobody uses.
  void *volatile there = sum <= machine ? std::malloc(sum) : nullptr;
  std::free(there);
  if (there)
    return success();
  return tw::emitOpError(op, Code::T0708)
         << "needs " << sum << " bytes for its tensors, which the interpreter cannot get";
}

Tensor Tensor::allocate(RankedTensorType type) {
  assert(isSupported(type));
  Tensor tensor;
  tensor.type = type;
  size_t bytes = size_t(tensor.getBytes());
  tensor.owner =
      std::shared_ptr<char>(static_cast<char *>(std::calloc(bytes ? bytes : 1, 1)), std::free);
  tensor.data = tensor.owner.get();
  if (!tensor.data)
    llvm::report_bad_alloc_error("tensor of the interpreter");
  return tensor;
}

Tensor Tensor::borrow(RankedTensorType type, void *elements) {
  assert(isSupported(type));
  Tensor tensor;
  tensor.type = type;
  tensor.data = static_cast<char *>(elements);
  return tensor;
}

Tensor Tensor::fromAttr(DenseElementsAttr elements) {
  auto type = RankedTensorType::get(elements.getType().getShape(), elements.getElementType());
  ArrayRef<char> raw = elements.getRawData();
  if (!elements.isSplat() && !type.getElementType().isInteger(1))
    return borrow(type, raw.data());
  Tensor tensor = allocate(type);
  if (type.getElementType().isInteger(1)) {
    llvm::copy(elements.getValues<bool>(), tensor.elements<bool>().begin());
    return tensor;
  }
  size_t size = size_t(getElementBytes(type.getElementType()));
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    std::memcpy(tensor.data + size_t(i) * size, raw.data(), size);
  return tensor;
}

DenseElementsAttr Tensor::toAttr() const {
  if (getElementType().isInteger(1))
    return DenseElementsAttr::get(type, elements<bool>());
  size_t size = size_t(getElementBytes(getElementType())), count = size_t(getNumElements());
  bool isSplat = count > 0;
  for (size_t i = 1; i < count && isSplat; ++i)
    isSplat = std::memcmp(data, data + i * size, size) == 0;
  return DenseElementsAttr::getFromRawBuffer(type, {data, isSplat ? size : count * size});
}

Tensor Tensor::withType(RankedTensorType other) const {
  assert(getElementBytes(other.getElementType()) == getElementBytes(getElementType()) &&
         other.getNumElements() == getNumElements());
  Tensor tensor = *this;
  tensor.type = other;
  return tensor;
}

Tensor Tensor::clone() const {
  Tensor copy = allocate(type);
  std::memcpy(copy.data, data, size_t(getBytes()));
  return copy;
}

SmallVector<int64_t> tw::interp::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}
