// ttile.load, store, index and inside, part by part.
//
// ttile.load %x -> tensor<4x32xf32>   ->   eight of: vector.load, vector.maskedload, vector.gather,
//                                          or memref.load and vector.broadcast
//
// Where memory is contiguous along another dimension of the tile than the last one, the access is
// that of the tile with the two exchanged, transposed in registers. Columns of scalars are stored
// as vectors, and groups for dot instructions together.
#include "IndexTiles.h"
#include "PartAccess.h"
#include "RowEnds.h"
#include "Transpose.h"

#include "tw/Dialect/Tile/Prefetch.h"
#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace tw::host;

namespace {

/// The map over tiles with dimension `dim` and the last one of `rank` exchanged.
tw::view::MapAttr exchangeLastInMap(tw::view::MapAttr map, int64_t rank, int64_t dim) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < map.getMap().getNumDims(); ++i)
    dims.push_back(getAffineDimExpr(i, context));
  std::swap(dims[dim], dims[rank - 1]);
  AffineMap exchanged = map.getMap().replaceDimsAndSymbols(dims, {}, dims.size(), 0);
  SmallVector<tw::view::GuardAttr> guards;
  for (tw::view::GuardAttr guard : map.getGuards())
    guards.push_back(tw::view::GuardAttr::get(
        context, guard.getSet().replaceDimsAndSymbols(dims, {}, dims.size(), 0), guard.getFill()));
  return tw::view::MapAttr::get(exchanged, guards, map.getOutside());
}

/// What memory moves by along the lanes of a tile's first part, if that is constant.
std::optional<int64_t> strideAlongLanes(OpBuilder &builder, Location location, const Parts &parts,
                                        RankedTensorType tile, MemRefType memory,
                                        tw::view::MapAttr map, ValueRange indices) {
  Part part = parts.split(tile).front();
  SmallVector<Value> values(indices);
  LaneMaps lanes(builder, location, part, values);
  AffineExpr address = getAffineConstantExpr(0, builder.getContext());
  for (auto [coordinate, stride] : llvm::zip(map.getMap().getResults(), stridesOf(memory)))
    address = address + lanes.bind(coordinate) * stride;
  // What coordinates take apart that lie together in memory, the address has together.
  SmallVector<int64_t> unknown(1 + indices.size(), -1);
  std::optional<LaneMaps::Linear> form = lanes.linear(
      tw::view::simplify(AffineMap::get(unknown.size(), 0, address), unknown).getResult(0));
  return form ? std::optional(form->coefficient) : std::nullopt;
}

/// Whether at least half of the elements of the square blocks that are transposed are of the tile.
bool fillsBlocks(const Parts &parts, RankedTensorType tile, int64_t dim) {
  int64_t last = tile.getRank() - 1;
  int64_t width = std::max(parts.lanes(tile), parts.lanes(exchangeLast(tile, dim)));
  auto fill = [&](int64_t extent) { return llvm::alignTo(extent, width); };
  return 2 * tile.getDimSize(dim) * tile.getDimSize(last) >=
         int64_t(fill(tile.getDimSize(dim)) * fill(tile.getDimSize(last)));
}

/// The dimension that is exchanged with the last one, so that the access is contiguous.
std::optional<int64_t> findTransposedDim(OpBuilder &builder, Location location, const Parts &parts,
                                         RankedTensorType tile, MemRefType memory,
                                         tw::view::MapAttr map, ValueRange indices) {
  auto strideOf = [&](RankedTensorType type, tw::view::MapAttr mapOfType) {
    return strideAlongLanes(builder, location, parts, type, memory, mapOfType, indices);
  };
  int64_t rank = tile.getRank();
  if (rank < 2 || tile.getShape().back() < 2)
    return std::nullopt;
  bool isKnown = areConstantAlong(indices, rank - 1);
  std::optional<int64_t> stride = isKnown ? strideOf(tile, map) : std::nullopt;
  if (stride == 0 || stride == 1)
    return std::nullopt;
  for (int64_t dim = rank - 2; dim >= 0; --dim)
    if (tile.getDimSize(dim) > 1 && areConstantAlong(indices, dim) &&
        (!parts.exchangesDearly() || fillsBlocks(parts, tile, dim)) &&
        strideOf(exchangeLast(tile, dim), exchangeLastInMap(map, rank, dim)) == 1)
      return dim;
  return std::nullopt;
}

