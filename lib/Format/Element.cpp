// Names and sizes of element types.
#include "tw/Format/Element.h"

#include <iterator>

using namespace tw::format;

namespace {
struct ElementInfo {
  std::string_view name;
  uint8_t bytes;
};
} // namespace

static constexpr ElementInfo elements[] = {
    {"i1", 1},         {"i4", 0},     {"i8", 1},     {"i16", 2},    {"i32", 4},  {"i64", 8},
    {"ui4", 0},        {"ui8", 1},    {"ui16", 2},   {"ui32", 4},   {"ui64", 8}, {"f8E4M3FN", 1},
    {"f8E4M3FNUZ", 1}, {"f8E5M2", 1}, {"f4E2M1", 0}, {"f6E2M3", 0}, {"bf16", 2}, {"f16", 2},
    {"f32", 4},        {"f64", 8},    {"c64", 8},    {"c128", 16}};

std::string_view tw::format::elementName(ElementType type) {
  return size_t(type) < std::size(elements) ? elements[size_t(type)].name : "?";
}

uint64_t tw::format::elementBytes(ElementType type) {
  return size_t(type) < std::size(elements) ? elements[size_t(type)].bytes : 0;
}
