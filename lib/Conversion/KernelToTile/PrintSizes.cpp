// Sizes that a call settles, and tensors that have them.
//
// A buffer of such a tensor is one row. Its coordinates become one address, in which strides that
// the sizes make are values; where it ends is said by guards. So all that follows sees maps with
// constant coefficients, and no other kind of memory.
#include "TilePrinter.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

TilePrinter::OpenMap::OpenMap(view::MapAttr map)
    : results(map.getMap().getResults()), outside(map.getOutside()) {
  for (view::GuardAttr guard : map.getGuards())
    guards.push_back({SmallVector<AffineExpr>(guard.getSet().getConstraints()),
                      SmallVector<bool>(guard.getSet().getEqFlags()), guard.getFill()});
}

MemRefType TilePrinter::getBufferType(RankedTensorType tensor) {
  if (!view::hasSymbols(tensor))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return MemRefType::get({ShapedType::getNumElements(view::getStorageShape(tensor))},
                         tensor.getElementType());
}

DenseBoolArrayAttr TilePrinter::getInBounds(RankedTensorType tensor) {
  return view::hasSymbols(tensor) ? builder.getDenseBoolArrayAttr({true}) : DenseBoolArrayAttr();
}

/// Adds the symbols of the kernel to the program, and says how many programs there are.
void TilePrinter::addSymbols() {
  symbols = kernel::getSymbols(kernel);
  if (symbols.empty())
    return;
  SmallVector<Dim> gridSizes;
  SmallVector<int64_t> gridSteps;
  for (unsigned leaf : plan.grid) {
    const LeafAxis &own = plan.leaves[leaf];
    gridSizes.push_back(own.symbolic ? kernel.getSize(own.axis) : Dim(own.extent));
    gridSteps.push_back(own.symbolic ? own.stride : 1);
  }
  SmallVector<int64_t> limits;
  for (StringAttr symbol : symbols)
    limits.push_back(kernel::getMost(kernel, symbol).value_or(-1));
  func.setSymbols(symbols, limits, gridSizes, gridSteps);
  SmallVector<Attribute> bufferSizes;
  for (Type type : getBufferTensors())
    bufferSizes.push_back(view::hasSymbols(type) ? cast<RankedTensorType>(type).getEncoding()
                                                 : builder.getUnitAttr());
  func.setBufferSizesAttr(builder.getArrayAttr(bufferSizes));
}

Value TilePrinter::getSize(const Dim &size) {
  for (auto &[known, value] : sizes)
    if (known == size)
      return value;
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block &entry = func.getBody().front();
  if (sizes.empty())
    builder.setInsertionPointToStart(&entry);
  else
    builder.setInsertionPointAfter(sizes.back().second.getDefiningOp());
  AffineExpr sum = builder.getAffineConstantExpr(size.getConstant());
  SmallVector<Value> operands;
  for (auto [name, factor] : size.getTerms()) {
    sum = sum + builder.getAffineDimExpr(operands.size()) * factor;
    operands.push_back(func.getSymbol(llvm::find(symbols, name) - symbols.begin()));
  }
  Value value = affine::AffineApplyOp::create(builder, location,
                                              AffineMap::get(operands.size(), 0, sum), operands);
  sizes.push_back({size, value});
  return value;
}

AffineExpr TilePrinter::addOperand(Value operand, Coordinates &coordinates) {
  auto *it = llvm::find(coordinates.operands, operand);
  unsigned position = it - coordinates.operands.begin();
  if (it == coordinates.operands.end()) {
    coordinates.operands.push_back(operand);
    coordinates.leaves.push_back(-1);
  }
  return builder.getAffineDimExpr(coordinates.scope.getTileRank() + position);
}

AffineExpr TilePrinter::getSizeExpr(const Dim &size, Coordinates &coordinates) {
  AffineExpr sum = builder.getAffineConstantExpr(size.getConstant());
  for (auto [name, factor] : size.getTerms())
    sum =
        sum + addOperand(func.getSymbol(llvm::find(symbols, name) - symbols.begin()), coordinates) *
                  factor;
  return sum;
}

