// Accesses to memory and to coordinates: syntax and verifiers.
#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tw;
using namespace tw::tile;

namespace {

/// Operands after a map: `(%i, %t : index, tensor<1x16xindex>)`, types left out when all are index.
ParseResult parseIndices(OpAsmParser &parser,
                         SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                         SmallVectorImpl<Type> &types) {
  if (parser.parseLParen())
    return failure();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  if (parser.parseOperandList(indices))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseTypeList(types))
      return failure();
  } else {
    types.assign(indices.size(), parser.getBuilder().getIndexType());
  }
  return parser.parseRParen();
}

void printIndices(OpAsmPrinter &printer, ValueRange indices) {
  printer << '(' << indices;
  if (llvm::any_of(indices.getTypes(), [](Type type) { return !type.isIndex(); }))
    printer << " : " << indices.getTypes();
  printer << ')';
}

Type getScalar(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

LogicalResult verifyAccess(Operation *op, MemRefType memory, RankedTensorType tile,
                           ValueRange indices, view::MapAttr map,
                           std::optional<ArrayRef<bool>> inBounds) {
  if (map.getNumDims() != tile.getRank() + indices.size())
    return op->emitOpError(
               "expected a map with one dimension per dimension of the tile and index, ")
           << tile.getRank() + indices.size() << ", found " << map.getNumDims();
  if (map.getNumResults() != memory.getRank())
    return op->emitOpError("expected one coordinate per dimension of ")
           << memory << ", " << memory.getRank() << ", found " << map.getNumResults();
  if (tile.getElementType() != getScalar(memory.getElementType()))
    return op->emitOpError("expected a tile of ")
           << getScalar(memory.getElementType()) << ", found " << tile;
  if (!map.hasFillType(tile.getElementType()))
    return op->emitOpError("expected the fills of its map to have type ")
           << tile.getElementType() << ", found " << map;
  if (inBounds && static_cast<int64_t>(inBounds->size()) != memory.getRank())
    return op->emitOpError("expected in_bounds for ")
           << memory.getRank() << " dimensions, found " << inBounds->size();
  for (Value index : indices) {
    auto type = dyn_cast<RankedTensorType>(index.getType());
    if (!type)
      continue;
    if (type.getRank() != tile.getRank())
      return op->emitOpError("expected index tiles of rank ")
             << tile.getRank() << ", found " << type;
    for (auto [extent, full] : llvm::zip(type.getShape(), tile.getShape()))
      if (extent != 1 && extent != full)
        return op->emitOpError("expected index tiles with extents of the tile or 1, found ")
               << type;
  }
  return success();
}

} // namespace

// %x through #tview.map<..>(%i) {in_bounds = ..} : memref<..> -> tensor<..>
ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  SmallVector<Type> types;
  view::MapAttr map;
  Type sourceType, resultType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(source) || parser.parseKeyword("through") || parser.parseAttribute(map) ||
      parseIndices(parser, indices, types) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(sourceType) || parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(source, sourceType, result.operands) ||
      parser.resolveOperands(indices, types, loc, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().map = map;
  result.addTypes(resultType);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource() << " through " << getMap();
  printIndices(printer, getIndices());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map"});
  printer << " : " << getSource().getType() << " -> " << getResult().getType();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, cast<MemRefType>(getSource().getType()),
                      cast<RankedTensorType>(getResult().getType()), getIndices(), getMap(),
                      getInBounds());
}

// %t, %y through #tview.map<..>(%i) : tensor<..> -> memref<..>
ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value, destination;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  SmallVector<Type> types;
  view::MapAttr map;
  Type valueType, destinationType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(value) || parser.parseComma() || parser.parseOperand(destination) ||
      parser.parseKeyword("through") || parser.parseAttribute(map) ||
      parseIndices(parser, indices, types) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(valueType) || parser.parseArrow() ||
      parser.parseType(destinationType) ||
      parser.resolveOperand(value, valueType, result.operands) ||
      parser.resolveOperand(destination, destinationType, result.operands) ||
      parser.resolveOperands(indices, types, loc, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().map = map;
  return success();
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << ", " << getDestination() << " through " << getMap();
  printIndices(printer, getIndices());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map"});
  printer << " : " << getValue().getType() << " -> " << getDestination().getType();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, cast<MemRefType>(getDestination().getType()),
                      cast<RankedTensorType>(getValue().getType()), getIndices(), getMap(),
                      getInBounds());
}

LogicalResult IndexOp::verify() {
  unsigned rank = cast<RankedTensorType>(getResult().getType()).getRank();
  if (getMap().getNumDims() != rank + getIndices().size() || getMap().getNumResults() != 1)
    return emitOpError("expected a map from ")
           << rank + getIndices().size() << " dimensions to 1 result, found " << getMapAttr();
  return success();
}

LogicalResult InsideOp::verify() {
  unsigned rank = cast<RankedTensorType>(getResult().getType()).getRank();
  if (getSet().getNumDims() != rank + getIndices().size())
    return emitOpError("expected a set of ")
           << rank + getIndices().size() << " dimensions, found " << getSet().getNumDims();
  return success();
}

#define GET_OP_CLASSES
#include "tw/Dialect/Tile/AccessOps.cpp.inc"
