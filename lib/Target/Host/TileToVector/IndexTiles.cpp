// Scalars out of tiles of indices: computed again where that is a sum, a product or a minimum of
// coordinates, else taken out of vectors.
#include "IndexTiles.h"

#include "LaneMaps.h"
#include "Transpose.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::host;

/// The extent of a tile of indices along the dimension; 1 for what is no tile.
static int64_t getExtentAlong(Type index, int64_t dim) {
  auto tile = dyn_cast<RankedTensorType>(index);
  return tile ? tile.getDimSize(dim) : 1;
}

bool tw::host::areConstantAlong(ValueRange indices, int64_t dim) {
  return llvm::all_of(indices.getTypes(),
                      [&](Type type) { return getExtentAlong(type, dim) == 1; });
}

/// The point of a tile of indices, computed as a scalar; null if that is no sum, product or
/// minimum.
static Value computePoint(ConversionPatternRewriter &rewriter, Location location, Value tile,
                          ArrayRef<int64_t> at) {
  if (auto index = tile.getDefiningOp<tw::tile::IndexOp>()) {
    Part part{SmallVector<int64_t>(at)};
    SmallVector<Value> operands;
    for (Value operand : index.getIndices()) {
      Value scalar = operand.getType().isIndex() ? rewriter.getRemappedValue(operand) : Value();
      if (!scalar)
        return Value();
      operands.push_back(scalar);
    }
    LaneMaps lanes(rewriter, location, part, operands);
    return lanes.scalar(lanes.bind(index.getMap().getResult(0)));
  }
  Operation *op = tile.getDefiningOp();
  if (!isa_and_nonnull<arith::MulIOp, arith::AddIOp, arith::MinSIOp>(op))
    return Value();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(computePoint(rewriter, location, operand, at));
    if (!operands.back())
      return Value();
  }
  OperationState state(location, op->getName(), operands, operands.front().getType());
  return rewriter.create(state)->getResult(0);
}

void IndexTiles::exchange(ConversionPatternRewriter &rewriter, Location location,
                          const Parts &parts, int64_t dim) {
  for (auto [index, type, value] : llvm::zip(indices, types, values)) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || tile.getShape().back() == 1)
      continue;
    RankedTensorType exchanged = exchangeLast(tile, dim);
    SmallVector<Value> &scalars = made.emplace_back();
    for (const Part &part : parts.split(exchanged)) {
      SmallVector<int64_t> at(part.coordinates);
      std::swap(at[dim], at.back());
      Value scalar = computePoint(rewriter, location, index, at);
      if (!scalar)
        scalar = vector::ExtractOp::create(rewriter, location, value[parts.indexOf(tile, at)],
                                           at.back() % parts.lanes(tile));
      scalars.push_back(scalar);
    }
    type = exchanged;
    value = scalars;
  }
}