/// The coordinate times a value: a scalar where it is the same for the whole tile, else an index
/// for each of its points.
FailureOr<AffineExpr> TilePrinter::getProduct(AffineExpr coordinate, Value stride,
                                              Coordinates &coordinates) {
  unsigned rank = coordinates.scope.getTileRank();
  SmallVector<Value> scalars;
  SmallVector<AffineExpr> replacements;
  Shape shape(rank, 1);
  bool varies = false;
  for (unsigned dim = 0; dim < rank; ++dim) {
    replacements.push_back(builder.getAffineDimExpr(dim));
    if (!coordinate.isFunctionOfDim(dim))
      continue;
    shape[dim] = coordinates.node.shape[dim];
    varies |= shape[dim] != 1;
  }
  Value data;
  for (auto [i, operand] : llvm::enumerate(coordinates.operands)) {
    replacements.push_back(builder.getAffineConstantExpr(0));
    if (!coordinate.isFunctionOfDim(rank + i))
      continue;
    if (!operand.getType().isIndex()) {
      data = operand;
      continue;
    }
    replacements.back() = builder.getAffineDimExpr(rank + scalars.size());
    scalars.push_back(operand);
  }
  if (data &&
      coordinate != builder.getAffineDimExpr(rank + (llvm::find(coordinates.operands, data) -
                                                     coordinates.operands.begin())))
    return emitError(coordinates.node.op->getLoc(), Code::T0311)
           << "a coordinate is computed from data, along a dimension whose stride a call settles: "
              "expected it to be the data alone";
  auto map = AffineMap::get(rank + scalars.size(), 0, coordinate.replaceDims(replacements));
  if (!varies && !data) {
    SmallVector<Value> operands(rank, constant(0));
    llvm::append_range(operands, scalars);
    Value at = affine::AffineApplyOp::create(builder, location, map, operands);
    return addOperand(arith::MulIOp::create(builder, location, at, stride), coordinates);
  }
  if (data)
    shape = Shape(cast<RankedTensorType>(data.getType()).getShape());
  auto type = RankedTensorType::get(shape, builder.getIndexType());
  Value at = data ? data : tile::IndexOp::create(builder, location, type, scalars, map).getResult();
  Value factor = tile::IndexOp::create(
      builder, location, type, stride,
      AffineMap::get(rank + 1, 0, builder.getAffineDimExpr(rank), builder.getContext()));
  return addOperand(arith::MulIOp::create(builder, location, at, factor), coordinates);
}

/// Whether the coordinate is an axis of that size, which no tile goes beyond there.
bool TilePrinter::isWithin(AffineExpr coordinate, const Dim &size, const Coordinates &coordinates) {
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    if (coordinates.scope.padded[axis] || kernel.getSize(axis) != size)
      continue;
    Coordinates own(coordinates);
    AffineExpr apart = getAxisExpr(axis, own) - coordinate;
    unsigned dims = coordinates.scope.getTileRank() + own.operands.size();
    if (simplifyAffineExpr(apart, dims, 0) == builder.getAffineConstantExpr(0))
      return true;
  }
  return false;
}

/// The coordinates of a tensor whose sizes a call settles as one address, and its ends as guards.
LogicalResult TilePrinter::makeLinear(RankedTensorType tensor, OpenMap &map,
                                      Coordinates &coordinates) {
  SmallVector<Dim, 4> dims = view::getSizes(tensor);
  TypedAttr fill =
      map.outside ? map.outside
                  : cast<TypedAttr>(builder.getZeroAttr(getScalarType(tensor.getElementType())));
  for (auto [coordinate, size] : llvm::zip(map.results, dims)) {
    if (isWithin(coordinate, size, coordinates))
      continue;
    map.require(coordinate, fill);
    map.require(getSizeExpr(size, coordinates) - 1 - coordinate, fill);
  }
  AffineExpr address = builder.getAffineConstantExpr(0);
  SmallVector<Dim, 4> storage = view::getStorageSizes(tensor);
  int64_t known = 1; // the stride is that times `settled`
  Value settled;
  for (int64_t dim = int64_t(dims.size()) - 1; dim >= 0; --dim) {
    AffineExpr coordinate = map.results[dim];
    FailureOr<AffineExpr> scaled = coordinate;
    if (settled && coordinate != builder.getAffineConstantExpr(0))
      scaled = getProduct(coordinate, settled, coordinates);
    if (failed(scaled))
      return failure();
    address = address + *scaled * known;
    if (storage[dim].isStatic()) {
      known *= storage[dim].getConstant();
    } else {
      Value size = getSize(storage[dim]);
      settled =
          settled ? arith::MulIOp::create(builder, location, settled, size).getResult() : size;
    }
  }
  map.results = {address};
  return success();
}

FailureOr<view::MapAttr> TilePrinter::getTensorMap(RankedTensorType tensor, OpenMap map,
                                                   Coordinates &coordinates) {
  if (view::hasSymbols(tensor) && failed(makeLinear(tensor, map, coordinates)))
    return failure();
  unsigned dims = coordinates.scope.getTileRank() + coordinates.operands.size();
  SmallVector<view::GuardAttr> guards;
  for (const OpenMap::Guard &guard : map.guards)
    guards.push_back(view::GuardAttr::get(
        builder.getContext(), IntegerSet::get(dims, 0, guard.constraints, guard.isEquality),
        guard.fill));
  return view::MapAttr::get(getMap(coordinates, map.results), guards, map.outside);
}
