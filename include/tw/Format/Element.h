// Element types as the module file numbers them, shared by the compiler and the runtime.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw::format {

/// The numbers are part of the file format and equal TwrtElement of twrt.h.
enum class ElementType : uint8_t {
  Bool = 0,
  I4 = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  U4 = 6,
  U8 = 7,
  U16 = 8,
  U32 = 9,
  U64 = 10,
  F8E4M3FN = 11,
  F8E4M3FNUZ = 12,
  F8E5M2 = 13,
  F4E2M1 = 14,
  F6E2M3 = 15,
  BF16 = 16,
  F16 = 17,
  F32 = 18,
  F64 = 19,
  C64 = 20,
  C128 = 21,
};

/// Lower-case name such as "f32"; "?" for a number outside the list.
std::string_view elementName(ElementType type);

/// Bytes of one element in memory (Bool takes one); 0 for a number outside the list and for types
/// below a byte, which have no memory layout yet.
uint64_t elementBytes(ElementType type);

} // namespace tw::format
