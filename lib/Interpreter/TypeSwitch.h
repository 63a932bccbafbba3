// From an element type in the IR to the C++ type that holds its elements.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Format/Element.h"
#include "tw/Support/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

#include <type_traits>

namespace tw::interp {

template <typename T> using Tag = format::ElementTag<T>;

/// Calls `f(Tag<T>())` with the C++ type of the elements: that of ElementTypes.def, int64_t for
/// index. The type is one that getElementBytes holds.
template <typename F> decltype(auto) visitStoredType(mlir::Type type, F &&f) {
  if (type.isIndex())
    return f(Tag<int64_t>());
  switch (*getElement(type)) {
#define TW_ELEMENT(enumerator, number, name, bits, kind, storage, onnx, npy)                       \
  case format::ElementType::enumerator:                                                            \
    if constexpr (!std::is_void_v<storage>)                                                        \
      return f(Tag<storage>());                                                                    \
    break;
#include "tw/Format/ElementTypes.def"
  }
  llvm_unreachable("elements that are not held");
}

/// The same but for narrow floats, in which nothing is computed.
template <typename F> decltype(auto) visitElementType(mlir::Type type, F &&f) {
  if (type.isIndex())
    return f(Tag<int64_t>());
  switch (*getElement(type)) {
#define TW_ELEMENT(enumerator, number, name, bits, kind, storage, onnx, npy)                       \
  case format::ElementType::enumerator:                                                            \
    if constexpr (std::is_arithmetic_v<storage>)                                                   \
      return f(Tag<storage>());                                                                    \
    break;
#include "tw/Format/ElementTypes.def"
  }
  llvm_unreachable("elements that nothing is computed in");
}

/// Whether `T` holds a float that is not computed with.
template <typename T>
constexpr bool isNarrow = !std::is_arithmetic_v<T> && std::is_convertible_v<T, float>;

/// Whether `T` holds a float of any width.
template <typename T> constexpr bool isFloat = std::is_floating_point_v<T> || isNarrow<T>;

/// Calls `f(Tag<T>())` with the C++ type of a narrow float; false for other types.
template <typename F> bool visitNarrowFloat(mlir::Type type, F &&f) {
  if (!isNarrowFloat(type))
    return false;
  return format::visitElement(*getElement(type), [&](auto tag) {
    if constexpr (isNarrow<typename decltype(tag)::type>)
      f(tag);
  });
}

/// Calls `f` with the tags of the operands and of the result of a sum of products: all of one type,
/// or narrow floats with sums in f32, or 8-bit integers, of which each side may be unsigned, with
/// sums in 32 bits.
template <typename F>
void visitProduct(mlir::Type operand, bool lhsUnsigned, bool rhsUnsigned, mlir::Type result,
                  F &&f) {
  if (operand == result)
    return visitElementType(operand, [&](auto tag) { f(tag, tag, tag); });
  if (visitNarrowFloat(operand, [&](auto tag) { f(tag, tag, Tag<float>()); }))
    return;
  auto visitRhs = [&](auto lhs) {
    if (rhsUnsigned)
      f(lhs, Tag<uint8_t>(), Tag<int32_t>());
    else
      f(lhs, Tag<int8_t>(), Tag<int32_t>());
  };
  if (lhsUnsigned)
    visitRhs(Tag<uint8_t>());
  else
    visitRhs(Tag<int8_t>());
}

} // namespace tw::interp
