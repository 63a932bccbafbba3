// Registration of the tgraph dialect and verification of its attributes on functions.
#include "tw/Dialect/Graph/AssumedValues.h"
#include "tw/Dialect/Graph/ComplexNumbers.h"
#include "tw/Dialect/Graph/Derivatives.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FastMath.h"
#include "tw/Support/ResultCounts.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#include "tw/Dialect/Graph/GraphDialect.cpp.inc"
#include "tw/Dialect/Graph/GraphInterfaces.cpp.inc"

namespace {
// All ops are pure, so any of them may be inlined anywhere.
struct GraphInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void GraphDialect::initialize() {
  registerAttributes();
  registerUnaryOps();
  registerBinaryOps();
  registerCompareOps();
  registerConstantOps();
  registerMovementOps();
  registerContractionOps();
  registerReductionOps();
  registerGatherOps();
  registerCompositeOps();
  registerControlOps();
  addInterfaces<GraphInliner>();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  if (!isa<DenseElementsAttr, FileAttr>(value) || cast<TypedAttr>(value).getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, cast<TypedAttr>(value));
}

LogicalResult graph::checkDeclared(Operation *op, DictionaryAttr declared, Type type,
                                   DimsAttr dims) {
  auto rangeOf = [&](StringAttr symbol) {
    return declared ? declared.getAs<SymbolAttr>(symbol) : SymbolAttr();
  };
  for (StringAttr symbol : dims.getSymbols()) {
    for (StringAttr base : tw::getBases(symbol))
      if (!declared || !declared.contains(base))
        return emitOpError(op, Code::T0209)
               << "uses symbol '" << base.getValue() << "' in " << type
               << ", which the function does not declare; add it to the function's tgraph.symbols";
    auto stepOf = [&](StringAttr base) {
      SymbolAttr range = rangeOf(base);
      return range ? range.getStep() : 1;
    };
    if (std::optional<SizeQuotient> inexact = tw::findInexact(symbol, stepOf))
      return emitOpError(op, Code::T0209)
             << "has " << type << ", of which " << toString(inexact->numerator)
             << " is to be a multiple of " << inexact->divisor
             << " in every call: declare its symbols in such steps "
                "(--dim=NAME=MIN..MAX/STEP), or round down by floordiv";
  }
  return success();
}

// Symbols of the function's own type are checked here, those of its ops by the ops.
static LogicalResult verifySymbols(FunctionOpInterface function, DictionaryAttr declared) {
  for (NamedAttribute entry : declared)
    if (!isa<SymbolAttr>(entry.getValue()))
      return emitOpError(function, Code::T0209)
             << "expected a #tgraph.symbol for '" << entry.getName().getValue()
             << "' in tgraph.symbols, found " << entry.getValue();
    else if (tw::getBases(entry.getName()) != SmallVector<StringAttr, 2>{entry.getName()})
      return emitOpError(function, Code::T0209)
             << "declares '" << entry.getName().getValue()
             << "', which means a product or a quotient: declare what it is made of";
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto dims = tensor ? dyn_cast_or_null<DimsAttr>(tensor.getEncoding()) : nullptr;
    if (!dims)
      return success();
    return checkDeclared(function, declared, type, dims);
  };
  for (Type type : function.getArgumentTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : function.getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

/// Sizes that are expected most, of symbols that the function declares.
static LogicalResult verifyTypical(Operation *op, Attribute value) {
  auto sizes = dyn_cast<DictionaryAttr>(value);
  auto declared = op->getAttrOfType<DictionaryAttr>("tgraph.symbols");
  if (!sizes || !declared)
    return emitOpError(op, Code::T0209)
           << "expected tgraph.typical to be a dictionary beside tgraph.symbols";
  for (NamedAttribute entry : sizes) {
    auto range = dyn_cast_or_null<SymbolAttr>(declared.get(entry.getName()));
    auto size = dyn_cast<IntegerAttr>(entry.getValue());
    if (!range || !size || size.getInt() < range.getMin() || size.getInt() > range.getMax())
      return emitOpError(op, Code::T0209)
             << "expected the typical size of '" << entry.getName().getValue()
             << "' to be a number in the range of that symbol, found " << entry.getValue();
  }
  return success();
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == "tgraph.symbols") {
    auto function = dyn_cast<FunctionOpInterface>(op);
    auto declared = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (!declared || !isa<SymbolOpInterface>(op))
      return emitOpError(op, Code::T0209)
             << "expected tgraph.symbols to be a dictionary on a function";
    // What a function becomes keeps them.
    return function ? verifySymbols(function, declared) : success();
  }
  if (attribute.getName() == graphFastMathName) {
    if (isa<arith::FastMathFlagsAttr>(attribute.getValue()))
      return success();
    return emitOpError(op, Code::T0217) << "expected tgraph.fastmath to be #arith.fastmath<...>, "
                                           "found "
                                        << attribute.getValue();
  }
  if (attribute.getName() == againName && isa<ForOp>(op) && isa<UnitAttr>(attribute.getValue()))
    return success();
  if (attribute.getName() == "tgraph.typical")
    return verifyTypical(op, attribute.getValue());
  return emitOpError(op, Code::T0217) << "has the unknown attribute " << attribute.getName()
                                      << "; known on functions: tgraph.symbols, tgraph.typical, "
                                         "tgraph.fastmath, on "
                                         "arguments and results: tgraph.name";
}

static LogicalResult verifyName(Operation *op, StringRef what, StringRef known, unsigned index,
                                NamedAttribute attribute) {
  if (attribute.getName() != "tgraph.name")
    return emitOpError(op, Code::T0217)
           << "has the unknown attribute " << attribute.getName() << " on " << what << " " << index
           << "; known here: " << known;
  if (!isa<StringAttr>(attribute.getValue()))
    return emitOpError(op, Code::T0217) << "expected a string for tgraph.name on " << what << " "
                                        << index << ", found " << attribute.getValue();
  return success();
}

/// An argument that the caller gives up: the result that takes its memory, of its element type and
/// rank.
static LogicalResult verifyAlias(FunctionOpInterface function, unsigned index,
                                 NamedAttribute attribute) {
  auto alias = dyn_cast<IntegerAttr>(attribute.getValue());
  int64_t results = function.getNumResults();
  if (!alias || alias.getInt() < 0 || alias.getInt() >= results)
    return emitOpError(function, Code::T0217)
           << "expected tgraph.alias on argument " << index << " to be the number of one of the "
           << results << " results, found " << attribute.getValue();
  for (unsigned i = 0; i < index; ++i)
    if (function.getArgAttr(i, attribute.getName()) == alias)
      return emitOpError(function, Code::T0217) << "gives the memory of arguments " << i << " and "
                                                << index << " to result " << alias.getInt();
  Type type = function.getArgumentTypes()[index],
       result = function.getResultTypes()[alias.getInt()];
  std::optional<Shape> shape = getShape(type), resultShape = getShape(result);
  // Below the graph the encoding says it.
  auto tensor = dyn_cast<RankedTensorType>(type);
  Attribute encoding = tensor ? tensor.getEncoding() : Attribute();
  bool hasStorage =
      function.getArgAttr(index, storageName) || (encoding && !isa<DimsAttr>(encoding));
  if (!shape || !resultShape || getElementTypeOrSelf(type) != getElementTypeOrSelf(result) ||
      shape->size() != resultShape->size() || (!hasStorage && *shape != *resultShape))
    return emitOpError(function, Code::T0217)
           << "gives the memory of argument " << index << " of " << type << " to result "
           << alias.getInt() << " of " << result << ", expected "
           << (hasStorage ? "one element type and rank" : "one type; tgraph.storage makes room");
  if (function.getArgAttr(index, complexName) !=
      function.getResultAttr(unsigned(alias.getInt()), complexName))
    return emitOpError(function, Code::T0217)
           << "gives the memory of argument " << index << " to result " << alias.getInt()
           << ", expected tgraph.complex on both or on neither";
  return success();
}

/// What an argument is in memory: of each dimension the size, or a number that is at least that.
static LogicalResult verifyStorage(FunctionOpInterface function, unsigned index,
                                   NamedAttribute attribute) {
  auto storage = dyn_cast<DimsAttr>(attribute.getValue());
  Type type = function.getArgumentTypes()[index];
  std::optional<Shape> shape = getShape(type);
  auto alias = function.getArgAttrOfType<IntegerAttr>(index, aliasName);
  if (!storage || !shape || storage.getRank() != int64_t(shape->size()))
    return emitOpError(function, Code::T0217)
           << "expected tgraph.storage on argument " << index
           << " to be a #tgraph.dims with one entry per dimension of " << type << ", found "
           << attribute.getValue();
  if (!alias)
    return emitOpError(function, Code::T0217)
           << "expected tgraph.alias beside tgraph.storage on argument " << index;
  for (auto [size, room] : llvm::zip(*shape, storage.getShape()))
    if (size != room &&
        (!room.isStatic() || (size.isStatic() && size.getConstant() > room.getConstant())))
      return emitOpError(function, Code::T0217)
             << "expected tgraph.storage on argument " << index
             << " to have each dimension's size or a number that it is at most, found "
             << toString(room) << " for " << toString(size);
  return success();
}

/// Real and imaginary parts of what callers see as complex numbers.
static LogicalResult verifyComplex(FunctionOpInterface function, StringRef what, Type type,
                                   unsigned index, Attribute attribute) {
  std::optional<Shape> shape = getShape(type);
  Type element = getElementTypeOrSelf(type);
  if (isa<UnitAttr>(attribute) && shape && !shape->empty() && shape->back() == Dim(2) &&
      (element.isF32() || element.isF64()))
    return success();
  return emitOpError(function, Code::T0217)
         << "expected tgraph.complex without a value on " << what << " " << index
         << ", a tensor of f32 or f64 whose last dimension is 2, found " << attribute << " on "
         << type;
}

/// What counts the elements of a result, which is looked at once for all results.
static LogicalResult verifyCounts(FunctionOpInterface function, unsigned index,
                                  Attribute attribute) {
  if (!isa<DenseI64ArrayAttr>(attribute))
    return emitOpError(function, Code::T0217) << "expected tgraph.counts on result " << index
                                              << " to be an array of i64, found " << attribute;
  ResultCounts counts;
  SmallVector<RankedTensorType> types;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto own = function.getResultAttrOfType<DenseI64ArrayAttr>(i, countsName);
    if (own && i < index)
      return success();
    counts.push_back(own ? own.asArrayRef() : ArrayRef<int64_t>());
    types.push_back(dyn_cast<RankedTensorType>(function.getResultTypes()[i]));
  }
  std::string wrong = checkCounts(counts, types);
  if (wrong.empty())
    return success();
  return emitOpError(function, Code::T0217) << "has tgraph.counts, of which " << wrong;
}

