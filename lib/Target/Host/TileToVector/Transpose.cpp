// Blocks of a tile, transposed in registers.
#include "Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

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

/// Bits of the part of a register within which the cheap shuffles of CPUs stay.
constexpr unsigned kSegmentBits = 128;

/// n vectors of n lanes, n a power of two: rows become columns, by shuffles that are one
/// instruction each and need no table of indices. Round t exchanges bit t of a row's number with a
/// bit of a lane's number. In a segment of 2^m lanes it interleaves the halves of two vectors'
/// segments in units of 2^t lanes, so that the row's bit becomes bit t of the lane and those above
/// it move up, the segment's last one to the row; between segments it joins the even ones, and the
/// odd ones, of two vectors: the row's bit becomes the last bit of the lane and those below it move
/// down, the first one of the segments to the row. All bits of the rows' numbers are in order in
/// the lanes then, and those of the lanes in the rows but for the first m, which are reversed.
void transposeSquare(OpBuilder &builder, Location location, SmallVector<Value> &rows) {
  unsigned n = rows.size(), bits = llvm::Log2_32(n);
  unsigned width = cast<VectorType>(rows.front().getType()).getElementTypeBitWidth();
  unsigned inner = std::min(bits, llvm::Log2_32(kSegmentBits / width));
  for (unsigned round = 0; round < bits; ++round) {
    bool crosses = round >= inner;
    unsigned first = crosses ? inner : round, last = (crosses ? bits : inner) - 1;
    // Where lane `lane` of the vector of the pair comes from: the lane bit that was the row's
    // chooses the vector, the vector the lane bit that is the row's now.
    auto source = [&](unsigned lane, unsigned vector) -> int64_t {
      auto bit = [&](unsigned i) { return lane >> i & 1; };
      unsigned from = lane & ~(((2u << last) - 1) & ~((1u << first) - 1));
      for (unsigned i = first; i < last; ++i)
        from |= bit(crosses ? i : i + 1) << (crosses ? i + 1 : i);
      from |= vector << (crosses ? first : last);
      return from + bit(crosses ? last : first) * n;
    };
    for (unsigned i = 0; i < n; ++i) {
      unsigned other = i | 1u << round;
      if (other == i)
        continue;
      SmallVector<int64_t> masks[2];
      for (unsigned lane = 0; lane < n; ++lane)
        for (unsigned vector : {0, 1})
          masks[vector].push_back(source(lane, vector));
      Value low = vector::ShuffleOp::create(builder, location, rows[i], rows[other], masks[0]);
      rows[other] = vector::ShuffleOp::create(builder, location, rows[i], rows[other], masks[1]);
      rows[i] = low;
    }
  }
  SmallVector<Value> ordered(rows);
  for (unsigned column = 0; column < n; ++column) {
    unsigned row = column >> inner << inner;
    for (unsigned i = 0; i < inner; ++i)
      row |= (column >> i & 1) << (inner - 1 - i);
    ordered[column] = rows[row];
  }
  rows = std::move(ordered);
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
