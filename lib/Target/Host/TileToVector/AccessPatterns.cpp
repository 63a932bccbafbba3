// ttile.load, store, index and inside, part by part.
//
// ttile.load %x -> tensor<4x32xf32>   ->   eight of: vector.load, vector.maskedload, vector.gather,
//                                          or memref.load and vector.broadcast
//
// Lanes a few elements apart are loaded as whole vectors and shuffled together. Where memory is
// contiguous along another dimension of the tile than the last one, the access is that of the tile
// with the two exchanged, transposed in registers. Columns of scalars are stored as vectors.
#include "LaneMaps.h"
#include "Parts.h"
#include "Strided.h"
#include "Transpose.h"

#include "tw/Dialect/Tile/Prefetch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace tw::host;

namespace {

/// In elements.
SmallVector<int64_t> stridesOf(MemRefType type) {
  return SmallVector<int64_t>(type.getStridesAndOffset().first);
}

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
  std::optional<LaneMaps::Linear> form =
      lanes.linear(simplifyAffineExpr(address, 1 + indices.size(), 0));
  return form ? std::optional(form->coefficient) : std::nullopt;
}

/// The dimension that is exchanged with the last one, so that the access is contiguous.
std::optional<int64_t> findTransposedDim(OpBuilder &builder, Location location, const Parts &parts,
                                         RankedTensorType tile, MemRefType memory,
                                         tw::view::MapAttr map, ValueRange indices) {
  auto strideOf = [&](RankedTensorType type, tw::view::MapAttr mapOfType) {
    return strideAlongLanes(builder, location, parts, type, memory, mapOfType, indices);
  };
  bool plain = llvm::all_of(indices, [](Value index) { return index.getType().isIndex(); });
  int64_t rank = tile.getRank();
  if (!plain || rank < 2 || tile.getShape().back() < 2 || tile.getElementType().isInteger(1))
    return std::nullopt;
  std::optional<int64_t> stride = strideOf(tile, map);
  if (stride == 0 || stride == 1)
    return std::nullopt;
  for (int64_t dim = rank - 2; dim >= 0; --dim)
    if (tile.getDimSize(dim) > 1 &&
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

/// One part of an access: where it reads or writes and in which lanes.
class PartAccess {
public:
  PartAccess(const PartAccess &) = delete; // `lanes` refers to it
  PartAccess(OpBuilder &builder, Location location, const Parts &parts, RankedTensorType tile,
             const Part &part, ValueRange originalIndices, ArrayRef<ValueRange> indices,
             MemRefType memory, tw::view::MapAttr map, std::optional<ArrayRef<bool>> inBounds)
      : builder(builder), location(location), part(part),
        indexValues(select(parts, part, originalIndices, indices)),
        lanes(builder, location, part, indexValues), map(map) {
    for (tw::view::GuardAttr guard : map.getGuards()) {
      LaneMask &mask = guards.emplace_back();
      lanes.require(mask, guard.getSet());
      lanes.require(all, mask);
    }
    AffineExpr address = getAffineConstantExpr(0, builder.getContext());
    SmallVector<int64_t> strides = stridesOf(memory);
    for (auto [dim, coordinate] : llvm::enumerate(map.getMap().getResults())) {
      AffineExpr bound = lanes.bind(coordinate);
      if (!inBounds || !(*inBounds)[dim])
        lanes.requireInside(all, bound, memory.getDimSize(dim));
      address = address + bound * strides[dim];
    }
    inside = all;
    lanes.requireValid(all);
    // What coordinates take apart that lie together in memory, the address has together.
    this->address = tw::view::simplify(AffineMap::get(1 + indexValues.size(), 0, address),
                                       SmallVector<int64_t>(1 + indexValues.size(), -1))
                        .getResult(0);
  }

  Value load(Value memory, Type element) {
    Value fill = constant(map.getOutsideFill(element), element);
    Value value = all.never ? fill : loadInside(memory, element, fill);
    return applyGuards(value, element);
  }

  /// Fetches the line of the element `ahead` after the first one, if the access is contiguous: in
  /// memory, or as the first of `size` parts that lie packed. `fetched` is the element that a part
  /// before this one fetched, in which line this one may be.
  void prefetch(Value memory, int64_t ahead, bool isFar, AffineExpr &fetched, int64_t size = 1) {
    constexpr int64_t kLineBits = 512;
    std::optional<LaneMaps::Linear> form = lanes.linear(address);
    if (all.never || !form || (part.lanes != 1 && form->coefficient != size))
      return;
    if (fetched) {
      AffineExpr apart = simplifyAffineExpr(form->rest - fetched, 1 + indexValues.size(), 0);
      auto elements = dyn_cast<AffineConstantExpr>(apart);
      int64_t bits = cast<MemRefType>(memory.getType()).getElementTypeBitWidth();
      if (elements && elements.getValue() >= 0 && elements.getValue() * bits < kLineBits)
        return;
    }
    fetched = form->rest;
    memref::PrefetchOp::create(builder, location, memory, lanes.scalar(form->rest + ahead),
                               /*isWrite=*/false, /*localityHint=*/isFar ? 2 : 3,
                               /*isDataCache=*/true);
  }

  void store(Value memory, Value value, bool streaming) {
    if (all.never)
      return;
    Type type = cast<MemRefType>(memory.getType()).getElementType();
    if (getElementTypeOrSelf(value.getType()) != type)
      value = arith::ExtUIOp::create(builder, location, laneType(type, part.lanes), value);
    if (part.lanes == 1)
      return storeScalar(memory, value);
    std::optional<LaneMaps::Linear> form = lanes.linear(address);
    if (form && form->coefficient == 1) {
      Value base = lanes.scalar(form->rest);
      if (all.always())
        storeVector(memory, value, base, streaming && isWhole(form->rest));
      else if (isMaskSplit(type))
        storeIfInside(memory, value, base);
      else
        vector::MaskedStoreOp::create(builder, location, memory, base, lanes.materialize(all),
                                      value);
      return;
    }
    auto [base, offsets] = scattered(form);
    vector::ScatterOp::create(builder, location, Type(), memory, base, offsets,
                              lanes.materialize(all), value);
  }

  /// Whether nothing is read or written, whatever the indices.
  bool isNever() const { return all.never; }

  /// Whether the parts lie packed in memory: element i of part g at size * i + g from the first.
  static bool arePacked(ArrayRef<PartAccess *> group) {
    PartAccess &first = *group.front();
    int64_t size = group.size();
    std::optional<LaneMaps::Linear> start;
    for (auto [g, access] : llvm::enumerate(group)) {
      std::optional<LaneMaps::Linear> form = access->lanes.linear(access->address);
      if (!form || !access->all.always() || access->indexValues != first.indexValues ||
          (access->part.lanes != 1 && form->coefficient != size))
        return false;
      if (g == 0)
        start = form;
      AffineExpr offset =
          simplifyAffineExpr(form->rest - start->rest, 1 + first.indexValues.size(), 0);
      if (offset != getAffineConstantExpr(int64_t(g), first.builder.getContext()))
        return false;
    }
    return true;
  }

  /// The values of parts that lie packed, this one's first: taken out of one vector.
  SmallVector<Value> loadPacked(Value memory, Type element, int64_t size) {
    auto type = VectorType::get({size * part.lanes}, element);
    Value all = vector::LoadOp::create(builder, location, type, memory,
                                       lanes.scalar(lanes.linear(address)->rest));
    SmallVector<Value> values;
    for (int64_t g = 0; g < size; ++g) {
      if (part.lanes == 1) {
        values.push_back(vector::ExtractOp::create(builder, location, all, g));
        continue;
      }
      SmallVector<int64_t> mask;
      for (int64_t lane = 0; lane < part.lanes; ++lane)
        mask.push_back(lane * size + g);
      values.push_back(vector::ShuffleOp::create(builder, location, all, all, mask));
    }
    return values;
  }

  /// Writes the values of parts that lie packed, this one's first, as one vector.
  void storePacked(Value memory, ArrayRef<Value> values) {
    Value all;
    if (part.lanes == 1) {
      auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
      all = vector::FromElementsOp::create(builder, location, type, values);
    } else {
      auto interleave = [&](Value a, Value b) -> Value {
        return vector::InterleaveOp::create(builder, location, a, b);
      };
      all = values.size() == 2
                ? interleave(values[0], values[1])
                : interleave(interleave(values[0], values[2]), interleave(values[1], values[3]));
    }
    vector::StoreOp::create(builder, location, all, memory,
                            lanes.scalar(lanes.linear(address)->rest));
  }

private:
  OpBuilder &builder;
  Location location;
  const Part &part;
  SmallVector<Value> indexValues;
  LaneMaps lanes;
  tw::view::MapAttr map;
  SmallVector<LaneMask> guards;
  /// All guards and all bounds; these, and inside the tile.
  LaneMask inside, all;
  AffineExpr address;

  static SmallVector<Value> select(const Parts &parts, const Part &part, ValueRange originals,
                                   ArrayRef<ValueRange> indices) {
    SmallVector<Value> values;
    for (auto [original, index] : llvm::zip(originals, indices)) {
      auto tile = dyn_cast<RankedTensorType>(original.getType());
      values.push_back(index[tile ? parts.indexOf(tile, part.coordinates) : 0]);
    }
    return values;
  }

  /// Whether the address is that of a whole vector, counted from the start of the memory.
  bool isWhole(AffineExpr rest) const { return rest.isMultipleOf(part.lanes); }

  void storeVector(Value memory, Value value, Value base, bool streaming) {
    auto store = vector::StoreOp::create(builder, location, value, memory, base);
    if (!streaming)
      return;
    auto type = cast<VectorType>(value.getType());
    store.setNontemporal(true);
    store.setAlignment(part.lanes * type.getElementTypeBitWidth() / 8);
  }

  Value constant(TypedAttr attribute, Type element) {
    return splatConstant(builder, location, attribute, part.lanes);
  }

  Value zeroIndex() { return arith::ConstantIndexOp::create(builder, location, 0); }

  /// Base index and per-lane offsets of an access that is not contiguous.
  std::pair<Value, Value> scattered(const std::optional<LaneMaps::Linear> &form) {
    if (!form)
      return {zeroIndex(), lanes.perLane(address)};
    AffineExpr lane = getAffineDimExpr(0, builder.getContext());
    return {lanes.scalar(form->rest), lanes.perLane(lane * form->coefficient)};
  }

  /// Memory holds booleans as bytes.
  Value fromMemory(Value value, Type element) {
    if (getElementTypeOrSelf(value.getType()) == element)
      return value;
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, value, zero);
  }

  /// A scalar that may not be read: element 0 is read instead, and dropped.
  Value loadScalar(Value memory, Value index, Value condition) {
    if (condition)
      index = arith::SelectOp::create(builder, location, condition, index, zeroIndex());
    return memref::LoadOp::create(builder, location, memory, index);
  }

  /// Whether any lane is inside; null where that is known.
  Value isAnyInside() {
    if (!inside.varying || part.lanes == 1)
      return all.uniform;
    Value any =
        vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, all.varying);
    if (!all.uniform)
      return any;
    return arith::AndIOp::create(builder, location, all.uniform, any);
  }

  /// Whether lanes may take several registers and the mask is a condition for all lanes and one for
  /// each. Where constants leave none of a register's lanes, LLVM 22 takes them to be inside: it
  /// reads the whole register. A branch on the condition for all lanes keeps the two apart.
  bool isMaskSplit(Type stored) {
    return all.uniform && all.varying && stored.getIntOrFloatBitWidth() > 32;
  }

  Value materializeVarying() {
    LaneMask varying = all;
    varying.uniform = nullptr;
    return lanes.materialize(varying);
  }

  Value loadIfInside(Value memory, VectorType type, Value index, Value passThrough) {
    Value mask = materializeVarying();
    auto branch = scf::IfOp::create(
        builder, location, all.uniform,
        [&](OpBuilder &inner, Location at) {
          Value loaded =
              vector::MaskedLoadOp::create(inner, at, type, memory, index, mask, passThrough);
          scf::YieldOp::create(inner, at, loaded);
        },
        [&](OpBuilder &inner, Location at) { scf::YieldOp::create(inner, at, passThrough); });
    return branch.getResult(0);
  }

  void storeIfInside(Value memory, Value value, Value index) {
    Value mask = materializeVarying();
    scf::IfOp::create(builder, location, all.uniform, [&](OpBuilder &inner, Location at) {
      vector::MaskedStoreOp::create(inner, at, memory, index, mask, value);
      scf::YieldOp::create(inner, at);
    });
  }

  Value loadInside(Value memory, Type element, Value fill) {
    std::optional<LaneMaps::Linear> form = lanes.linear(address);
    if (part.lanes == 1 || (form && form->coefficient == 0)) {
      Value loaded = loadScalar(memory, lanes.scalar(form->rest), isAnyInside());
      loaded = splat(builder, location, fromMemory(loaded, element), part.lanes);
      if (all.always())
        return loaded;
      return arith::SelectOp::create(builder, location, lanes.materialize(all), loaded, fill);
    }
    Type stored = cast<MemRefType>(memory.getType()).getElementType();
    auto type = VectorType::get({int64_t(part.lanes)}, stored);
    bool contiguous = form && form->coefficient == 1;
    if (contiguous && all.always())
      return fromMemory(
          vector::LoadOp::create(builder, location, type, memory, lanes.scalar(form->rest)),
          element);
    Value passThrough = fill;
    if (stored != element)
      passThrough = arith::ExtUIOp::create(builder, location, type, fill);
    if (form && isShortStride(form->coefficient, part.lanes))
      return fromMemory(
          loadStrided(builder, location, memory, part, form->coefficient, inside, passThrough,
                      [&](int64_t element) { return lanes.scalar(form->rest + element); }),
          element);
    if (contiguous && isMaskSplit(stored))
      return fromMemory(loadIfInside(memory, type, lanes.scalar(form->rest), passThrough), element);
    Value mask = lanes.materialize(all);
    Value loaded;
    if (contiguous) {
      loaded = vector::MaskedLoadOp::create(builder, location, type, memory,
                                            lanes.scalar(form->rest), mask, passThrough);
    } else {
      auto [base, offsets] = scattered(form);
      loaded = vector::GatherOp::create(builder, location, type, memory, base, offsets, mask,
                                        passThrough);
    }
    return fromMemory(loaded, element);
  }

  /// The first guard that fails gives its fill; what all of them let through stays.
  Value applyGuards(Value value, Type element) {
    TypedAttr outside = map.getOutsideFill(element);
    if (llvm::all_of(map.getGuards(), [&](auto guard) { return guard.getFill() == outside; }))
      return value;
    for (auto [guard, mask] : llvm::reverse(llvm::zip(map.getGuards(), guards))) {
      if (mask.always())
        continue;
      value = arith::SelectOp::create(builder, location, lanes.materialize(mask), value,
                                      constant(guard.getFill(), element));
    }
    return value;
  }

  void storeScalar(Value memory, Value value) {
    Value index = lanes.scalar(lanes.linear(address)->rest);
    if (all.always()) {
      memref::StoreOp::create(builder, location, value, memory, index);
      return;
    }
    scf::IfOp::create(builder, location, all.uniform, [&](OpBuilder &inner, Location at) {
      memref::StoreOp::create(inner, at, value, memory, index);
      scf::YieldOp::create(inner, at);
    });
  }
};

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

