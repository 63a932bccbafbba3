// Element types as the runtime, numpy, the buffer protocol and DLPack name them.
#pragma once

#include "DLPack.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tw::python {

struct Element {
  const char *name;   ///< as numpy and ml_dtypes call it: "float32"
  uint8_t code, bits; ///< of DLPack
  const char *format; ///< of the buffer protocol, in native order; empty: it has none
};

/// By TwrtElement; NULL for an unknown number.
const Element *getElement(uint32_t element);
/// "?" for an unknown number.
const char *nameOf(uint32_t element);
std::optional<uint32_t> findElement(std::string_view name);
std::optional<uint32_t> findElement(dlpack::DataType type);
/// By a format of the buffer protocol; none for other byte orders and for records.
std::optional<uint32_t> findFormat(const char *format, size_t bytes);

} // namespace tw::python
