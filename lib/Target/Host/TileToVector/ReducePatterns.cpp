// ttile.reduce: a fixed tree of halves along each dimension.
//
// Along a dimension of extent n, element i is combined with element i + h, h = ceil(n / 2), where
// there is one; the h results go on until one is left. Along the last dimension the elements lie in
// lanes, and a shuffle brings element i + h to the lane of element i. Many rows of one vector each
// share vectors as they shrink: the same trees, with every lane in use.
#include "Parts.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw::host;

namespace {

/// The values of all tiles at one place, in the order of the op's operands.
using Tuple = SmallVector<Value>;

class Combiner {
public:
  Combiner(tw::tile::ReduceOp op, OpBuilder &builder) : op(op), builder(builder) {}

  /// One application to each lane.
  FailureOr<Tuple> combine(const Tuple &left, const Tuple &right) {
    if (std::optional<arith::AtomicRMWKind> kind = op.getKind()) {
      Value value = arith::getReductionOp(*kind, builder, op.getLoc(), left[0], right[0]);
      if (!value)
        return failure();
      return Tuple{value};
    }
    return inlineRegion(left, right);
  }

private:
  tw::tile::ReduceOp op;
  OpBuilder &builder;

  static unsigned lanesOf(Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? vector.getDimSize(0) : 1;
  }

  /// The region's scalar ops on vectors of as many lanes as the values have.
  FailureOr<Tuple> inlineRegion(const Tuple &left, const Tuple &right) {
    Block &block = op.getCombine().front();
    unsigned lanes = lanesOf(left[0]);
    IRMapping mapping;
    Tuple arguments(left);
    arguments.append(right);
    mapping.map(block.getArguments(), arguments);
    for (Operation &inner : block.without_terminator()) {
      if (inner.getNumRegions() != 0 || (lanes != 1 && !isElementwise(inner)))
        return failure();
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(splat(builder, op.getLoc(), mapping.lookupOrDefault(operand), lanes));
      if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
        mapping.map(constant.getResult(),
                    splatConstant(builder, op.getLoc(), constant.getValue(), lanes));
        continue;
      }
      SmallVector<Type> types;
      for (Type type : inner.getResultTypes())
        types.push_back(laneType(type, lanes));
      Operation *clone = builder.create(inner.getLoc(), inner.getName().getIdentifier(), operands,
                                        types, inner.getAttrs());
      mapping.map(inner.getResults(), clone->getResults());
    }
    Tuple results;
    for (Value value : block.getTerminator()->getOperands())
      results.push_back(splat(builder, op.getLoc(), mapping.lookupOrDefault(value), lanes));
    return results;
  }

  static bool isElementwise(Operation &operation) {
    return isa<arith::ConstantOp>(operation) || OpTrait::hasElementwiseMappableTraits(&operation);
  }
};

class ReducePattern : public OpConversionPattern<tw::tile::ReduceOp> {
public:
  ReducePattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : OpConversionPattern(converter, context), parts(parts) {}

