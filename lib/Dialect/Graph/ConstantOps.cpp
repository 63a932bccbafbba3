// constant and iota: registration, verification; splats and broadcasts.
#include "ConstantEvaluation.h"
#include "ShapeInference.h"
#include "tw/Dialect/Graph/Create.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/ConstantOps.cpp.inc"

void GraphDialect::registerConstantOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/ConstantOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr, FileAttr>(getValue()))
    return tw::emitOpError(*this, Code::T0211)
           << "expected dense elements or #tgraph.file, found another kind of attribute";
  auto file = dyn_cast<FileAttr>(getValue());
  if (!file)
    return success();
  RankedTensorType type = getType();
  if (!type.hasStaticShape())
    return tw::emitOpError(*this, Code::T0211)
           << "expected a static shape for a constant in a file, found " << type;
  std::optional<uint64_t> length = getByteLength(type);
  if (!length)
    return tw::emitOpError(*this, Code::T0210)
           << "has the type " << type << ", whose byte length exceeds 64 bits";
  if (file.getLength() != *length)
    return tw::emitOpError(*this, Code::T0210)
           << "expected a length of " << *length << " bytes in #tgraph.file for " << type
           << ", found " << file.getLength();
  if (!llvm::checkedAddUnsigned(file.getOffset(), file.getLength()))
    return tw::emitOpError(*this, Code::T0210)
           << "expected offset + length below 2^64 in #tgraph.file, found offset "
           << file.getOffset() << ", length " << file.getLength();
  return success();
}

std::optional<uint64_t> graph::getByteLength(RankedTensorType type) {
  uint64_t elements = 1;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t size : type.getShape()) {
    std::optional<uint64_t> product = llvm::checkedMulUnsigned(elements, uint64_t(size));
    if (!product)
      return std::nullopt;
    elements = *product;
  }
  unsigned bits = type.getElementType().isInteger(1) ? 8 : type.getElementTypeBitWidth();
  std::optional<uint64_t> total = llvm::checkedMulUnsigned(elements, uint64_t(bits));
  return total ? std::optional(*total / 8 + (*total % 8 != 0)) : std::nullopt;
}

LogicalResult IotaOp::verify() {
  return ShapeChecker(*this).dims("dim", int64_t(getDim()), getType().getRank());
}

LogicalResult SizeOp::verify() {
  if (getType().getRank() == 0 && getSize().getRank() == 1)
    return success();
  return tw::emitOpError(*this, Code::T0208)
         << "expected one size and a scalar, found " << getSize() << " and " << getType();
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  Dim size = getSize().getShape().front();
  return size.isStatic() ? getSplat(getType(), size.getConstant()) : OpFoldResult();
}

Value graph::broadcast(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> dims,
                       RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  Shape source = *getShape(from);
  Shape aligned(type.getRank(), Dim(1));
  for (auto [dim, size] : llvm::zip_equal(dims, source))
    aligned[dim] = size;
  Type alignedType = getTensorType(aligned, type.getElementType());
  if (alignedType != from)
    value = ReshapeOp::create(builder, loc, alignedType, value);
  return alignedType == type ? value : ExpandOp::create(builder, loc, type, value).getResult();
}

Value graph::splat(OpBuilder &builder, Location loc, RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute attribute;
  if (isa<FloatType>(element))
    attribute = builder.getFloatAttr(element, value);
  else
    attribute = builder.getIntegerAttr(element, APInt(element.getIntOrFloatBitWidth(),
                                                      uint64_t(int64_t(value)),
                                                      /*isSigned=*/true, /*implicitTrunc=*/true));
  if (type.hasStaticShape())
    return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, attribute));
  auto ones = RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1), element);
  Value one = ConstantOp::create(builder, loc, DenseElementsAttr::get(ones, attribute));
  return ExpandOp::create(builder, loc, type, one);
}