/// The dimension along which a column of scalars fills whole vectors of memory.
std::optional<int64_t> findColumnDim(OpBuilder &builder, Location location, const Parts &parts,
                                     RankedTensorType tile, MemRefType memory,
                                     tw::view::MapAttr map, ValueRange indices) {
  bool plain = llvm::all_of(indices, [](Value index) { return index.getType().isIndex(); });
  int64_t rank = tile.getRank();
  if (!plain || rank < 2 || tile.getShape().back() != 1 || tile.getElementType().isInteger(1))
    return std::nullopt;
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    RankedTensorType row = exchangeLast(tile, dim);
    if (tile.getDimSize(dim) > 1 && tile.getDimSize(dim) % parts.lanes(row) == 0 &&
        strideAlongLanes(builder, location, parts, row, memory, exchangeLastInMap(map, rank, dim),
                         indices) == 1)
      return dim;
  }
  return std::nullopt;
}

/// The dimension whose elements make up 32 bits together, 2 of 16 bits or 4 of 8; none is the last.
std::optional<unsigned> getGroupDim(RankedTensorType tile) {
  Type element = tile.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (bits == 8 || bits == 16)
    for (int64_t dim = 0; dim + 1 < tile.getRank(); ++dim)
      if (tile.getDimSize(dim) * bits == 32)
        return dim;
  return std::nullopt;
}

/// The dimension of 2 or 4 elements that lie together in memory, between lanes that are as far
/// apart: vectors along the lanes are stored one element of each after the other.
std::optional<unsigned> findInterleavedDim(OpBuilder &builder, Location location,
                                           const Parts &parts, RankedTensorType tile,
                                           MemRefType memory, tw::view::MapAttr map,
                                           ValueRange indices) {
  bool plain = llvm::all_of(indices, [](Value index) { return index.getType().isIndex(); });
  if (!plain || tile.getRank() < 2 || tile.getShape().back() < 2 ||
      tile.getElementType().isInteger(1))
    return std::nullopt;
  std::optional<int64_t> stride =
      strideAlongLanes(builder, location, parts, tile, memory, map, indices);
  if (stride == 2 || stride == 4)
    for (int64_t dim = 0; dim + 1 < tile.getRank(); ++dim)
      if (tile.getDimSize(dim) == *stride)
        return dim;
  return std::nullopt;
}

/// The parts of an access in groups, the elements of one in the order of the group's dimension,
/// where every group lies packed in memory or is not accessed at all.
class GroupedAccess {
public:
  template <typename Op>
  GroupedAccess(OpBuilder &builder, Op op, const Parts &parts, RankedTensorType tile,
                MemRefType memory, ArrayRef<ValueRange> indices, std::optional<unsigned> dim,
                bool allowSpare)
      : all(parts.split(tile)) {
    if (!dim)
      return;
    for (const Part &part : all)
      accesses.emplace_back(builder, op.getLoc(), parts, tile, part, op.getIndices().getTypes(),
                            indices, memory, op.getMap(), op.getInBounds(),
                            op->hasAttr(tw::tile::straysAttrName));
    for (const Part &part : all) {
      if (part.coordinates[*dim] != 0)
        continue;
      SmallVector<unsigned> &group = groups.emplace_back();
      SmallVector<PartAccess *> members;
      SmallVector<int64_t> at(part.coordinates);
      for (int64_t &g = at[*dim]; g < tile.getDimSize(*dim); ++g) {
        group.push_back(parts.indexOf(tile, at));
        members.push_back(&accesses[group.back()]);
      }
      if (!parts.hasVectors(group.size() * part.valid) ||
          !parts.hasVectors(group.size() * part.lanes)) {
        groups.clear();
        return;
      }
      bool isNever = llvm::all_of(members, [](PartAccess *access) { return access->isNever(); });
      if (!isNever && !PartAccess::arePacked(members, allowSpare)) {
        groups.clear();
        return;
      }
    }
  }

  unsigned getNumParts() const { return all.size(); }
  PartAccess &get(unsigned part) { return accesses[part]; }
  PartAccess &first(ArrayRef<unsigned> group) { return accesses[group.front()]; }
  /// Indices of parts; empty where the access is not of that form.
  SmallVector<SmallVector<unsigned>> groups;

private:
  SmallVector<Part> all;
  std::deque<PartAccess> accesses;
};

