// The values of the interpreter: dense tensors in memory.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeRange.h"

#include <memory>

namespace tw::interp {

/// Bytes of one element in memory: i1 and ui1 take one byte, `index` eight; 0 for a type that the
/// interpreter does not hold. It holds what ElementTypes.def has a C++ type for, and index.
int64_t getElementBytes(mlir::Type elementType);

/// A dense tensor of static shape, its elements in row-major order. A handle: copies share the
/// elements. Elements are owned, or borrowed from memory that the creator keeps alive and, where
/// const, that nobody writes through the handle. Not synchronised.
class Tensor {
public:
  Tensor() = default;

  /// New elements, all zero. The shape is static and the element type one that is held.
  static Tensor allocate(mlir::RankedTensorType type);
  /// The caller's memory, at least element-aligned and of at least getBytes(type) bytes.
  static Tensor borrow(mlir::RankedTensorType type, void *elements);
  static Tensor borrow(mlir::RankedTensorType type, const void *elements) {
    return borrow(type, const_cast<void *>(elements));
  }
  /// The elements of an attribute; borrowed from it where its storage has the layout of a tensor.
  static Tensor fromAttr(mlir::DenseElementsAttr elements);

  /// The elements as an attribute; a splat where all are equal.
  mlir::DenseElementsAttr toAttr() const;

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getNumElements() const { return type.getNumElements(); }
  int64_t getBytes() const { return getNumElements() * getElementBytes(getElementType()); }
  /// Whether a tensor of this type can be allocated: static, and of elements that are held.
  static bool isSupported(mlir::Type type);
  /// An error at `op` if there is no memory for tensors of these types, all supported, which are
  /// what it is about to allocate.
  static llvm::LogicalResult checkMemory(mlir::Operation *op, mlir::TypeRange types);

  /// The same elements under another type with the same number of elements of the same size.
  Tensor withType(mlir::RankedTensorType other) const;
  /// A copy that owns its elements.
  Tensor clone() const;

  const char *bytes() const { return data; }
  char *bytes() { return data; }
  /// The elements as `T`, the C++ type that ElementTypes.def gives, or an integer of the width.
  template <typename T> llvm::ArrayRef<T> elements() const {
    assert(sizeof(T) == getElementBytes(getElementType()));
    return llvm::ArrayRef<T>(reinterpret_cast<const T *>(data), size_t(getNumElements()));
  }
  template <typename T> llvm::MutableArrayRef<T> elements() {
    assert(sizeof(T) == getElementBytes(getElementType()));
    return llvm::MutableArrayRef<T>(reinterpret_cast<T *>(data), size_t(getNumElements()));
  }

  explicit operator bool() const { return bool(type); }

private:
  mlir::RankedTensorType type;
  std::shared_ptr<char> owner;
  char *data = nullptr;
};

/// Row-major strides of a shape, in elements.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace tw::interp
