// Tiles in the blocks of a matrix unit (#ttile.blocks): loads and stores of whole blocks, zeros,
// and products of each block of rows with each block of columns.
#include "Parts.h"

#include "../BlockAccess.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw::host;

namespace {

/// A tile of a product, as blocks: operands have a group, and rows or columns alone.
struct Blocks {
  explicit Blocks(RankedTensorType tile)
      : encoding(cast<tw::tile::BlocksAttr>(tile.getEncoding())), element(tile.getElementType()),
        group(tile.getDimSize(0)), rows(tile.getDimSize(1)), columns(tile.getDimSize(2)) {}

  bool isLeft() const { return group > 1 && columns == 1; }
  bool isRight() const { return group > 1 && columns > 1; }
  int64_t countRows() const { return llvm::divideCeil(rows, encoding.getRows()); }
  int64_t countColumns() const { return llvm::divideCeil(columns, encoding.getColumns()); }
  int64_t count() const { return countRows() * countColumns(); }
  int64_t rowsOf(int64_t block) const {
    return std::min(encoding.getRows(), rows - block * encoding.getRows());
  }
  int64_t columnsOf(int64_t block) const {
    return std::min(encoding.getColumns(), columns - block * encoding.getColumns());
  }
  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// Elements of a group of 32 bits.
  int64_t groupSize() const { return 4 / elementBytes(); }
  int64_t groups() const { return group / groupSize(); }

  tw::tile::BlocksAttr encoding;
  Type element;
  int64_t group, rows, columns;
};

/// One block in memory: where it begins, in the tile, and its rows there.
struct BlockPlace {
  int64_t point[3];
  int64_t rows, bytes;
};

SmallVector<BlockPlace> getPlaces(const Blocks &tile) {
  SmallVector<BlockPlace> places;
  for (int64_t r = 0; r < tile.countRows(); ++r)
    for (int64_t c = 0; c < tile.countColumns(); ++c) {
      BlockPlace place{{0, r * tile.encoding.getRows(), c * tile.encoding.getColumns()}, 0, 0};
      if (tile.isLeft()) {
        place.rows = tile.rowsOf(r);
        place.bytes = tile.group * tile.elementBytes();
      } else if (tile.isRight()) {
        place.rows = tile.groups();
        place.bytes = tile.columnsOf(c) * 4;
      } else {
        place.rows = tile.rowsOf(r);
        place.bytes = tile.columnsOf(c) * tile.elementBytes();
      }
      places.push_back(place);
    }
  return places;
}

template <typename Op> class BlockPattern : public OpConversionPattern<Op> {
public:
  BlockPattern(const TypeConverter &converter, const MatrixUnit *unit, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2), unit(unit) {}

protected:
  const MatrixUnit *unit;

  static bool isInBlocks(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && isa_and_nonnull<tw::tile::BlocksAttr>(tile.getEncoding());
  }
};

/// Pointers to the blocks of a tile in memory, and the distance of their rows.
class BlockPointers {
public:
  template <typename Op>
  BlockPointers(OpBuilder &builder, Op op, MemRefType memory, Value converted, ValueRange indices,
                const Blocks &tile)
      : builder(builder), location(op.getLoc()), indices(indices), tile(tile),
        access(op.getMap().getMap(), memory) {
    std::optional<int64_t> elements = tile.isRight()
                                          ? access.getDistanceFromBegin(0, tile.groupSize())
                                          : access.getDistanceFromBegin(1, 1);
    // A single row is as far from the next one as may be.
    bool isSingle = tile.isRight() ? tile.groups() == 1 : tile.rows == 1;
    if (!elements && !isSingle)
      return;
    stride = LLVM::ConstantOp::create(
        builder, location, builder.getI64IntegerAttr(elements.value_or(0) * tile.elementBytes()));
    base = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, converted);
  }

  bool isKnown() const { return base != nullptr; }
  Value getStride() const { return stride; }

