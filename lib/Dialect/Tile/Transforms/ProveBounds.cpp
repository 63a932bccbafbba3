// The pass tile-prove-bounds: interval analysis of the coordinates of accesses.
//
// It runs when loops and grid are final, right before a target lowers tiles. Ranges come from where
// an index is defined; the arithmetic on them is lib/Layout's.
#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace tw {
#define GEN_PASS_DEF_TILEPROVEBOUNDSPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// Whether an op runs only where the index has another value: in the else branch of
/// `scf.if (index == value)`.
bool isExcluded(Value index, int64_t value, Operation *at) {
  for (Operation *parent = at->getParentOp(); parent; at = parent, parent = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    auto condition = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    if (condition && condition.getPredicate() == arith::CmpIPredicate::eq &&
        condition.getLhs() == index && getConstantIntValue(condition.getRhs()) == value &&
        at->getParentRegion() == &branch.getElseRegion())
      return true;
  }
  return false;
}

/// The values that an index takes where an op runs, if they are bounded.
std::optional<view::DimRange> rangeOf(Value index, Operation *at) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return view::DimRange{*constant, *constant, 1};
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<tile::FuncOp>(owner)) {
      int64_t extent = kernel.getGrid()[argument.getArgNumber() - kernel.getNumBuffers()];
      bool isLastExcluded = extent > 1 && isExcluded(index, extent - 1, at);
      return view::DimRange{0, isLastExcluded ? extent - 2 : extent - 1, 1};
    }
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || loop.getInductionVar() != index)
      return std::nullopt;
    std::optional<view::DimRange> low = rangeOf(loop.getLowerBound(), at);
    std::optional<view::DimRange> high = rangeOf(loop.getUpperBound(), at);
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!low || !high || !step || *step <= 0 || low->min >= high->max)
      return std::nullopt;
    if (low->min != low->max)
      return view::DimRange{low->min, high->max - 1, 1};
    int64_t last = low->min + (high->max - 1 - low->min) / *step * *step;
    return view::DimRange{low->min, last, *step};
  }
  if (Operation *op = index.getDefiningOp(); isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(op)) {
    std::optional<view::DimRange> a = rangeOf(op->getOperand(0), at);
    std::optional<view::DimRange> b = rangeOf(op->getOperand(1), at);
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::MinSIOp>(op))
      return view::DimRange{std::min(a->min, b->min), std::min(a->max, b->max), 1};
    return view::DimRange{std::max(a->min, b->min), std::max(a->max, b->max), 1};
  }
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getAffineMap().getNumSymbols() != 0)
    return std::nullopt;
  SmallVector<view::DimRange> operands;
  for (Value operand : apply.getOperands()) {
    std::optional<view::DimRange> range = rangeOf(operand, at);
    if (!range)
      return std::nullopt;
    operands.push_back(*range);
  }
  auto range = view::getRange(apply.getAffineMap().getResult(0), operands);
  if (!range)
    return std::nullopt;
  return view::DimRange{range->min, range->max, 1};
}

/// What is known of the dims of an access's map: tile coordinates, then indices.
class AccessRanges {
public:
  AccessRanges(RankedTensorType tile, ValueRange indices, Operation *access) {
    for (int64_t extent : tile.getShape())
      ranges.push_back(view::DimRange{0, extent - 1, 1});
    for (Value index : indices)
      ranges.push_back(index.getType().isIndex() ? rangeOf(index, access) : std::nullopt);
  }

  /// Bounds of an expression whose dims are all bounded.
  std::optional<layout::Range> of(AffineExpr expression) const {
    SmallVector<view::DimRange> known;
    for (auto [dim, range] : llvm::enumerate(ranges)) {
      if (!range && expression.isFunctionOfDim(dim))
        return std::nullopt;
      known.push_back(range.value_or(view::DimRange{}));
    }
    return view::getRange(expression, known);
  }

  bool alwaysHolds(IntegerSet set) const {
    for (auto [constraint, equality] : llvm::zip(set.getConstraints(), set.getEqFlags())) {
      std::optional<layout::Range> range = of(constraint);
      if (!range || range->min < 0 || (equality && range->max != 0))
        return false;
      if (equality && range->min != 0)
        return false;
    }
    return true;
  }

  /// Extents for dims that start at 0; -1 where that is not known.
  SmallVector<int64_t> extents() const {
    SmallVector<int64_t> result;
    for (const std::optional<view::DimRange> &range : ranges)
      result.push_back(range && range->min >= 0 ? range->max + 1 : -1);
    return result;
  }

private:
  SmallVector<std::optional<view::DimRange>> ranges;
};

class TileProveBoundsPass : public tw::impl::TileProveBoundsPassBase<TileProveBoundsPass> {
public:
  using TileProveBoundsPassBase::TileProveBoundsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op))
        prove(load, load.getSource(), load.getResult());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        prove(store, store.getDestination(), store.getValue());
    });
  }

private:
  template <typename Op> void prove(Op op, Value memory, Value tile) {
    auto memoryType = cast<MemRefType>(memory.getType());
    auto tileType = cast<RankedTensorType>(tile.getType());
    AccessRanges ranges(tileType, op.getIndices(), op);
    view::MapAttr map = op.getMap();
    SmallVector<view::GuardAttr> guards;
    for (view::GuardAttr guard : map.getGuards())
      if (!ranges.alwaysHolds(guard.getSet()))
        guards.push_back(guard);
    // A coordinate as it was may say more: that of a remainder, of which sums are left.
    AffineMap given = map.getMap();
    map = view::MapAttr::get(given, guards, map.getOutside());
    map = view::simplify(map, ranges.extents(), memoryType.getShape(), tileType.getElementType());
    op.setMapAttr(map);

    // What is known already was proved where the access was made.
    SmallVector<bool> inBounds(op.getInBounds().value_or(ArrayRef<bool>()));
    inBounds.resize(memoryType.getRank());
    for (auto [d, extent] : llvm::enumerate(memoryType.getShape())) {
      for (AffineExpr coordinate : {map.getMap().getResult(d), given.getResult(d)}) {
        std::optional<layout::Range> range = ranges.of(coordinate);
        inBounds[d] |= range && range->min >= 0 && range->max < extent;
      }
      ++(inBounds[d] ? proved : kept);
    }
    if (llvm::is_contained(inBounds, true))
      op.setInBounds(inBounds);
  }
};

} // namespace
