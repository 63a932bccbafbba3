// Questions about verified metadata.
#include "tw/Format/Module.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

using namespace tw::format;

bool tw::format::isPathBeneath(std::string_view path) {
  if (path.empty() || path.find('\0') != path.npos || path.find('\\') != path.npos)
    return false;
  while (true) {
    size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..")
      return false;
    if (slash == path.npos)
      return true;
    path.remove_prefix(slash + 1);
  }
}

bool tw::format::computeTypeBytes(const fb::TensorType &type, uint64_t &bytes) {
  bytes = elementBytes(ElementType(type.element()));
  if (bytes == 0)
    return false;
  if (!type.dims())
    return true;
  for (int64_t dim : *type.dims())
    if (dim < 0 || !checkedMul(bytes, uint64_t(dim), bytes))
      return false;
  return true;
}

std::span<const VariantFormat> tw::format::variantFormats() {
  static constexpr VariantFormat formats[] = {
#define TW_FORMAT(name, Kind, target, takesGroup) {name, SectionKind::Kind, target, takesGroup},
#include "tw/Format/Formats.def"
  };
  return formats;
}

const VariantFormat *tw::format::findVariantFormat(std::string_view name) {
  for (const VariantFormat &format : variantFormats())
    if (format.name == name)
      return &format;
  return nullptr;
}
