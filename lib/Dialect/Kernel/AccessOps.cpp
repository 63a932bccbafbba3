// Loads and stores of points: syntax and verifiers.
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/WindowLoad.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Whether `%x[expressions of indices]` says all there is: no guards and every index is used.
bool isPlain(AffineMap map, bool hasGuards) {
  if (hasGuards)
    return false;
  llvm::SmallBitVector used(map.getNumDims());
  map.walkExprs([&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      used.set(dim.getPosition());
  });
  return used.all();
}

} // namespace

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!source)
    return failure();
  types.push_back(getScalarType(source.getElementType()));
  return success();
}

// %x[%i, %j - 1] else 0.0 : tensor<..>   or   %x through #tview.map<..>(%i, %j) : tensor<..>
ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  view::MapAttr map;
  RankedTensorType type;
  SMLoc fillLoc;
  AffineMap plain;
  TypedAttr fill;
  if (parser.parseOperand(source))
    return failure();
  // The fill's type is that of the tensor's elements, which comes last: kept as text position.
  std::optional<double> floatFill;
  std::optional<APInt> integerFill;
  SMLoc indicesLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("through"))) {
    if (parser.parseAttribute(map) ||
        parser.parseOperandList(indices, OpAsmParser::Delimiter::Paren))
      return failure();
  } else {
    if (parser.parseLSquare())
      return failure();
    SmallVector<AffineExpr> exprs;
    SmallVector<OpAsmParser::UnresolvedOperand> dims, symbols;
    auto parseExpr = [&]() -> ParseResult {
      SmallVector<OpAsmParser::UnresolvedOperand> d, s;
      AffineExpr expr;
      if (parser.parseAffineExprOfSSAIds(d, s, expr))
        return failure();
      // Each expression numbers its own operands; renumber onto the common list.
      SmallVector<AffineExpr> onto;
      for (auto &operand : d) {
        auto *it = llvm::find_if(
            indices, [&](auto &o) { return o.name == operand.name && o.number == operand.number; });
        onto.push_back(parser.getBuilder().getAffineDimExpr(it - indices.begin()));
        if (it == indices.end())
          indices.push_back(operand);
      }
      if (!s.empty())
        return parser.emitError(parser.getCurrentLocation(), "expected no symbols in indices");
      exprs.push_back(expr.replaceDims(onto));
      return success();
    };
    if (failed(parser.parseOptionalRSquare()) &&
        (parser.parseCommaSeparatedList(parseExpr) || parser.parseRSquare()))
      return failure();
    plain = AffineMap::get(indices.size(), 0, exprs, parser.getContext());
    if (succeeded(parser.parseOptionalKeyword("else"))) {
      APInt integer;
      double real;
      fillLoc = parser.getCurrentLocation();
      bool isNegative = succeeded(parser.parseOptionalMinus());
      OptionalParseResult whole = parser.parseOptionalInteger(integer);
      if (whole.has_value()) {
        if (failed(*whole))
          return failure();
        integerFill = isNegative ? -integer : integer;
      } else {
        if (parser.parseFloat(real))
          return failure();
        floatFill = isNegative ? -real : real;
      }
    }
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  if (!map) {
    Type scalar = getScalarType(type.getElementType());
    if (auto floating = dyn_cast<FloatType>(scalar)) {
      // An integer literal may stand for the bits of a float, as 0xFF800000 for -inf.
      if (floatFill)
        fill = FloatAttr::get(scalar, *floatFill);
      else if (integerFill)
        fill = FloatAttr::get(scalar, APFloat(floating.getFloatSemantics(),
                                              integerFill->sextOrTrunc(floating.getWidth())));
    } else if (integerFill) {
      fill = IntegerAttr::get(scalar, integerFill->sextOrTrunc(scalar.getIntOrFloatBitWidth()));
    } else if (floatFill) {
      return parser.emitError(fillLoc, "expected an integer fill for elements of type ") << scalar;
    }
    map = view::MapAttr::getChecked([&] { return parser.emitError(indicesLoc); }, plain,
                                    ArrayRef<view::GuardAttr>(), fill);
    if (!map)
      return failure();
  }
  result.getOrAddProperties<Properties>().map = map;
  result.addTypes(getScalarType(type.getElementType()));
  return failure(
      parser.resolveOperand(source, type, result.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getIndexType(), result.operands));
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSource();
  view::MapAttr map = getMap();
  if (isPlain(map.getMap(), map.hasGuards())) {
    printer << '[';
    printer.printAffineMapOfSSAIds(AffineMapAttr::get(map.getMap()), getIndices());
    printer << ']';
    if (TypedAttr fill = map.getOutside()) {
      printer << " else ";
      if (auto real = dyn_cast<FloatAttr>(fill); real && !real.getValue().isFinite()) {
        SmallString<32> text;
        real.getValue().bitcastToAPInt().toStringUnsigned(text, 16);
        printer << "0x" << text;
      } else {
        printer.printAttributeWithoutType(fill);
      }
    }
  } else {
    printer << " through " << map << '(' << getIndices() << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map"});
  printer << " : " << getSource().getType();
}

/// Where a call settles the size of a dimension, the axis along which a result is stored has that
/// size. One along which a tensor is read is not as long as the size is at most, unless it is a
/// window's, or a result is stored along it: what is joined of two sizes may be one number.
template <typename Access>
static LogicalResult verifySizes(Access access, AffineMap map, RankedTensorType type) {
  if (!view::hasSymbols(type))
    return success();
  auto kernel = access->template getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  for (auto [i, coordinate, size] : llvm::enumerate(map.getResults(), view::getSizes(type))) {
    auto dim = dyn_cast<AffineDimExpr>(coordinate);
    if (size.isStatic() || !dim)
      continue;
    auto axis = dyn_cast<BlockArgument>(access.getIndices()[dim.getPosition()]);
    if (!axis || axis.getArgNumber() >= kernel.getNumAxes())
      continue;
    Dim own = kernel.getSize(axis.getArgNumber());
    auto isStored = [&] {
      return llvm::any_of(axis.getUsers(), [](Operation *user) { return isa<StoreOp>(user); });
    };
    bool mayDiffer =
        isa<LoadOp>(access) && (!own.isStatic() || own.getConstant() != type.getDimSize(i) ||
                                access->hasAttr(windowAttrName) || isStored());
    if (own != size && !mayDiffer)
      return access.emitOpError("expected axis '")
             << kernel.getAxisName(axis.getArgNumber()) << "' to have the size " << toString(size)
             << " of dimension " << i << " of " << type << ", found " << toString(own);
  }
  return success();
}

/// One index for each dimension of the map, one coordinate for each of the tensor.
template <typename Access>
static LogicalResult verifyRank(Access access, AffineMap map, RankedTensorType type) {
  if (map.getNumDims() != access.getIndices().size())
    return access.emitOpError("expected one index per dimension of the map, ")
           << map.getNumDims() << ", found " << access.getIndices().size();
  if (map.getNumResults() != type.getRank())
    return access.emitOpError("expected one coordinate per dimension of ")
           << type << ", " << type.getRank() << ", found " << map.getNumResults();
  return success();
}

template <typename Access>
static LogicalResult verifyCoordinates(Access access, AffineMap map, RankedTensorType type) {
  return failure(failed(verifyRank(access, map, type)) || failed(verifySizes(access, map, type)));
}

LogicalResult LoadOp::verify() {
  auto type = cast<RankedTensorType>(getSource().getType());
  AffineMap map = getMap().getMap();
  if (failed(verifyCoordinates(*this, map, type)))
    return failure();
  Type scalar = getScalarType(type.getElementType());
  if (getResult().getType() != scalar)
    return emitOpError("expected a result of type ")
           << scalar << ", found " << getResult().getType();
  if (!getMap().hasFillType(scalar))
    return emitOpError("expected the fills of its map to have type ")
           << scalar << ", found " << getMap();
  return success();
}

// %v, 0[%i, 2 * %j] : f32
// %v, 0[%i, %j] at (%p, %z) into %old : f32, tensor<4x8xf32>
// addf %v, 0[0, %j] at (%p, %z) into %old : f32, tensor<4x8xf32>
ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  SmallVector<OpAsmParser::UnresolvedOperand> indices, offsets, into;
  int64_t number;
  Attribute parsed;
  Type type;
  SmallVector<Type> updated;
  NamedAttrList scratch;
  StringRef kind;
  SMLoc start = parser.getCurrentLocation();
  std::optional<arith::AtomicRMWKind> combine;
  if (succeeded(parser.parseOptionalKeyword(&kind)) &&
      !(combine = arith::symbolizeAtomicRMWKind(kind)))
    return parser.emitError(start, "expected a kind of combination, found '") << kind << "'";
  if (parser.parseOperand(value) || parser.parseComma() || parser.parseInteger(number) ||
      parser.parseAffineMapOfSSAIds(indices, parsed, "map", scratch))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at")) &&
      (parser.parseOperandList(offsets, OpAsmParser::Delimiter::Paren) ||
       parser.parseKeyword("into") || parser.parseOperand(into.emplace_back())))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      (!into.empty() && (parser.parseComma() || parser.parseType(updated.emplace_back()))))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.map = cast<AffineMapAttr>(parsed);
  properties.result_number = parser.getBuilder().getI64IntegerAttr(number);
  if (combine)
    properties.combine = arith::AtomicRMWKindAttr::get(parser.getContext(), *combine);
  properties.setOperandSegmentSizes(
      {1, int32_t(indices.size()), int32_t(offsets.size()), int32_t(into.size())});
  Type index = parser.getBuilder().getIndexType();
  return failure(parser.resolveOperand(value, type, result.operands) ||
                 parser.resolveOperands(indices, index, result.operands) ||
                 parser.resolveOperands(offsets, index, result.operands) ||
                 parser.resolveOperands(into, updated, parser.getNameLoc(), result.operands));
}

