// ttile.scan: steps of 1, 2, 4 .. lanes within a vector, then the totals from vector to vector.
//
// Along a dimension that is not the last, whole parts follow each other.
#include "Parts.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::host;

namespace {

class Scanner {
public:
  Scanner(tw::tile::ScanOp op, OpBuilder &builder) : op(op), builder(builder) {}

  /// The earlier elements on the left, whichever way the scan runs.
  Value combine(Value left, Value right) {
    return arith::getReductionOp(op.getKind(), builder, op.getLoc(), left, right);
  }

  Value identity(unsigned lanes) {
    Type element = cast<RankedTensorType>(op.getValue().getType()).getElementType();
    return splatConstant(builder, op.getLoc(),
                         arith::getIdentityValueAttr(op.getKind(), element, builder, op.getLoc()),
                         lanes);
  }

  /// Moves elements `by` lanes on in the direction of the scan; the identity comes in.
  Value shift(Value vector, int64_t by) {
    int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t from = op.getReverse() ? lane + by : lane - by;
      mask.push_back(from >= 0 && from < lanes ? from : lanes);
    }
    return vector::ShuffleOp::create(builder, op.getLoc(), vector, identity(lanes), mask);
  }

  Value keepFirst(Value vector, int64_t valid) {
    int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back(lane < valid ? lane : lanes);
    return vector::ShuffleOp::create(builder, op.getLoc(), vector, identity(lanes), mask);
  }

  /// The inclusive scan of the lanes of one vector.
  Value scanLanes(Value vector) {
    int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
    for (int64_t step = 1; step < lanes; step *= 2)
      vector = combine(shift(vector, step), vector);
    return vector;
  }

  /// Rewrites the values of a row in place; returns the total, a scalar. `valid` lanes of the last
  /// vector are inside the tile.
  Value scanRow(MutableArrayRef<Value> row, unsigned lanes, int64_t valid) {
    Value before;
    for (size_t i = 0; i < row.size(); ++i) {
      size_t at = op.getReverse() ? row.size() - 1 - i : i;
      int64_t count = at + 1 == row.size() ? valid : lanes;
      Value value = row[at];
      if (op.getReverse() && count < lanes)
        value = keepFirst(value, count);
      Value scanned = scanLanes(value);
      Value last =
          vector::ExtractOp::create(builder, op.getLoc(), scanned, op.getReverse() ? 0 : count - 1);
      if (op.getExclusive())
        scanned = shift(scanned, 1);
      row[at] = before ? combine(splat(builder, op.getLoc(), before, lanes), scanned) : scanned;
      before = before ? combine(before, last) : last;
    }
    return before;
  }

private:
  tw::tile::ScanOp op;
  OpBuilder &builder;
};

class ScanPattern : public OpConversionPattern<tw::tile::ScanOp> {
public:
  ScanPattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : OpConversionPattern(converter, context), parts(parts) {}

  LogicalResult matchAndRewrite(tw::tile::ScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    assert(!op.getBefore() && "refused before");
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    Scanner scanner(op, rewriter);
    SmallVector<Value> values(adaptor.getValue()), totals;
    unsigned lanes = parts.lanes(tile), perRow = parts.perRow(tile);
    int64_t dim = op.getDim(), extent = tile.getDimSize(dim);
    if (dim + 1 == tile.getRank() && lanes > 1) {
      int64_t valid = extent - int64_t(perRow - 1) * lanes;
      for (size_t row = 0; row < values.size(); row += perRow)
        totals.push_back(scanner.scanRow(MutableArrayRef(values).slice(row, perRow), lanes, valid));
    } else {
      size_t inner = dim + 1 == tile.getRank() ? 1 : perRow;
      for (int64_t d = dim + 1; d + 1 < tile.getRank(); ++d)
        inner *= tile.getDimSize(d);
      for (size_t begin = 0; begin < values.size(); begin += extent * inner)
        for (size_t i = 0; i < inner; ++i)
          totals.push_back(scanColumn(op, scanner, values, begin + i, inner, extent, lanes));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values, totals});
    return success();
  }

private:
  const Parts parts;

  static Value scanColumn(tw::tile::ScanOp op, Scanner &scanner, MutableArrayRef<Value> values,
                          size_t first, size_t step, int64_t extent, unsigned lanes) {
    Value before;
    for (int64_t i = 0; i < extent; ++i) {
      Value &value = values[first + (op.getReverse() ? extent - 1 - i : i) * step];
      Value after = before ? scanner.combine(before, value) : value;
      value = !op.getExclusive() ? after : before ? before : scanner.identity(lanes);
      before = after;
    }
    return before;
  }
};

} // namespace

void tw::host::populateScanPatterns(const TileTypeConverter &converter, const Parts &parts,
                                    RewritePatternSet &patterns) {
  patterns.add<ScanPattern>(converter, parts, patterns.getContext());
}
