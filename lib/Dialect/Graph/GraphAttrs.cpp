// Parsing, printing and verification of tgraph attributes.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#include "tw/Dialect/Graph/GraphEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Graph/GraphAttrs.cpp.inc"

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tw/Dialect/Graph/GraphAttrs.cpp.inc"
      >();
}

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t min,
                                 int64_t max, int64_t step) {
  if (min < 0 || max < min)
    return CodedDiagnostic(emitError(), Code::T0209)
           << "expected 0 <= min <= max for a symbol, found min = " << min << ", max = " << max;
  if (step < 1)
    return CodedDiagnostic(emitError(), Code::T0209)
           << "expected a symbol's step of at least 1, found " << step;
  if (min % step != 0 || max % step != 0)
    return CodedDiagnostic(emitError(), Code::T0209)
           << "expected multiples of a symbol's step " << step << ", found min = " << min
           << ", max = " << max;
  return success();
}

DimsAttr DimsAttr::get(MLIRContext *context, ArrayRef<Dim> shape) {
  SmallVector<StringAttr> symbols;
  for (const Dim &dim : shape)
    for (auto [name, factor] : dim.getTerms())
      symbols.push_back(name);
  llvm::sort(symbols, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  symbols.erase(llvm::unique(symbols), symbols.end());
  SmallVector<int64_t> coefficients(shape.size() * (symbols.size() + 1));
  for (auto [row, dim] : llvm::enumerate(shape)) {
    auto *entry = &coefficients[row * (symbols.size() + 1)];
    for (auto [name, factor] : dim.getTerms())
      entry[llvm::find(symbols, name) - symbols.begin()] = factor;
    entry[symbols.size()] = dim.getConstant();
  }
  return get(context, symbols, coefficients);
}

Shape DimsAttr::getShape() const {
  Shape shape;
  size_t width = getSymbols().size() + 1;
  for (size_t row = 0; row != getCoefficients().size(); row += width) {
    Dim dim(getCoefficients()[row + width - 1]);
    for (size_t i = 0; i + 1 != width; ++i)
      dim = dim + Dim::symbol(getSymbols()[i], getCoefficients()[row + i]);
    shape.push_back(dim);
  }
  return shape;
}

// term ::= integer | name | integer `*` name | name `*` integer
static ParseResult parseTerm(AsmParser &parser, Dim &dim, bool negative) {
  int64_t factor = 1;
  std::string name;
  OptionalParseResult integer = parser.parseOptionalInteger(factor);
  if (integer.has_value() && failed(*integer))
    return failure();
  if (!integer.has_value() || succeeded(parser.parseOptionalStar())) {
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeywordOrString(&name)))
      return parser.emitError(loc, "expected a symbol's name or an integer [T0209]");
    if (!integer.has_value() && succeeded(parser.parseOptionalStar()) &&
        parser.parseInteger(factor))
      return failure();
  }
  Dim term =
      name.empty() ? Dim(factor) : Dim::symbol(StringAttr::get(parser.getContext(), name), factor);
  dim = dim + term * (negative ? -1 : 1);
  return success();
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<Dim> shape;
  auto parseEntry = [&]() -> ParseResult {
    Dim dim;
    bool negative = succeeded(parser.parseOptionalMinus());
    while (true) {
      if (failed(parseTerm(parser, dim, negative)))
        return failure();
      if (succeeded(parser.parseOptionalPlus()))
        negative = false;
      else if (succeeded(parser.parseOptionalMinus()))
        negative = true;
      else
        break;
    }
    shape.push_back(dim);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEntry) ||
      parser.parseGreater())
    return {};
  return DimsAttr::get(parser.getContext(), shape);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getShape(), printer,
                        [&](const Dim &dim) { dim.print(printer.getStream()); });
  printer << "]>";
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> sizes, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  Shape shape = getShape();
  if (shape.size() != sizes.size())
    return CodedDiagnostic(emitError(), Code::T0209)
           << "expected " << sizes.size() << " entries in #tgraph.dims, one per dimension, found "
           << shape.size();
  for (auto [i, size, dim] : llvm::enumerate(sizes, shape)) {
    if (ShapedType::isDynamic(size) ? !dim.isStatic() : dim == Dim(size))
      continue;
    if (ShapedType::isDynamic(size))
      return CodedDiagnostic(emitError(), Code::T0209)
             << "expected entry " << i << " of #tgraph.dims to name a symbol, as the dimension is "
             << "dynamic, found " << toString(dim);
    return CodedDiagnostic(emitError(), Code::T0209)
           << "expected entry " << i << " of #tgraph.dims to be the dimension's size " << size
           << ", found " << toString(dim);
  }
  if (getSymbols().empty())
    return CodedDiagnostic(emitError(), Code::T0209)
           << "expected no #tgraph.dims on a tensor type without dynamic dimensions";
  return success();
}