  LogicalResult matchAndRewrite(tw::tile::ReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Combiner combiner(op, rewriter);
    auto tile = cast<RankedTensorType>(op.getValues()[0].getType());
    SmallVector<int64_t> shape(tile.getShape());
    // One tuple per part.
    SmallVector<Tuple> tuples(parts.count(tile));
    for (ValueRange values : adaptor.getValues())
      for (auto [tuple, value] : llvm::zip(tuples, values))
        tuple.push_back(value);
    for (int64_t dim : op.getDims()) {
      if (shape[dim] != 1) {
        auto current = RankedTensorType::get(shape, tile.getElementType());
        FailureOr<SmallVector<Tuple>> reduced =
            dim + 1 == tile.getRank() ? reduceLanes(op, current, tuples, combiner, rewriter)
                                      : reduceRows(current, dim, tuples, combiner);
        if (failed(reduced))
          return rewriter.notifyMatchFailure(op, "the kind or region does not act on vectors");
        tuples = std::move(*reduced);
      }
      shape[dim] = 1;
    }
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (const Tuple &tuple : tuples)
      for (auto [list, value] : llvm::zip(results, tuple))
        list.push_back(value);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  const Parts parts;

  /// Along a dimension that is not the last: whole parts are combined.
  FailureOr<SmallVector<Tuple>> reduceRows(RankedTensorType tile, int64_t dim,
                                           ArrayRef<Tuple> tuples, Combiner &combiner) const {
    int64_t inner = parts.perRow(tile);
    for (int64_t i = dim + 1; i + 1 < tile.getRank(); ++i)
      inner *= tile.getDimSize(i);
    int64_t extent = tile.getDimSize(dim), outer = tuples.size() / (inner * extent);
    SmallVector<Tuple> results;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        SmallVector<Tuple> column;
        for (int64_t e = 0; e < extent; ++e)
          column.push_back(tuples[(o * extent + e) * inner + i]);
        while (column.size() > 1) {
          size_t half = llvm::divideCeil(column.size(), 2);
          for (size_t e = 0; e + half < column.size(); ++e) {
            FailureOr<Tuple> sum = combiner.combine(column[e], column[e + half]);
            if (failed(sum))
              return failure();
            column[e] = *sum;
          }
          column.resize(half);
        }
        results.push_back(column.front());
      }
    }
    return results;
  }

  /// Along the last dimension.
  FailureOr<SmallVector<Tuple>> reduceLanes(tw::tile::ReduceOp op, RankedTensorType tile,
                                            ArrayRef<Tuple> tuples, Combiner &combiner,
                                            OpBuilder &builder) const {
    int64_t perRow = parts.perRow(tile), lanes = parts.lanes(tile), extent = tile.getShape().back();
    int64_t rows = tuples.size() / perRow;
    // Rows that become whole vectors, and enough of them to fill half of one with results.
    bool together = extent % lanes == 0 && llvm::isPowerOf2_64(extent) && rows * 2 >= lanes;
    // The last two elements are combined as scalars by a region: of vectors that are needed in lane
    // 0 alone, LLVM 22 compares doubles with themselves.
    bool endsInScalars = !together && !op.getKind() && lanes > 1;
    int64_t last = together ? lanes : endsInScalars ? 2 : 1;
    SmallVector<Tuple> results, vectors;
    for (size_t row = 0; row < tuples.size(); row += perRow) {
      SmallVector<Tuple> parts(tuples.begin() + row, tuples.begin() + row + perRow);
      for (int64_t count = extent; count > last;) {
        int64_t half = llvm::divideCeil(count, 2);
        for (int64_t begin = 0; begin < count - half; begin += lanes) {
          Tuple right = extract(op, builder, parts, begin + half, lanes);
          Tuple &left = parts[begin / lanes];
          FailureOr<Tuple> sum = combiner.combine(left, right);
          if (failed(sum))
            return failure();
          left = keepBeyond(op, builder, *sum, left, count - half - begin, half - begin, lanes);
        }
        count = half;
        parts.resize(llvm::divideCeil(count, lanes));
      }
      vectors.push_back(parts.front());
    }
    auto getLane = [&](const Tuple &tuple, int64_t lane) {
      Tuple scalars;
      for (Value value : tuple)
        scalars.push_back(vector::ExtractOp::create(builder, op.getLoc(), value, lane));
      return scalars;
    };
    if (!together) {
      for (const Tuple &tuple : vectors) {
        FailureOr<Tuple> result = getLane(tuple, 0);
        if (endsInScalars)
          result = combiner.combine(*result, getLane(tuple, 1));
        if (failed(result))
          return failure();
        results.push_back(*result);
      }
      return results;
    }
    for (ArrayRef<Tuple> left = vectors; !left.empty();) {
      int64_t count = std::min<int64_t>(lanes, left.size());
      FailureOr<Tuple> sums =
          reduceTogether(op, left.take_front(count), lanes, tile, combiner, builder);
      if (failed(sums))
        return failure();
      for (int64_t row = 0; row < count; ++row)
        results.push_back(getLane(*sums, row));
      left = left.drop_front(count);
    }
    return results;
  }

  /// Bits of the part of a register within which the cheap shuffles of CPUs stay.
  static constexpr unsigned kSegmentBits = 128;

  /// Up to n rows, each a vector of n lanes, to one vector of a lane for each. A round of distance
  /// h combines lane i with lane i + h within each row's part, and puts two rows side by side that
  /// differ in one bit of their number: first, in units of segments, the bits of segments, then the
  /// bits of lanes within segments. The rows end in their order.
  FailureOr<Tuple> reduceTogether(tw::tile::ReduceOp op, ArrayRef<Tuple> rows, int64_t n,
                                  RankedTensorType tile, Combiner &combiner,
                                  OpBuilder &builder) const {
    Type element = tile.getElementType();
    unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    int64_t segment = std::min<int64_t>(n, kSegmentBits / std::max(8u, width));
    unsigned within = llvm::Log2_64(segment), across = llvm::Log2_64(n) - within;
    // By the number of the row; empty where there is none.
    SmallVector<Tuple> live(n);
    llvm::copy(rows, live.begin());
    for (unsigned round = 0; round < across + within; ++round) {
      int64_t h = n >> (round + 1), unit = round < across ? n : segment;
      unsigned bit = round < across ? within + round : round - across;
      SmallVector<int64_t> low, high;
      for (int64_t begin = 0; begin < n; begin += unit)
        for (int64_t from : {begin, begin + n})
          for (int64_t lane = 0; lane < unit; ++lane)
            if (lane % (2 * h) < h) {
              low.push_back(from + lane);
              high.push_back(from + lane + h);
            }
      for (int64_t row = 0; row < n; ++row) {
        if (live[row].empty() || (row >> bit & 1))
          continue;
        Tuple &other = live[row | int64_t(1) << bit];
        Tuple left, right;
        for (auto [i, value] : llvm::enumerate(live[row])) {
          Value beside = other.empty() ? value : other[i];
          left.push_back(vector::ShuffleOp::create(builder, op.getLoc(), value, beside, low));
          right.push_back(vector::ShuffleOp::create(builder, op.getLoc(), value, beside, high));
        }
        FailureOr<Tuple> sum = combiner.combine(left, right);
        if (failed(sum))
          return failure();
        live[row] = *sum;
        other.clear();
      }
    }
    return live.front();
  }

  /// The vector of elements begin, begin + 1 ..; lanes past the last part repeat an element.
  static Tuple extract(tw::tile::ReduceOp op, OpBuilder &builder, ArrayRef<Tuple> parts,
                       int64_t begin, int64_t lanes) {
    size_t first = begin / lanes, second = std::min(first + 1, parts.size() - 1);
    int64_t shift = begin % lanes;
    if (shift == 0)
      return parts[first];
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back(lane + shift);
    Tuple result;
    for (auto [low, high] : llvm::zip(parts[first], parts[second]))
      result.push_back(vector::ShuffleOp::create(builder, op.getLoc(), low, high, mask));
    return result;
  }

  /// Lanes [0, combined) of `sum`; an element without a partner, in [combined, wanted), is kept.
  static Tuple keepBeyond(tw::tile::ReduceOp op, OpBuilder &builder, const Tuple &sum,
                          const Tuple &old, int64_t combined, int64_t wanted, int64_t lanes) {
    if (combined >= std::min(wanted, lanes))
      return sum;
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back(lane < combined ? lane : lanes + lane);
    Tuple result;
    for (auto [fresh, kept] : llvm::zip(sum, old))
      result.push_back(vector::ShuffleOp::create(builder, op.getLoc(), fresh, kept, mask));
    return result;
  }
};

} // namespace

void tw::host::populateReducePatterns(const TileTypeConverter &converter, const Parts &parts,
                                      RewritePatternSet &patterns) {
  patterns.add<ReducePattern>(converter, parts, patterns.getContext());
}
