// Element types of the IR and those of Format/ElementTypes.def: from one to the other.
//===---------------------------------------------------------------------------------------===//
#include "tw/Support/ElementTypes.h"

#include "tw/Format/Element.h"

using namespace mlir;
using namespace tw;
using format::ElementInfo;
using format::ElementKind;

static ElementKind getKind(IntegerType type) {
  if (type.getWidth() == 1)
    return ElementKind::Bool;
  return type.isUnsigned() ? ElementKind::Unsigned : ElementKind::Signed;
}

std::optional<format::ElementType> tw::getElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    for (const ElementInfo &info : format::elementTypes)
      if (info.kind == getKind(integer) && info.bits == integer.getWidth())
        return info.type;
    return std::nullopt;
  }
#define TW_FLOAT_ELEMENT(enumerator, number, name, bits, storage, onnx, npy, irType)               \
  if (isa<irType>(type))                                                                           \
    return format::ElementType::enumerator;
#include "tw/Format/ElementTypes.def"
  return std::nullopt;
}

Type tw::getElementType(MLIRContext *context, format::ElementType element) {
  const ElementInfo *info = format::findElement(element);
  if (!info)
    return {};
  switch (info->kind) {
  case ElementKind::Bool:
  case ElementKind::Signed:
    return IntegerType::get(context, info->bits);
  case ElementKind::Unsigned:
    return IntegerType::get(context, info->bits, IntegerType::Unsigned);
  case ElementKind::Complex:
    return {};
  case ElementKind::Float:
    break;
  }
  switch (element) {
#define TW_FLOAT_ELEMENT(enumerator, number, name, bits, storage, onnx, npy, irType)               \
  case format::ElementType::enumerator:                                                            \
    return irType::get(context);
#include "tw/Format/ElementTypes.def"
  default:
    return {};
  }
}

bool tw::isElementType(Type type) {
  std::optional<format::ElementType> element = getElement(type);
  return element && getElementType(type.getContext(), *element) == type;
}

bool tw::isHeld(Type elementType) {
  std::optional<format::ElementType> element = getElement(elementType);
  return element && format::findElement(*element)->isHeld;
}

bool tw::isNarrowFloat(Type elementType) {
  return isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32 &&
         isHeld(elementType);
}

bool tw::hasInfinities(Type elementType) {
  auto floating = dyn_cast<FloatType>(elementType);
  return !floating || llvm::APFloat::semanticsHasInf(floating.getFloatSemantics());
}
