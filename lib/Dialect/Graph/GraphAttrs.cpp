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
  DimTable table(shape);
  return get(context, table.symbols, table.coefficients);
}

Shape DimsAttr::getShape() const { return DimTable::getDims(getSymbols(), getCoefficients()); }

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<Dim> shape;
  if (parser.parseLess() || parseDims(parser, shape) || parser.parseGreater())
    return {};
  return DimsAttr::get(parser.getContext(), shape);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDims(printer, getShape());
  printer << '>';
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
