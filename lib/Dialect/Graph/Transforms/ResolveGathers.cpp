// graph-resolve-gathers: reads elements at known positions by movement.
//
// Positions are taken apart into what movement ops do: progressions are slices, repeated elements
// and repeated sequences are dimensions along which nothing changes, and few of these one after
// the other are concatenated.
#include "../PartsBuilder.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHRESOLVEGATHERS
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

using Positions = ArrayRef<int64_t>;

/// Whether each position is `step` above the one before it.
static bool isProgression(Positions positions, int64_t step) {
  for (size_t i = 1; i < positions.size(); ++i)
    if (positions[i] - positions[i - 1] != step)
      return false;
  return true;
}

/// How many positions from the first on are equal.
static size_t countEqual(Positions positions) {
  size_t count = 1;
  while (count < positions.size() && positions[count] == positions.front())
    ++count;
  return count;
}

/// The first position of each block, if all in a block of `count` are equal; nothing else.
static SmallVector<int64_t> takeBlocks(Positions positions, size_t count) {
  SmallVector<int64_t> firsts;
  if (positions.size() % count != 0)
    return firsts;
  for (; !positions.empty(); positions = positions.drop_front(count)) {
    if (countEqual(positions.take_front(count)) != count)
      return {};
    firsts.push_back(positions.front());
  }
  return firsts;
}

/// The length of the shortest sequence that the positions repeat.
static size_t getPeriod(Positions positions) {
  size_t size = positions.size();
  for (size_t period = 1; period <= size / 2; ++period)
    if (size % period == 0 && positions.drop_front(period) == positions.drop_back(period))
      return period;
  return size;
}

/// How many positions from the first on are one progression.
static size_t countProgression(Positions positions) {
  size_t count = std::min<size_t>(2, positions.size());
  while (count < positions.size() &&
         positions[count] - positions[count - 1] == positions[1] - positions[0])
    ++count;
  return count;
}

namespace {

class Movement {
public:
  Movement(PartsBuilder parts, Value source, int64_t axis) : p(parts), source(source), axis(axis) {}

  /// Null where the positions come apart into too many pieces.
  Value read(Positions positions) {
    size_t size = positions.size();
    int64_t step = size > 1 ? positions[1] - positions[0] : 1;
    if (step != 0 && isProgression(positions, step))
      return readProgression(positions.front(), int64_t(size), step);
    if (size_t count = countEqual(positions); count > 1)
      if (SmallVector<int64_t> firsts = takeBlocks(positions, count); !firsts.empty())
        return repeat(read(firsts), axis + 1, int64_t(count));
    if (size_t period = getPeriod(positions); period < size)
      return repeat(read(positions.take_front(period)), axis, int64_t(size / period));
    return readPieces(positions);
  }

private:
  PartsBuilder p;
  Value source;
  int64_t axis;

  Value readProgression(int64_t first, int64_t size, int64_t step) {
    bool isBackward = step < 0;
    int64_t low = isBackward ? first + (size - 1) * step : first;
    bool isWhole = low == 0 && std::abs(step) == 1 && p.shapeOf(source)[axis] == Dim(size);
    Value part = isWhole ? source : p.sliceBy(source, axis, low, size, std::abs(step));
    if (!isBackward || size == 1)
      return part;
    return FlipOp::create(p.builder, p.loc, part.getType(), part, ArrayRef<int64_t>{axis});
  }

  /// A dimension `dim` of `times`, merged with the axis.
  Value repeat(Value x, int64_t dim, int64_t times) {
    if (!x)
      return x;
    Shape shape = p.shapeOf(x);
    shape[axis] = shape[axis] * times;
    return p.reshape(p.repeat(x, dim, Dim(times)), shape);
  }

  /// Border, image and border, and one more.
  Value readPieces(Positions positions) {
    constexpr size_t kPieces = 4;
    SmallVector<Positions> pieces;
    while (!positions.empty()) {
      size_t count = countProgression(positions);
      pieces.push_back(positions.take_front(count));
      positions = positions.drop_front(count);
      if (pieces.size() > kPieces)
        return Value();
    }
    SmallVector<Value> values;
    for (Positions piece : pieces)
      values.push_back(read(piece));
    return p.concat(values, axis);
  }
};

struct ResolveGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    DenseIntElementsAttr indices;
    if (op.getIndices().size() != 1 || op.getBatchDims() != 0 ||
        !matchPattern(op.getIndices().front(), m_Constant(&indices)) || indices.empty())
      return rewriter.notifyMatchFailure(op, "the positions are not known");
    PartsBuilder p{rewriter, op.getLoc()};
    int64_t axis = op.getAxis();
    Dim size = p.shapeOf(op.getSource())[axis];
    if (!size.isStatic())
      return rewriter.notifyMatchFailure(op, "a call settles the size");
    SmallVector<int64_t> positions;
    for (const APInt &index : indices.getValues<APInt>()) {
      int64_t position = index.getSExtValue();
      if (position < 0 || position >= size.getConstant())
        return rewriter.notifyMatchFailure(op, "an element is outside");
      positions.push_back(position);
    }
    Value moved = Movement(p, op.getSource(), axis).read(positions);
    if (!moved)
      return rewriter.notifyMatchFailure(op, "the positions have no simple order");
    rewriter.replaceOp(op, p.reshape(moved, p.shapeOf(op.getResult())));
    return success();
  }
};

struct GraphResolveGathers : tw::impl::GraphResolveGathersBase<GraphResolveGathers> {
  using GraphResolveGathersBase::GraphResolveGathersBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ResolveGather>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
