// Element types as the runtime, numpy, the buffer protocol and DLPack name them.
#include "Elements.h"

#include "twrt/twrt.h"

#include <cstring>
#include <iterator>

using namespace tw::python;

// In the order of TwrtElement.
static constexpr Element elements[] = {
    {"bool", 6, 8, "?"},
    {"int4", 0, 4, ""},
    {"int8", 0, 8, "b"},
    {"int16", 0, 16, "h"},
    {"int32", 0, 32, "i"},
    {"int64", 0, 64, "q"},
    {"uint4", 1, 4, ""},
    {"uint8", 1, 8, "B"},
    {"uint16", 1, 16, "H"},
    {"uint32", 1, 32, "I"},
    {"uint64", 1, 64, "Q"},
    {"float8_e4m3fn", 10, 8, ""},
    {"float8_e4m3fnuz", 11, 8, ""},
    {"float8_e5m2", 12, 8, ""},
    {"float4_e2m1fn", 17, 4, ""},
    {"float6_e2m3fn", 15, 6, ""},
    {"bfloat16", 4, 16, ""},
    {"float16", 2, 16, "e"},
    {"float32", 2, 32, "f"},
    {"float64", 2, 64, "d"},
    {"complex64", 5, 64, "Zf"},
    {"complex128", 5, 128, "Zd"},
    {"float8_e5m2fnuz", 13, 8, ""},
};
static_assert(std::size(elements) == TWRT_F8E5M2FNUZ + 1);

const Element *tw::python::getElement(uint32_t element) {
  return element < std::size(elements) ? &elements[element] : nullptr;
}

const char *tw::python::nameOf(uint32_t element) {
  return element < std::size(elements) ? elements[element].name : "?";
}

template <typename Matches> static std::optional<uint32_t> find(Matches matches) {
  for (uint32_t i = 0; i < std::size(elements); ++i)
    if (matches(elements[i]))
      return i;
  return std::nullopt;
}

std::optional<uint32_t> tw::python::findElement(std::string_view name) {
  return find([&](const Element &element) { return name == element.name; });
}

std::optional<uint32_t> tw::python::findElement(dlpack::DataType type) {
  if (type.lanes != 1)
    return std::nullopt;
  return find([&](const Element &element) {
    return type.code == element.code && type.bits == element.bits;
  });
}

std::optional<uint32_t> tw::python::findFormat(const char *format, size_t bytes) {
  if (!format)
    return TWRT_U8;
  if (*format == '@' || *format == '=' || *format == '<') // of a little-endian machine
    ++format;
  // The sizes of these two depend on the machine, and the first is what numpy has for 64 bits.
  if (strcmp(format, "l") == 0)
    return bytes == 8 ? TWRT_I64 : TWRT_I32;
  if (strcmp(format, "L") == 0)
    return bytes == 8 ? TWRT_U64 : TWRT_U32;
  return find([&](const Element &element) {
    return *element.format && strcmp(format, element.format) == 0;
  });
}
