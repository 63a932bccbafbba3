// #tview.sizes, and tensors that have it.
#include "tw/Dialect/View/View.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::view;

SizesAttr SizesAttr::get(MLIRContext *context, ArrayRef<Dim> sizes) {
  DimTable table(sizes);
  return get(context, table.symbols, table.coefficients);
}

SmallVector<Dim, 4> SizesAttr::getSizes() const {
  return DimTable::getDims(getSymbols(), getCoefficients());
}

Attribute SizesAttr::parse(AsmParser &parser, Type) {
  SmallVector<Dim> sizes;
  if (parser.parseLess() || parseDims(parser, sizes) || parser.parseGreater())
    return {};
  return SizesAttr::get(parser.getContext(), sizes);
}

void SizesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDims(printer, getSizes());
  printer << '>';
}

LogicalResult SizesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<Dim, 4> sizes = getSizes();
  if (sizes.size() != shape.size())
    return CodedDiagnostic(emitError(), Code::T0302)
           << "expected " << shape.size() << " entries in #tview.sizes, one per dimension, found "
           << sizes.size();
  for (auto [i, most, size] : llvm::enumerate(shape, sizes)) {
    if (ShapedType::isDynamic(most))
      return CodedDiagnostic(emitError(), Code::T0302)
             << "expected dimension " << i << " to be the most that " << toString(size)
             << " comes to, found a dynamic one";
    if (size.isStatic() && size.getConstant() != most)
      return CodedDiagnostic(emitError(), Code::T0302)
             << "expected entry " << i << " of #tview.sizes to be the dimension's size " << most
             << ", found " << toString(size);
  }
  if (getSymbols().empty())
    return CodedDiagnostic(emitError(), Code::T0302)
           << "expected no #tview.sizes on a tensor whose sizes are fixed";
  return success();
}

SmallVector<Dim, 4> view::getSizes(RankedTensorType type) {
  if (auto sizes = dyn_cast_or_null<SizesAttr>(type.getEncoding()))
    return sizes.getSizes();
  return SmallVector<Dim, 4>(type.getShape().begin(), type.getShape().end());
}

bool view::hasSymbols(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<SizesAttr>(tensor.getEncoding());
}

RankedTensorType view::getTensorType(ArrayRef<int64_t> shape, ArrayRef<Dim> sizes,
                                     Type elementType) {
  bool isFixed = llvm::all_of(sizes, [](const Dim &size) { return size.isStatic(); });
  return RankedTensorType::get(
      shape, elementType, isFixed ? Attribute() : SizesAttr::get(elementType.getContext(), sizes));
}

SmallVector<int64_t> view::getKnownShape(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, size] : llvm::zip(shape, getSizes(type)))
    if (!size.isStatic())
      extent = -1;
  return shape;
}
