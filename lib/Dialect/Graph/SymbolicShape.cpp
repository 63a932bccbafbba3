// Arithmetic on symbolic dimensions and the types that carry them.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tw::graph;

std::optional<Shape> tw::graph::getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
    return dims.getShape();
  if (!tensor.hasStaticShape())
    return std::nullopt;
  return Shape(tensor.getShape().begin(), tensor.getShape().end());
}

static std::optional<int64_t> getEnd(const Dim &dim, DictionaryAttr declared, bool isMost);

/// The most or the least that a symbol comes to.
static std::optional<int64_t> getSymbolEnd(StringAttr name, DictionaryAttr declared, bool isMost) {
  if (auto range = declared ? dyn_cast_or_null<SymbolAttr>(declared.get(name)) : SymbolAttr())
    return isMost ? range.getMax() : range.getMin();
  if (std::optional<tw::SizeQuotient> quotient = tw::getQuotient(name)) {
    std::optional<int64_t> end = getEnd(quotient->numerator, declared, isMost);
    return end ? std::optional(llvm::divideFloorSigned(*end, quotient->divisor)) : std::nullopt;
  }
  if (std::optional<tw::SizeLeast> least = tw::getLeast(name)) {
    std::optional<int64_t> first = getEnd(least->first, declared, isMost),
                           second = getEnd(least->second, declared, isMost);
    return first && second ? std::optional(std::min(*first, *second)) : std::nullopt;
  }
  SmallVector<StringAttr, 2> factors = tw::getFactors(name);
  int64_t product = 1;
  for (StringAttr each : factors) {
    std::optional<int64_t> end =
        factors.size() > 1 ? getSymbolEnd(each, declared, isMost) : std::nullopt;
    if (!end || llvm::MulOverflow(product, *end, product))
      return std::nullopt;
  }
  return product;
}

/// The dim where symbols with a positive factor are at one end of their ranges, and others at the
/// other one.
static std::optional<int64_t> getEnd(const Dim &dim, DictionaryAttr declared, bool isMost) {
  int64_t sum = dim.getConstant();
  for (auto [name, factor] : dim.getTerms()) {
    std::optional<int64_t> term = getSymbolEnd(name, declared, (factor > 0) == isMost);
    if (!term || llvm::MulOverflow(*term, factor, *term) || llvm::AddOverflow(sum, *term, sum))
      return std::nullopt;
  }
  return sum;
}

static std::optional<int64_t> getEnd(const Dim &dim, Operation *function, bool isMost) {
  auto declared = function->getAttrOfType<DictionaryAttr>("tgraph.symbols");
  tw::SizeBounds bounds = tw::getBounds(dim, [&](StringAttr name) -> tw::SizeBounds {
    auto range = declared ? dyn_cast_or_null<SymbolAttr>(declared.get(name)) : SymbolAttr();
    return range ? tw::SizeBounds(std::pair(range.getMin(), range.getMax())) : std::nullopt;
  });
  // One end may come to less than 64 bits where the other one does not.
  return bounds ? std::optional(isMost ? bounds->second : bounds->first)
                : getEnd(dim, declared, isMost);
}

std::optional<int64_t> tw::graph::getRoom(const Dim &dim, Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || dim.isStatic())
    return std::nullopt;
  std::optional<int64_t> least;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto alias = function.getArgAttrOfType<IntegerAttr>(i, aliasName);
    auto storage = function.getArgAttrOfType<DimsAttr>(i, storageName);
    if (!alias || !storage)
      continue;
    for (Type type : {function.getArgumentTypes()[i], function.getResultTypes()[alias.getInt()]})
      if (std::optional<Shape> shape = getShape(type))
        for (auto [size, room] : llvm::zip(*shape, storage.getShape()))
          if (size == dim && room.isStatic())
            least = std::min(least.value_or(INT64_MAX), room.getConstant());
  }
  return least;
}

std::optional<int64_t> tw::graph::getMost(const Dim &dim, Operation *function) {
  std::optional<int64_t> most = getEnd(dim, function, /*isMost=*/true);
  std::optional<int64_t> room = getRoom(dim, function);
  return room ? std::min(*room, most.value_or(INT64_MAX)) : most;
}

std::optional<int64_t> tw::graph::getLeast(const Dim &dim, Operation *function) {
  return getEnd(dim, function, /*isMost=*/false);
}

SmallVector<int64_t> tw::graph::getMostShape(Type type, Operation *function) {
  SmallVector<int64_t> shape;
  std::optional<Shape> dims = getShape(type);
  if (!dims)
    return SmallVector<int64_t>(cast<RankedTensorType>(type).getRank(), -1);
  for (const Dim &dim : *dims)
    shape.push_back(getMost(dim, function).value_or(-1));
  return shape;
}

RankedTensorType tw::graph::getTensorType(ArrayRef<Dim> shape, Type elementType) {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.isStatic() ? dim.getConstant() : ShapedType::kDynamic);
  Attribute encoding;
  if (!llvm::all_of(shape, [](const Dim &dim) { return dim.isStatic(); }))
    encoding = DimsAttr::get(elementType.getContext(), shape);
  return RankedTensorType::get(sizes, elementType, encoding);
}

Type tw::graph::withElementType(Type type, Type elementType) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get(tensor.getShape(), elementType, tensor.getEncoding())
                : type;
}

std::string tw::graph::toString(ArrayRef<Dim> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](const Dim &dim) {
                                      std::string text = toString(dim);
                                      return text.find(' ') == text.npos ? text : "(" + text + ")";
                                    }),
                    "x");
}

void tw::graph::changeSizes(Operation *op, llvm::function_ref<Dim(const Dim &)> change) {
  auto changeAll = [&](DimsAttr dims) { return llvm::map_to_vector(dims.getShape(), change); };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> Type {
    auto dims = dyn_cast_or_null<DimsAttr>(type.getEncoding());
    return dims ? getTensorType(changeAll(dims), type.getElementType()) : type;
  });
  // Loops count by them.
  replacer.addReplacement([&](DimsAttr dims) -> Attribute {
    return DimsAttr::get(dims.getContext(), changeAll(dims));
  });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
