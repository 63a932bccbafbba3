#include "BlockAccess.h"

#include "TileToVector/PartAccess.h"

#include "tw/Dialect/View/Algebra.h"

using namespace mlir;
using namespace tw::host;

static AffineExpr simplifyAddress(AffineExpr expr, unsigned numDims) {
  return tw::view::simplify(AffineMap::get(numDims, 0, expr), SmallVector<int64_t>(numDims, -1))
      .getResult(0);
}

BlockAccess::BlockAccess(AffineMap map, MemRefType memory) : numDims(map.getNumDims()) {
  AffineExpr sum = getAffineConstantExpr(0, map.getContext());
  for (auto [coordinate, stride] : llvm::zip(map.getResults(), stridesOf(memory)))
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
