// Questions about verified metadata.
#include "tw/Format/Module.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <algorithm>

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

bool tw::format::isSymbolic(const fb::TensorType &type) {
  return type.dims() && std::ranges::any_of(*type.dims(), [](int64_t dim) { return dim < 0; });
}

const fb::Symbol *tw::format::findLateSymbol(const fb::Function &function,
                                             const fb::TensorType &type) {
  for (uint32_t i = 0; type.dims() && i < type.dims()->size(); ++i)
    if (int64_t dim = type.dims()->Get(i); dim < 0)
      if (const fb::Symbol *symbol = function.symbols()->Get(uint32_t(-1 - dim)); symbol->late())
        return symbol;
  return nullptr;
}

bool tw::format::isLateRegister(const fb::Function &function, const OpcodeInfo &info,
                                const uint32_t *operands, const bool *isLate) {
  if (info.opcode == Opcode::Symbol)
    return function.symbols()->Get(operands[0])->late();
  if (info.opcode == Opcode::Dim) {
    int64_t dim = function.arguments()->Get(operands[0])->type()->dims()->Get(operands[1]);
    return dim < 0 && function.symbols()->Get(uint32_t(-1 - dim))->late();
  }
  for (uint32_t i = 0; i < info.operandCount; ++i)
    if (info.operands[i] == OperandKind::Register && isLate[operands[i]])
      return true;
  return false;
}

uint32_t tw::format::countVisibleResults(const fb::Function &function) {
  uint32_t visible = function.results() ? function.results()->size() : 0;
  for (uint32_t i = 0; function.results() && i < function.results()->size(); ++i)
    if (const auto *counts = function.results()->Get(i)->counts())
      for (int32_t count : *counts)
        if (count >= 0)
          visible = std::min(visible, uint32_t(count));
  return visible;
}

const fb::TensorType &tw::format::storageType(const fb::Argument &argument) {
  return argument.storage() ? *argument.storage() : *argument.type();
}

bool tw::format::computeTypeBytes(const fb::TensorType &type, std::span<const int64_t> symbols,
                                  uint64_t &bytes) {
  bytes = elementBytes(ElementType(type.element()));
  if (bytes == 0)
    return false;
  for (uint32_t i = 0; type.dims() && i < type.dims()->size(); ++i) {
    int64_t dim = type.dims()->Get(i);
    if (dim < 0)
      dim = uint64_t(-1 - dim) < symbols.size() ? symbols[size_t(-1 - dim)] : -1;
    if (dim < 0 || !checkedMul(bytes, uint64_t(dim), bytes))
      return false;
  }
  return true;
}

bool tw::format::computeTypeBytes(const fb::TensorType &type, uint64_t &bytes) {
  return computeTypeBytes(type, {}, bytes);
}

std::span<const VariantFormat> tw::format::variantFormats() {
  static constexpr VariantFormat formats[] = {
#define TW_FORMAT(name, Kind, target, takesGroup, takesMaps)                                       \
  {name, SectionKind::Kind, target, takesGroup, takesMaps},
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