  Value get(const BlockPlace &place) {
    AffineExpr bytes = access.getAddress(place.point) * tile.elementBytes();
    SmallVector<AffineExpr> dims;
    for (unsigned d = 0; d < access.getNumDims(); ++d)
      dims.push_back(getAffineDimExpr(d < 3 ? 0 : d - 3, builder.getContext()));
    Value offset = affine::AffineApplyOp::create(
        builder, location, AffineMap::get(indices.size(), 0, bytes.replaceDims(dims)), indices);
    Value address = arith::AddIOp::create(builder, location, base, offset);
    Value bits = arith::IndexCastOp::create(builder, location, builder.getI64Type(), address);
    return LLVM::IntToPtrOp::create(builder, location,
                                    LLVM::LLVMPointerType::get(builder.getContext()), bits);
  }

private:
  OpBuilder &builder;
  Location location;
  ValueRange indices;
  const Blocks &tile;
  BlockAccess access;
  Value base, stride;
};

SmallVector<Value> getSingles(ArrayRef<ValueRange> ranges) {
  return llvm::map_to_vector(ranges, [](ValueRange range) { return range.front(); });
}

/// A value in blocks is what registers hold: nothing is left of it but that.
void replaceByNone(ConversionPatternRewriter &rewriter, Operation *op) {
  Value none = arith::ConstantOp::create(rewriter, op->getLoc(), rewriter.getBoolAttr(false));
  rewriter.replaceOp(op, none);
}

class LoadBlocks : public BlockPattern<tw::tile::LoadOp> {
  using BlockPattern::BlockPattern;

  LogicalResult matchAndRewrite(tw::tile::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isInBlocks(op.getResult().getType()))
      return rewriter.notifyMatchFailure(op, "not in blocks");
    Blocks tile(cast<RankedTensorType>(op.getResult().getType()));
    SmallVector<Value> indices = getSingles(adaptor.getIndices());
    BlockPointers pointers(rewriter, op, cast<MemRefType>(op.getSource().getType()),
                           adaptor.getSource().front(), indices, tile);
    if (!pointers.isKnown())
      return rewriter.notifyMatchFailure(op, "rows at distances that vary");
    for (auto [i, place] : llvm::enumerate(getPlaces(tile)))
      unit->load(rewriter, op.getLoc(), tile.encoding.getFirst() + int64_t(i), pointers.get(place),
                 pointers.getStride());
    replaceByNone(rewriter, op);
    return success();
  }
};

class StoreBlocks : public BlockPattern<tw::tile::StoreOp> {
  using BlockPattern::BlockPattern;

  LogicalResult matchAndRewrite(tw::tile::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isInBlocks(op.getValue().getType()))
      return rewriter.notifyMatchFailure(op, "not in blocks");
    Blocks tile(cast<RankedTensorType>(op.getValue().getType()));
    SmallVector<Value> indices = getSingles(adaptor.getIndices());
    BlockPointers pointers(rewriter, op, cast<MemRefType>(op.getDestination().getType()),
                           adaptor.getDestination().front(), indices, tile);
    if (!pointers.isKnown())
      return rewriter.notifyMatchFailure(op, "rows at distances that vary");
    for (auto [i, place] : llvm::enumerate(getPlaces(tile)))
      unit->store(rewriter, op.getLoc(), tile.encoding.getFirst() + int64_t(i), pointers.get(place),
                  pointers.getStride());
    rewriter.eraseOp(op);
    return success();
  }
};

class ZeroBlocks : public BlockPattern<arith::ConstantOp> {
  using BlockPattern::BlockPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isInBlocks(op.getType()) ||
        !(matchPattern(op.getResult(), m_AnyZeroFloat()) || matchPattern(op.getResult(), m_Zero())))
      return rewriter.notifyMatchFailure(op, "not zeros in blocks");
    Blocks tile(cast<RankedTensorType>(op.getType()));
    for (int64_t i = 0; i < tile.count(); ++i)
      unit->zero(rewriter, op.getLoc(), tile.encoding.getFirst() + i);
    replaceByNone(rewriter, op);
    return success();
  }
};