/// The only value that an argument may have.
static LogicalResult verifyAssumed(FunctionOpInterface function, unsigned index,
                                   Attribute attribute) {
  Type type = function.getArgumentTypes()[index];
  auto value = dyn_cast<DenseElementsAttr>(attribute);
  if (function.getArgAttr(index, aliasName))
    return emitOpError(function, Code::T0217)
           << "expected no tgraph.alias beside tgraph.assumed on argument " << index
           << ": after a call its memory holds a result, and no longer the assumed value";
  if (value && value.getType() == type && !value.empty())
    return success();
  return emitOpError(function, Code::T0217)
         << "expected tgraph.assumed on argument " << index
         << " to be a dense constant of its type, with elements, found " << attribute << " on "
         << type;
}

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && attribute.getName() == aliasName)
    return verifyAlias(function, index, attribute);
  if (function && attribute.getName() == storageName)
    return verifyStorage(function, index, attribute);
  if (function && attribute.getName() == complexName)
    return verifyComplex(function, "argument", function.getArgumentTypes()[index], index,
                         attribute.getValue());
  if (function && attribute.getName() == assumedName)
    return verifyAssumed(function, index, attribute.getValue());
  return verifyName(op, "argument",
                    "tgraph.name, tgraph.alias, tgraph.storage, tgraph.complex, tgraph.assumed",
                    index, attribute);
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && attribute.getName() == complexName)
    return verifyComplex(function, "result", function.getResultTypes()[index], index,
                         attribute.getValue());
  if (function && attribute.getName() == countsName)
    return verifyCounts(function, index, attribute.getValue());
  if (attribute.getName() != "tgraph.step")
    return verifyName(op, "result", "tgraph.name, tgraph.step, tgraph.complex, tgraph.counts",
                      index, attribute);
  auto step = dyn_cast<FloatAttr>(attribute.getValue());
  if (!step || !step.getType().isF64() || !step.getValue().isFinite() ||
      step.getValueAsDouble() <= 0)
    return emitOpError(op, Code::T0217) << "expected an f64 above zero for tgraph.step on result "
                                        << index << ", found " << attribute.getValue();
  return success();
}
