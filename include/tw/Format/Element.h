// Element types as the module file numbers them, shared by the compiler and the runtime.
#pragma once

#include "tw/Support/NarrowFloats.h"

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tw::format {

/// The numbers are part of the file format and equal TwrtElement of twrt.h.
enum class ElementType : uint8_t {
#define TW_ELEMENT(enumerator, number, ...) enumerator = number,
#include "tw/Format/ElementTypes.def"
};

enum class ElementKind : uint8_t { Bool, Signed, Unsigned, Float, Complex };

/// One row of ElementTypes.def, which says what each column means.
struct ElementInfo {
  ElementType type;
  std::string_view name;
  unsigned bits;
  ElementKind kind;
  bool isHeld; ///< whether there is a C++ type that holds it
  int onnx;
  std::string_view npy;
};

/// In the order of lists.
inline constexpr ElementInfo elementTypes[] = {
#define TW_ELEMENT(enumerator, number, name, bits, kind, storage, onnx, npy)                       \
  {ElementType::enumerator, name, bits, ElementKind::kind, !std::is_void_v<storage>, onnx, npy},
#include "tw/Format/ElementTypes.def"
};

/// Null for a number outside the list.
constexpr const ElementInfo *findElement(ElementType type) {
  for (const ElementInfo &info : elementTypes)
    if (info.type == type)
      return &info;
  return nullptr;
}

/// The type that holds TensorProto.DataType `onnx`; null if none does.
constexpr const ElementInfo *findOnnxElement(int64_t onnx) {
  for (const ElementInfo &info : elementTypes)
    if (info.onnx == onnx && info.isHeld)
      return &info;
  return nullptr;
}

/// Lower-case name such as "f32"; "?" for a number outside the list.
constexpr std::string_view elementName(ElementType type) {
  const ElementInfo *info = findElement(type);
  return info ? info->name : "?";
}

/// Bytes of one element in memory (Bool takes one); 0 for a number outside the list and for types
/// below a byte, which have no memory layout yet.
constexpr uint64_t elementBytes(ElementType type) {
  const ElementInfo *info = findElement(type);
  if (!info)
    return 0;
  return info->kind == ElementKind::Bool ? 1 : info->bits / 8;
}

template <typename T> struct ElementTag { using type = T; };

/// Calls `f(ElementTag<T>())` with the C++ type that holds an element, and says whether there is
/// one.
template <typename F> bool visitElement(ElementType type, F &&f) {
  switch (type) {
#define TW_ELEMENT(enumerator, number, name, bits, kind, storage, onnx, npy)                       \
  case ElementType::enumerator:                                                                    \
    if constexpr (!std::is_void_v<storage>)                                                        \
      return f(ElementTag<storage>()), true;                                                       \
    return false;
#include "tw/Format/ElementTypes.def"
  }
  return false;
}

} // namespace tw::format