class MultiplyBlocks : public BlockPattern<tw::tile::MmaOp> {
public:
  MultiplyBlocks(const TypeConverter &converter, ArrayRef<const MatrixUnit *> units,
                 MLIRContext *context)
      : BlockPattern(converter, units.front(), context), units(units) {}

private:
  const SmallVector<const MatrixUnit *> units;

  LogicalResult matchAndRewrite(tw::tile::MmaOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isInBlocks(op.getResult().getType()))
      return rewriter.notifyMatchFailure(op, "not in blocks");
    auto blocksOf = [](Value value) { return Blocks(cast<RankedTensorType>(value.getType())); };
    Blocks sum = blocksOf(op.getResult()), lhs = blocksOf(op.getLhs()), rhs = blocksOf(op.getRhs());
    DotKind kind = lhs.element.isBF16() ? DotKind::BF16 : DotKind::Int8;
    auto found = llvm::find_if(units, [&](auto *candidate) { return candidate->kind == kind; });
    if (found == units.end())
      return rewriter.notifyMatchFailure(op, "no unit for its elements");
    int64_t next = sum.encoding.getFirst();
    for (int64_t r = 0; r < sum.countRows(); ++r)
      for (int64_t c = 0; c < sum.countColumns(); ++c)
        (*found)->multiply(rewriter, op.getLoc(), lhs.encoding.getFirst() + r,
                           rhs.encoding.getFirst() + c, next++, op.getLhsUnsigned(),
                           op.getRhsUnsigned());
    replaceByNone(rewriter, op);
    return success();
  }
};

using Shapes = SmallVector<BlockShape, 8>;

/// Adds what registers hold of the tile; false if they hold other shapes already.
bool addShapes(RankedTensorType type, Shapes &shapes) {
  Blocks tile(type);
  for (auto [i, place] : llvm::enumerate(getPlaces(tile))) {
    BlockShape &shape = shapes[tile.encoding.getFirst() + i];
    if (shape.rows && (shape.rows != place.rows || shape.bytes != place.bytes))
      return false;
    shape = {place.rows, place.bytes};
  }
  return true;
}

} // namespace

void tw::host::configureUnits(tw::tile::FuncOp program, const MatrixUnit &unit) {
  // What each product has in registers, and the op that makes the first of its sums.
  llvm::MapVector<int64_t, std::pair<Shapes, Operation *>> products;
  Shapes all(unit.registers);
  bool areEqual = true;
  program.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      auto encoding =
          tile ? dyn_cast_if_present<tw::tile::BlocksAttr>(tile.getEncoding()) : nullptr;
      if (!encoding)
        continue;
      auto [found, isFirst] =
          products.insert({encoding.getProduct(), {Shapes(unit.registers), op}});
      addShapes(tile, found->second.first);
      areEqual &= addShapes(tile, all);
    }
  });
  if (products.empty())
    return;
  Block &body = program.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Location location = program.getLoc();
  Value bytes =
      LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(unit.configBytes));
  constexpr unsigned kAlignment = 64;
  Value memory =
      LLVM::AllocaOp::create(builder, location, LLVM::LLVMPointerType::get(builder.getContext()),
                             builder.getI8Type(), bytes, kAlignment);
  if (areEqual) {
    unit.configure(builder, location, all, memory);
  } else {
    for (auto &[number, product] : products) {
      builder.setInsertionPoint(product.second);
      unit.configure(builder, location, product.first, memory);
    }
  }
  builder.setInsertionPoint(body.getTerminator());
  unit.release(builder, location);
}

void tw::host::populateBlockPatterns(TileTypeConverter &converter,
                                     ArrayRef<const MatrixUnit *> units,
                                     RewritePatternSet &patterns) {
  if (units.empty())
    return;
  const MatrixUnit *unit = units.front();
  converter.addConversion(
      [](RankedTensorType type, SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        if (!isa_and_nonnull<tw::tile::BlocksAttr>(type.getEncoding()))
          return std::nullopt;
        results.push_back(IntegerType::get(type.getContext(), 1));
        return success();
      });
  patterns.add<LoadBlocks, StoreBlocks, ZeroBlocks>(converter, unit, patterns.getContext());
  patterns.add<MultiplyBlocks>(converter, units, patterns.getContext());
}