/// The parts of a tile whose groups lie packed in memory; empty for other tiles.
SmallVector<Value> loadGroups(OpBuilder &builder, tw::tile::LoadOp op, Value source,
                              ArrayRef<ValueRange> indices, const Parts &parts) {
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  GroupedAccess access(builder, op, parts, tile, cast<MemRefType>(op.getSource().getType()),
                       indices, getGroupDim(tile), /*allowSpare=*/true);
  SmallVector<Value> values(access.groups.empty() ? 0 : access.getNumParts());
  auto ahead = op->getAttrOfType<IntegerAttr>(op.getAheadAttrName());
  AffineExpr fetched;
  for (ArrayRef<unsigned> group : access.groups) {
    if (ahead)
      access.first(group).prefetch(source, ahead.getInt(), op->hasAttr(tw::tile::farAttrName),
                                   fetched, int64_t(group.size()));
    if (access.first(group).isNever()) {
      for (unsigned i : group)
        values[i] = access.get(i).load(source, tile.getElementType());
      continue;
    }
    SmallVector<Value> loaded =
        access.first(group).loadPacked(source, tile.getElementType(), int64_t(group.size()));
    for (auto [i, value] : llvm::zip(group, loaded))
      values[i] = value;
  }
  return values;
}

/// Stores a tile whose groups lie packed in memory; false for other tiles.
bool storeGroups(OpBuilder &builder, tw::tile::StoreOp op, Value destination,
                 ArrayRef<ValueRange> indices, const Parts &parts, ValueRange values) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  auto memory = cast<MemRefType>(op.getDestination().getType());
  std::optional<unsigned> dim = getGroupDim(tile);
  if (!dim && !op.getStreaming() && memory.getElementType() == tile.getElementType())
    dim =
        findInterleavedDim(builder, op.getLoc(), parts, tile, memory, op.getMap(), op.getIndices());
  GroupedAccess access(builder, op, parts, tile, memory, indices, dim, /*allowSpare=*/false);
  for (ArrayRef<unsigned> group : access.groups)
    if (!access.first(group).isNever())
      access.first(group).storePacked(
          destination, llvm::map_to_vector(group, [&](unsigned i) { return Value(values[i]); }));
  return !access.groups.empty();
}

/// Booleans as the bytes that memory holds; other values as they are.
void toMemory(OpBuilder &builder, Location location, Type stored, SmallVectorImpl<Value> &values) {
  for (Value &value : values)
    if (Type type = getElementTypeOrSelf(value.getType()); type != stored)
      value = arith::ExtUIOp::create(builder, location,
                                     cast<VectorType>(value.getType()).clone(stored), value);
}

/// Booleans out of the bytes that memory holds.
void toElements(OpBuilder &builder, Location location, Type element,
                SmallVectorImpl<Value> &values) {
  for (Value &value : values)
    if (getElementTypeOrSelf(value.getType()) != element) {
      Value zero =
          arith::ConstantOp::create(builder, location, builder.getZeroAttr(value.getType()));
      value = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, value, zero);
    }
}

int64_t getSureLanes(Operation *op) {
  auto lanes = op->getAttrOfType<IntegerAttr>(tw::tile::sureLanesAttrName);
  return lanes ? lanes.getInt() : 0;
}

template <typename Op> class TilePattern : public OpConversionPattern<Op> {
public:
  TilePattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context), parts(parts) {}

protected:
  const Parts parts;
};

class LoadPattern : public TilePattern<tw::tile::LoadOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(tw::tile::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    auto memory = cast<MemRefType>(op.getSource().getType());
    SmallVector<Value> values =
        loadGroups(rewriter, op, adaptor.getSource().front(), adaptor.getIndices(), parts);
    if (!values.empty()) {
      rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
      return success();
    }
    tw::view::MapAttr map = op.getMap();
    std::optional<int64_t> dim =
        findTransposedDim(rewriter, op.getLoc(), parts, tile, memory, map, op.getIndices());
    IndexTiles indices(op.getIndices(), adaptor.getIndices());
    if (dim) {
      map = exchangeLastInMap(map, tile.getRank(), *dim);
      tile = exchangeLast(tile, *dim).clone(memoryElement(tile.getElementType()));
      indices.exchange(rewriter, op.getLoc(), parts, *dim);
    }
    auto ahead = op->getAttrOfType<IntegerAttr>(op.getAheadAttrName());
    AffineExpr fetched;
    for (const Part &part : parts.split(tile)) {
      PartAccess access(rewriter, op.getLoc(), parts, tile, part, indices.getTypes(),
                        indices.getValues(), memory, map, op.getInBounds(),
                        op->hasAttr(tw::tile::straysAttrName), dim ? 0 : getSureLanes(op));
      values.push_back(access.load(adaptor.getSource().front(), tile.getElementType(),
                                   op->hasAttr(tw::tile::longRunsAttrName)));
      if (ahead)
        access.prefetch(adaptor.getSource().front(), ahead.getInt(),
                        op->hasAttr(tw::tile::farAttrName), fetched);
    }
    if (dim) {
      values = transposeParts(rewriter, op.getLoc(), parts, tile, values, *dim);
      toElements(rewriter, op.getLoc(), op.getResult().getType().getElementType(), values);
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }
};

