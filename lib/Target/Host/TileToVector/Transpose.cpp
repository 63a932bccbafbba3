// Blocks of a tile, transposed by interleaving vectors.
#include "Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::host;

RankedTensorType tw::host::exchangeLast(RankedTensorType tile, int64_t dim) {
  SmallVector<int64_t> shape(tile.getShape());
  std::swap(shape[dim], shape.back());
  return RankedTensorType::get(shape, tile.getElementType());
}

namespace {

int64_t lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getDimSize(0); }

/// The first `lanes` lanes, or all and lanes that nobody reads.
Value resize(OpBuilder &builder, Location location, Value vector, int64_t lanes) {
  int64_t have = lanesOf(vector);
  if (have == lanes)
    return vector;
  SmallVector<int64_t> mask(lanes, vector::ShuffleOp::kPoisonIndex);
  for (int64_t lane = 0; lane < std::min(have, lanes); ++lane)
    mask[lane] = lane;
  return vector::ShuffleOp::create(builder, location, vector, vector, mask);
}

/// n vectors of n lanes, n a power of two: rows become columns. Interleaving row i with row i + n/2
/// moves the top bit of the row's number to the bottom of the lane's number and every bit between
/// up by one; after log2 n rounds the two numbers have changed places.
void transposeSquare(OpBuilder &builder, Location location, SmallVector<Value> &rows) {
  int64_t n = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < n / 2; ++lane) {
    low.append({lane, lane + n});
    high.append({lane + n / 2, lane + n / 2 + n});
  }
  for (int64_t round = 1; round < n; round *= 2) {
    SmallVector<Value> mixed;
    for (int64_t i = 0; i < n / 2; ++i) {
      mixed.push_back(vector::ShuffleOp::create(builder, location, rows[i], rows[i + n / 2], low));
      mixed.push_back(vector::ShuffleOp::create(builder, location, rows[i], rows[i + n / 2], high));
    }
    rows = std::move(mixed);
  }
}

} // namespace

SmallVector<Value> tw::host::transposeParts(OpBuilder &builder, Location location,
                                            const Parts &parts, RankedTensorType tile,
                                            ValueRange values, int64_t dim) {
  RankedTensorType target = exchangeLast(tile, dim);
  int64_t last = tile.getRank() - 1;
  int64_t width = std::max(parts.lanes(tile), parts.lanes(target));
  Value spare = splatConstant(builder, location, builder.getZeroAttr(tile.getElementType()), width);
  SmallVector<Value> result(parts.count(target));
  for (const Part &part : parts.split(target)) {
    // One block for all parts of the target whose row is in it: made when the first one comes.
    SmallVector<int64_t> corner(part.coordinates);
    if (corner[dim] % parts.lanes(tile) != 0)
      continue;
    SmallVector<Value> rows;
    for (int64_t row = 0; row < width; ++row) {
      SmallVector<int64_t> source(corner);
      source[dim] = corner[last] + row;
      source[last] = corner[dim];
      bool inside = row < part.lanes && source[dim] < tile.getDimSize(dim);
      rows.push_back(inside ? resize(builder, location, values[parts.indexOf(tile, source)], width)
                            : spare);
    }
    transposeSquare(builder, location, rows);
    for (int64_t lane = 0; lane < parts.lanes(tile); ++lane) {
      SmallVector<int64_t> place(corner);
      place[dim] += lane;
      if (place[dim] >= target.getDimSize(dim))
        break;
      result[parts.indexOf(target, place)] = resize(builder, location, rows[lane], part.lanes);
    }
  }
  return result;
}
