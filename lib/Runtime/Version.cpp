// The version of the runtime; element types for callers.
#include "tw/Format/Element.h"
#include "twrt/twrt.h"

using namespace tw::format;

const char *twrtVersion(void) { return "0.1.0"; }

const char *twrtElementName(uint32_t element) {
  return element > UINT8_MAX ? "?" : elementName(ElementType(element)).data();
}

size_t twrtElementBytes(uint32_t element) {
  return element > UINT8_MAX ? 0 : elementBytes(ElementType(element));
}
