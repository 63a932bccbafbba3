#include "BlockAccess.h"

#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::host;

static AffineExpr simplifyAddress(AffineExpr expr, unsigned numDims) {
  return tw::view::simplify(AffineMap::get(numDims, 0, expr), SmallVector<int64_t>(numDims, -1))
      .getResult(0);
}

BlockAccess::BlockAccess(AffineMap map, MemRefType memory) : numDims(map.getNumDims()) {
  AffineExpr sum = getAffineConstantExpr(0, map.getContext());
  for (auto [coordinate, stride] : llvm::zip(map.getResults(), memory.getStridesAndOffset().first))
    sum = sum + coordinate * stride;
  // What coordinates take apart that lies together in memory, the address has together.
  address = simplifyAddress(sum, numDims);
}

std::optional<int64_t> BlockAccess::getDistance(unsigned dim, int64_t points) const {
  AffineExpr at = getAffineDimExpr(dim, address.getContext());
  AffineExpr apart = simplifyAffineExpr(
      simplifyAddress(address.replace(at, at + points), numDims) - address, numDims, 0);
  auto elements = dyn_cast<AffineConstantExpr>(apart);
  return elements ? std::optional(elements.getValue()) : std::nullopt;
}

AffineExpr BlockAccess::getAddress(ArrayRef<int64_t> point) const {
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < numDims; ++d)
    dims.push_back(d < point.size() ? getAffineConstantExpr(point[d], address.getContext())
                                    : getAffineDimExpr(d, address.getContext()));
  return simplifyAddress(address.replaceDims(dims), numDims);
}

std::optional<int64_t> BlockAccess::getDistanceFromBegin(unsigned dim, int64_t points) const {
  SmallVector<int64_t> begin(3, 0), point(3, 0);
  point[dim] = points;
  AffineExpr apart = simplifyAffineExpr(getAddress(point) - getAddress(begin), numDims, 0);
  auto elements = dyn_cast<AffineConstantExpr>(apart);
  return elements ? std::optional(elements.getValue()) : std::nullopt;
}

/// An index as a function of the loop's index, dimension 0, and of values outside of the loop.
static bool expandIndex(scf::ForOp loop, Value index, AffineExpr &expr,
                        SmallVectorImpl<Value> &operands) {
  MLIRContext *context = loop.getContext();
  if (index == loop.getInductionVar()) {
    expr = getAffineDimExpr(0, context);
    return true;
  }
  if (!index.getType().isIndex())
    return false;
  if (loop.isDefinedOutsideOfLoop(index)) {
    operands.push_back(index);
    expr = getAffineDimExpr(operands.size(), context);
    return true;
  }
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getAffineMap().getNumSymbols() != 0)
    return false;
  SmallVector<AffineExpr> inner(apply.getOperands().size());
  for (auto [operand, part] : llvm::zip(apply.getOperands(), inner))
    if (!expandIndex(loop, operand, part, operands))
      return false;
  expr = apply.getAffineMap().getResult(0).replaceDims(inner);
  return true;
}

std::optional<LoopAccess> tw::host::getAccess(scf::ForOp loop, unsigned rank, view::MapAttr map,
                                              ValueRange indices) {
  LoopAccess access;
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < rank; ++d)
    dims.push_back(getAffineDimExpr(d, loop.getContext()));
  for (Value index : indices) {
    AffineExpr expr;
    if (!expandIndex(loop, index, expr, access.operands))
      return std::nullopt;
    dims.push_back(expr.shiftDims(1 + access.operands.size(), rank));
  }
  access.map = map.getMap().replaceDimsAndSymbols(dims, {}, rank + 1 + access.operands.size(), 0);
  return access;
}

tw::view::MapAttr LoopAccess::join(ArrayRef<int64_t> shape, unsigned dim, int64_t points,
                                   TypedAttr outside) const {
  unsigned rank = shape.size();
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    dims.push_back(getAffineDimExpr(d, map.getContext()));
  AffineExpr point = dims[dim];
  dims[dim] = point % points;
  dims[rank] = dims[rank] + point.floorDiv(points);
  AffineMap joined = map.replaceDimsAndSymbols(dims, {}, map.getNumDims(), 0);
  SmallVector<int64_t> extents(shape);
  extents.resize(map.getNumDims(), -1);
  return view::MapAttr::get(view::simplify(joined, extents), {}, outside);
}