void StoreOp::print(OpAsmPrinter &printer) {
  if (getCombine())
    printer << ' ' << arith::stringifyAtomicRMWKind(*getCombine());
  printer << ' ' << getValue() << ", " << getResultNumber() << '[';
  printer.printAffineMapOfSSAIds(getMapAttr(), getIndices());
  printer << ']';
  if (getInto())
    printer << " at (" << getOffsets() << ") into " << getInto();
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"map", "result_number", "combine", getOperandSegmentSizesAttrName()});
  printer << " : " << getValue().getType();
  if (getInto())
    printer << ", " << getInto().getType();
}

/// What a store that updates has beside others: an operand of the kernel that is not read, of the
/// result's type but for sizes that a call settles, and an offset for each dimension.
static LogicalResult verifyUpdate(StoreOp store, KernelOp kernel, RankedTensorType type) {
  auto updated = dyn_cast<BlockArgument>(store.getInto());
  if (!updated || updated.getOwner() != &kernel.getBody().front())
    return store.emitOpError("expected to update an operand of the kernel");
  auto old = cast<RankedTensorType>(updated.getType());
  if (old.getElementType() != type.getElementType() || old.getRank() != type.getRank() ||
      view::getStorageSizes(old) != view::getStorageSizes(type))
    return store.emitOpError("expected to update a tensor that lies in memory as the result ")
           << type << " does, found " << old;
  if (store.getOffsets().size() != size_t(type.getRank()))
    return store.emitOpError("expected one offset per dimension of ")
           << type << ", " << type.getRank() << ", found " << store.getOffsets().size();
  for (Operation *user : updated.getUsers())
    if (auto other = dyn_cast<StoreOp>(user);
        !other || other.getResultNumber() != store.getResultNumber())
      return user->emitOpError("uses what a store updates: expected stores to result ")
             << store.getResultNumber() << " alone";
  AxisSets sets(kernel);
  for (auto [i, offset] : llvm::enumerate(store.getOffsets()))
    if (sets.of(offset).any() && store.getMap().getResult(i) != 0)
      return store.emitOpError("expected coordinate 0 of dimension ")
             << i << ", whose offset varies along axes, found " << store.getMapAttr();
  return success();
}

