// #tview.sizes, and tensors that have it.
#include "tw/Dialect/View/View.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::view;

SizesAttr SizesAttr::get(MLIRContext *context, ArrayRef<Dim> sizes, ArrayRef<Dim> storage) {
  DimTable table(sizes);
  Attribute inMemory;
  if (!storage.empty() && storage != sizes)
    inMemory = get(context, storage);
  return get(context, table.symbols, table.coefficients, inMemory);
}

SmallVector<Dim, 4> SizesAttr::getSizes() const {
  return DimTable::getDims(getSymbols(), getCoefficients());
}

SmallVector<Dim, 4> SizesAttr::getStorageSizes() const {
  return getStorage() ? cast<SizesAttr>(getStorage()).getSizes() : getSizes();
}

// <[8, P + S, 64] in [8, 512, 64]>
Attribute SizesAttr::parse(AsmParser &parser, Type) {
  SmallVector<Dim> sizes, storage;
  if (parser.parseLess() || parseDims(parser, sizes) ||
      (succeeded(parser.parseOptionalKeyword("in")) && parseDims(parser, storage)) ||
      parser.parseGreater())
    return {};
  return SizesAttr::get(parser.getContext(), sizes, storage);
}

void SizesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDims(printer, getSizes());
  if (getStorage()) {
    printer << " in ";
    printDims(printer, getStorageSizes());
  }
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
  SmallVector<Dim, 4> storage = getStorageSizes();
  if (storage.size() != sizes.size())
    return CodedDiagnostic(emitError(), Code::T0302)
           << "expected " << sizes.size() << " sizes in memory, found " << storage.size();
  for (auto [most, size, room] : llvm::zip(shape, sizes, storage))
    if (room != size && (!room.isStatic() || room.getConstant() < most))
      return CodedDiagnostic(emitError(), Code::T0302)
             << "expected room in memory for a size of at most " << most << ", found "
             << toString(room) << " for " << toString(size);
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

SmallVector<Dim, 4> view::getStorageSizes(RankedTensorType type) {
  if (auto sizes = dyn_cast_or_null<SizesAttr>(type.getEncoding()))
    return sizes.getStorageSizes();
  return getSizes(type);
}

bool view::hasRoom(RankedTensorType type) {
  auto sizes = dyn_cast_or_null<SizesAttr>(type.getEncoding());
  return sizes && sizes.getStorage();
}

SmallVector<int64_t> view::getStorageShape(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [most, room] : llvm::zip(shape, getStorageSizes(type)))
    if (room.isStatic())
      most = room.getConstant();
  return shape;
}

RankedTensorType view::getTensorType(ArrayRef<int64_t> shape, ArrayRef<Dim> sizes, Type elementType,
                                     ArrayRef<Dim> storage) {
  bool isFixed = llvm::all_of(sizes, [](const Dim &size) { return size.isStatic(); });
  return RankedTensorType::get(shape, elementType,
                               isFixed ? Attribute()
                                       : SizesAttr::get(elementType.getContext(), sizes, storage));
}

SmallVector<int64_t> view::getKnownShape(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, size] : llvm::zip(shape, getSizes(type)))
    if (!size.isStatic())
      extent = -1;
  return shape;
}
