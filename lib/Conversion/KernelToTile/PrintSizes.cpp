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

/// A coordinate as a value: a scalar where it is the same for the whole tile, else a tile of
/// indices along the dimensions that it differs along, or the data that it is.
FailureOr<Value> TilePrinter::getValue(AffineExpr coordinate, Coordinates &coordinates) {
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
  for (auto [i, operand] : llvm::enumerate(coordinates.operands)) {
    replacements.push_back(builder.getAffineConstantExpr(0));
    if (!coordinate.isFunctionOfDim(rank + i))
      continue;
    if (operand.getType().isIndex()) {
      replacements.back() = builder.getAffineDimExpr(rank + scalars.size());
      scalars.push_back(operand);
    } else if (coordinate == builder.getAffineDimExpr(rank + i)) {
      return operand;
    } else {
      return emitError(coordinates.node.op->getLoc(), Code::T0311)
             << "a coordinate is computed from data, along a dimension whose stride a call "
                "settles: expected it to be the data alone";
    }
  }
  auto map = AffineMap::get(rank + scalars.size(), 0, coordinate.replaceDims(replacements));
  if (!varies) {
    SmallVector<Value> operands(rank, constant(0));
    llvm::append_range(operands, scalars);
    return Value(affine::AffineApplyOp::create(builder, location, map, operands));
  }
  auto type = RankedTensorType::get(shape, builder.getIndexType());
  return tile::IndexOp::create(builder, location, type, scalars, map).getResult();
}

/// A scalar in all points of a tile of indices; as it is beside a scalar.
Value TilePrinter::spreadAs(Value scalar, Value other) {
  auto type = dyn_cast<RankedTensorType>(other.getType());
  if (!type)
    return scalar;
  auto map = AffineMap::get(type.getRank() + 1, 0, builder.getAffineDimExpr(type.getRank()),
                            builder.getContext());
  return tile::IndexOp::create(builder, location, type, scalar, map);
}

/// The coordinate times a value.
FailureOr<AffineExpr> TilePrinter::getProduct(AffineExpr coordinate, Value stride,
                                              Coordinates &coordinates) {
  FailureOr<Value> at = getValue(coordinate, coordinates);
  if (failed(at))
    return failure();
  return addOperand(arith::MulIOp::create(builder, location, *at, spreadAs(stride, *at)),
                    coordinates);
}

/// The axis of that size that the coordinate is, which tiles go beyond there or do not.
std::optional<unsigned> TilePrinter::findAxis(AffineExpr coordinate, const Dim &size, bool isPadded,
                                              const Coordinates &coordinates) {
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    if (coordinates.scope.padded[axis] != isPadded || kernel.getSize(axis) != size)
      continue;
    Coordinates own(coordinates);
    AffineExpr apart = getAxisExpr(axis, own) - coordinate;
    unsigned dims = coordinates.scope.getTileRank() + own.operands.size();
    if (simplifyAffineExpr(apart, dims, 0) == builder.getAffineConstantExpr(0))
      return axis;
  }
  return std::nullopt;
}

/// Whether the coordinate ends where the dimension does: it is an axis of that size that tiles do
/// not go beyond there, or the quotient of one that has as many times more points (a merged one).
bool TilePrinter::isInside(AffineExpr coordinate, const Dim &size, const Coordinates &coordinates) {
  if (findAxis(coordinate, size, /*isPadded=*/false, coordinates))
    return true;
  auto quotient = dyn_cast<AffineBinaryOpExpr>(coordinate);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv || size.isStatic())
    return false;
  auto by = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  return by && by.getValue() > 0 &&
         findAxis(quotient.getLHS(), size * by.getValue(), /*isPadded=*/false, coordinates);
}

/// Whether a load may read the last point again in place of those beyond the size of a dimension,
/// an axis: who sums or stores them leaves them out, and a minimum for each row is less than
/// comparisons in each access. What lies together in memory is masked, as are lanes unless the tile
/// is transposed: they are read as vectors.
bool TilePrinter::isClamped(const OpenMap &map, size_t dimension, const Dim &size,
                            const Coordinates &coordinates) {
  const Shape &shape = coordinates.node.shape;
  unsigned lanes = coordinates.scope.getTileRank() - 1;
  auto isAlong = [&](AffineExpr coordinate, unsigned dim) {
    return shape[dim] != 1 && coordinate.isFunctionOfDim(dim);
  };
  AffineExpr coordinate = map.results[dimension], together = map.results.back();
  auto rows = llvm::seq<unsigned>(0, lanes);
  auto isAlongRow = [&](AffineExpr expr) {
    return llvm::any_of(rows, [&](unsigned dim) { return isAlong(expr, dim); });
  };
  bool isTransposed = isAlongRow(together) && !isAlong(together, lanes);
  bool isRead = dimension + 1 == map.results.size() ? isAlongRow(coordinate) && shape[lanes] != 1
                                                    : isAlong(coordinate, lanes) && !isTransposed;
  if (isRead || (dimension + 1 == map.results.size() && isAlong(coordinate, lanes)))
    return false;
  if (coordinates.node.kind != NodeKind::Load || plan.warps || size.isStatic())
    return false;
  std::optional<unsigned> axis = findAxis(coordinate, size, /*isPadded=*/true, coordinates);
  // There is a last point where programs or iterations are as many as the axis fills; what a team
  // shares are as many as of the largest size.
  return axis && llvm::any_of(llvm::enumerate(plan.leaves), [&](auto it) {
           LeafIndex::From from = coordinates.scope.indices[it.index()].from;
           return it.value().axis == *axis && it.value().symbolic &&
                  !llvm::is_contained(plan.team, unsigned(it.index())) &&
                  (from == LeafIndex::From::Program || from == LeafIndex::From::Loop);
         });
}

FailureOr<AffineExpr> TilePrinter::clamp(AffineExpr coordinate, const Dim &size,
                                         Coordinates &coordinates) {
  FailureOr<Value> at = getValue(coordinate, coordinates);
  if (failed(at))
    return failure();
  auto last = AffineMap::get(1, 0, builder.getAffineDimExpr(0) - 1);
  Value most = affine::AffineApplyOp::create(builder, location, last, getSize(size));
  return addOperand(arith::MinSIOp::create(builder, location, *at, spreadAs(most, *at)),
                    coordinates);
}

/// The coordinates of a tensor whose sizes a call settles as one address, and its ends as guards.
LogicalResult TilePrinter::makeLinear(RankedTensorType tensor, OpenMap &map,
                                      Coordinates &coordinates) {
  SmallVector<Dim, 4> dims = view::getSizes(tensor);
  TypedAttr fill =
      map.outside ? map.outside
                  : cast<TypedAttr>(builder.getZeroAttr(getScalarType(tensor.getElementType())));
  for (auto [dim, size] : llvm::enumerate(dims)) {
    AffineExpr &coordinate = map.results[dim];
    if (isInside(coordinate, size, coordinates))
      continue;
    if (isClamped(map, dim, size, coordinates)) {
      FailureOr<AffineExpr> clamped = clamp(coordinate, size, coordinates);
      if (failed(clamped))
        return failure();
      coordinate = *clamped;
      continue;
    }
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