LogicalResult StoreOp::verify() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("expected to be directly in a tkernel.kernel");
  if (getResultNumber() >= kernel->getNumResults())
    return success(); // reported by the kernel
  auto type = cast<RankedTensorType>(kernel.getResult(getResultNumber()).getType());
  AffineMap map = getMap();
  if (!view::hasPositiveDivisors(map))
    return emitOpError("expected divisors above 0 in ") << getMapAttr();
  if (failed(getInto() ? verifyRank(*this, map, type) : verifyCoordinates(*this, map, type)))
    return failure();
  if (getInto() ? failed(verifyUpdate(*this, kernel, type)) : !getOffsets().empty())
    return getInto() ? failure() : emitOpError("expected offsets where it updates alone");
  if (getCombine() && !getInto())
    return emitOpError("expected to combine with what it updates: name an operand");
  if (getValue().getType() != getScalarType(type.getElementType()))
    return emitOpError("expected a value of type ")
           << getScalarType(type.getElementType()) << ", found " << getValue().getType();
  int64_t points = 1;
  for (Value index : getIndices()) {
    auto axis = dyn_cast<BlockArgument>(index);
    if (!axis || axis.getOwner() != &kernel.getBody().front())
      return emitOpError("expected axes of the kernel as indices");
    points *= kernel.getExtents()[axis.getArgNumber()];
  }
  if (type.hasStaticShape() && points != type.getNumElements() && !isPiece(*this))
    return emitOpError("expected the points of its axes to be the ")
           << type.getNumElements() << " elements of " << type << ", found " << points;
  return success();
}

#define GET_OP_CLASSES
#include "tw/Dialect/Kernel/AccessOps.cpp.inc"