/// The parts of an access in groups, the elements of one in the order of the group's dimension,
/// where every group lies packed in memory or is not accessed at all.
class GroupedAccess {
public:
  template <typename Op>
  GroupedAccess(OpBuilder &builder, Op op, const Parts &parts, RankedTensorType tile,
                MemRefType memory, ArrayRef<ValueRange> indices)
      : all(parts.split(tile)) {
    std::optional<unsigned> dim = getGroupDim(tile);
    if (!dim)
      return;
    for (const Part &part : all)
      accesses.emplace_back(builder, op.getLoc(), parts, tile, part, op.getIndices(), indices,
                            memory, op.getMap(), op.getInBounds());
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
      bool isNever = llvm::all_of(members, [](PartAccess *access) { return access->isNever(); });
      if (!isNever && !PartAccess::arePacked(members)) {
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
                       indices);
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
  GroupedAccess access(builder, op, parts, tile, cast<MemRefType>(op.getDestination().getType()),
                       indices);
  for (ArrayRef<unsigned> group : access.groups)
    if (!access.first(group).isNever())
      access.first(group).storePacked(
          destination, llvm::map_to_vector(group, [&](unsigned i) { return Value(values[i]); }));
  return !access.groups.empty();
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
    if (dim) {
      map = exchangeLastInMap(map, tile.getRank(), *dim);
      tile = exchangeLast(tile, *dim);
    }
    auto ahead = op->getAttrOfType<IntegerAttr>(op.getAheadAttrName());
    AffineExpr fetched;
    for (const Part &part : parts.split(tile)) {
      PartAccess access(rewriter, op.getLoc(), parts, tile, part, op.getIndices(),
                        adaptor.getIndices(), memory, map, op.getInBounds());
      values.push_back(access.load(adaptor.getSource().front(), tile.getElementType()));
      if (ahead)
        access.prefetch(adaptor.getSource().front(), ahead.getInt(),
                        op->hasAttr(tw::tile::farAttrName), fetched);
    }
    if (dim)
      values = transposeParts(rewriter, op.getLoc(), parts, tile, values, *dim);
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
    if (dim) {
      values = transposeParts(rewriter, op.getLoc(), parts, tile, values, *dim);
      map = exchangeLastInMap(map, tile.getRank(), *dim);
      tile = exchangeLast(tile, *dim);
    } else if ((dim = findColumnDim(rewriter, op.getLoc(), parts, tile, memory, map,
                                    op.getIndices()))) {
      values = joinColumns(rewriter, op.getLoc(), tile, values, *dim);
      map = exchangeLastInMap(map, tile.getRank(), *dim);
      tile = exchangeLast(tile, *dim);
    }
    for (auto [part, value] : llvm::zip(parts.split(tile), values)) {
      PartAccess access(rewriter, op.getLoc(), parts, tile, part, op.getIndices(),
                        adaptor.getIndices(), memory, map, op.getInBounds());
      access.store(adaptor.getDestination().front(), value, op.getStreaming());
    }
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
