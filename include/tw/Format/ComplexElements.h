// Complex elements of arguments and results, which kernels have as pairs of floats.
#pragma once

#include "tw/Format/Element.h"

namespace tw::format {

/// What a complex number's real and imaginary parts are, which lie one behind the other; other
/// types are their own part.
constexpr ElementType partOf(ElementType type) {
  return type == ElementType::C64    ? ElementType::F32
         : type == ElementType::C128 ? ElementType::F64
                                     : type;
}

/// The complex numbers of such parts; other types than f32 and f64 have none.
constexpr ElementType complexOf(ElementType part) {
  return part == ElementType::F64 ? ElementType::C128 : ElementType::C64;
}

/// What the address of an element is a multiple of.
constexpr uint64_t elementAlignment(ElementType type) { return elementBytes(partOf(type)); }

} // namespace tw::format