class StorePattern : public TilePattern<tw::tile::StoreOp> {
  using TilePattern::TilePattern;

  /// Vectors out of the scalars along the dimension, of a tile whose last dimension is 1.
  SmallVector<Value> joinColumns(OpBuilder &builder, Location location, RankedTensorType tile,
                                 ArrayRef<Value> scalars, int64_t dim) const {
    SmallVector<Value> vectors;
    for (const Part &part : parts.split(exchangeLast(tile, dim))) {
      SmallVector<Value> elements;
      SmallVector<int64_t> at(part.coordinates);
      at.back() = 0;
      for (unsigned lane = 0; lane < part.lanes; ++lane) {
        at[dim] = part.coordinates.back() + lane;
        elements.push_back(scalars[parts.indexOf(tile, at)]);
      }
      auto type = VectorType::get({int64_t(part.lanes)}, tile.getElementType());
      vectors.push_back(vector::FromElementsOp::create(builder, location, type, elements));
    }
    return vectors;
  }

  LogicalResult matchAndRewrite(tw::tile::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    auto memory = cast<MemRefType>(op.getDestination().getType());
    if (storeGroups(rewriter, op, adaptor.getDestination().front(), adaptor.getIndices(), parts,
                    adaptor.getValue())) {
      rewriter.eraseOp(op);
      return success();
    }
    tw::view::MapAttr map = op.getMap();
    SmallVector<Value> values(adaptor.getValue());
    std::optional<int64_t> dim =
        findTransposedDim(rewriter, op.getLoc(), parts, tile, memory, map, op.getIndices());
    IndexTiles indices(op.getIndices(), adaptor.getIndices());
    if (dim) {
      tile = tile.clone(memoryElement(tile.getElementType()));
      toMemory(rewriter, op.getLoc(), tile.getElementType(), values);
      values = transposeParts(rewriter, op.getLoc(), parts, tile, values, *dim);
      map = exchangeLastInMap(map, tile.getRank(), *dim);
      tile = exchangeLast(tile, *dim);
      indices.exchange(rewriter, op.getLoc(), parts, *dim);
    } else if ((dim = findColumnDim(rewriter, op.getLoc(), parts, tile, memory, map,
                                    op.getIndices()))) {
      values = joinColumns(rewriter, op.getLoc(), tile, values, *dim);
      map = exchangeLastInMap(map, tile.getRank(), *dim);
      tile = exchangeLast(tile, *dim);
    }
    SmallVector<Part> split = parts.split(tile);
    std::deque<PartAccess> accesses;
    for (const Part &part : split)
      accesses.emplace_back(rewriter, op.getLoc(), parts, tile, part, indices.getTypes(),
                            indices.getValues(), memory, map, op.getInBounds(),
                            op->hasAttr(tw::tile::straysAttrName), dim ? 0 : getSureLanes(op));
    storeParts(rewriter, op.getLoc(), adaptor.getDestination().front(), accesses, values,
               op.getStreaming(), parts.masksAreDear());
    rewriter.eraseOp(op);
    return success();
  }
};

SmallVector<Value> singles(ArrayRef<ValueRange> ranges) {
  return llvm::map_to_vector(ranges, [](ValueRange range) { return range.front(); });
}

class IndexPattern : public TilePattern<tw::tile::IndexOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(tw::tile::IndexOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Value> indices = singles(adaptor.getIndices()), values;
    for (const Part &part : parts.split(tile)) {
      LaneMaps lanes(rewriter, op.getLoc(), part, indices);
      values.push_back(lanes.perLane(lanes.bind(op.getMap().getResult(0))));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }
};

class InsidePattern : public TilePattern<tw::tile::InsideOp> {
  using TilePattern::TilePattern;

  LogicalResult matchAndRewrite(tw::tile::InsideOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Value> indices = singles(adaptor.getIndices()), values;
    for (const Part &part : parts.split(tile)) {
      LaneMaps lanes(rewriter, op.getLoc(), part, indices);
      LaneMask mask;
      lanes.require(mask, op.getSet());
      values.push_back(lanes.materialize(mask));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }
};

} // namespace

void tw::host::populateAccessPatterns(const TileTypeConverter &converter, const Parts &parts,
                                      RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, IndexPattern, InsidePattern>(converter, parts,
                                                                       patterns.getContext());
}
