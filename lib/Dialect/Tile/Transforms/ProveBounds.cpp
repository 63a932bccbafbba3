// The pass tile-prove-bounds: interval analysis of the coordinates of accesses.
//
// It runs when loops and grid are final, right before a target lowers tiles. Ranges come from where
// an index is defined, inequalities between indices from the loops around an access; the arithmetic
// on both is lib/Layout's.
#include "tw/Dialect/Tile/Transforms/Passes.h"

#include "IndexFacts.h"
#include "tw/Dialect/Tile/Ranges.h"

#include "mlir/IR/Iterators.h"

namespace tw {
#define GEN_PASS_DEF_TILEPROVEBOUNDSPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// What is known of the dims of an access's map: tile coordinates, then indices.
class AccessRanges {
public:
  AccessRanges(RankedTensorType tile, ValueRange indices, Operation *access) {
    for (int64_t extent : tile.getShape())
      ranges.push_back(view::DimRange{0, extent - 1, 1});
    for (Value index : indices)
      ranges.push_back(index.getType().isIndex() ? tile::getIndexRange(index, access)
                                                 : std::nullopt);
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

  layout::Truth decide(AffineExpr constraint, bool equality) const {
    std::optional<layout::Range> range = of(constraint);
    if (!range)
      return layout::Truth::Maybe;
    if (range->max < 0 || (equality && range->min > 0))
      return layout::Truth::Never;
    return range->min >= 0 && (!equality || range->max == 0) ? layout::Truth::Always
                                                             : layout::Truth::Maybe;
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

/// Whether so many accesses go past an end of the memory that it matters what a page which is not
/// there costs: a processor takes a thousand cycles for an access to it without lanes, one or two
/// to read elsewhere. A coordinate that is outside leads there only where those around it are near
/// their first or last value; what lies nearer than a good part of a page is most often there.
bool strays(view::MapAttr access, const AccessRanges &ranges, MemRefType memory,
            ArrayRef<bool> inBounds) {
  constexpr int64_t kNear = 1024, kSeldom = 512;
  int64_t bytes = (memory.getElementTypeBitWidth() + 7) / 8, around = 1;
  // Of an access with guards, bounds are those where they hold.
  auto isInside = [&](unsigned dim) { return inBounds[dim] && access.getGuards().empty(); };
  SmallVector<int64_t> strides(memory.getStridesAndOffset().first);
  for (auto [d, coordinate] : llvm::enumerate(access.getMap().getResults())) {
    if (ShapedType::isDynamic(memory.getDimSize(d)) || ShapedType::isDynamic(strides[d]))
      return false;
    std::optional<layout::Range> range = ranges.of(coordinate);
    int64_t excess =
        isInside(d) || !range ? 0 : std::max(-range->min, range->max - memory.getDimSize(d) + 1);
    // So many of the coordinates around lie as near to an end as this one leads past it.
    int64_t past = excess * strides[d];
    int64_t near = d == 0 ? 1 : std::max<int64_t>(1, past / std::max<int64_t>(1, strides[d - 1]));
    if (excess > 0 && past * bytes >= kNear &&
        std::max<int64_t>(1, around / near) * (range->max - range->min + 1) <= kSeldom * excess)
      return true;
    around *= std::max<int64_t>(1, memory.getDimSize(d));
    if (around > kSeldom * kSeldom)
      return false;
  }
  return false;
}

/// Whether conditions of the access change seldom from one iteration to the next: the loop around
/// is so long that a branch that is not foreseen, some 20 cycles, is nothing beside its iterations.
bool hasLongRuns(Operation *op, ValueRange indices) {
  constexpr int64_t kLong = 64;
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop || !llvm::is_contained(indices, loop.getInductionVar()))
    return false;
  // Of a size that a call settles, most are long.
  std::optional<APInt> count = loop.getStaticTripCount();
  return !count || count->sge(kLong);
}

/// Puts the constant in the op's place, and folds what it decides.
void replace(Operation *op, Attribute constant);

void replace(Operation *op, Value value) {
  SmallVector<Operation *> users(op->getUsers());
  op->getResult(0).replaceAllUsesWith(value);
  for (Operation *user : users) {
    SmallVector<OpFoldResult> results;
    if (user->getNumResults() != 1 || failed(user->fold(results)) || results.empty())
      continue;
    if (auto folded = dyn_cast<Value>(results.front()))
      replace(user, folded);
    else if (isa<arith::ArithDialect>(user->getDialect()))
      replace(user, cast<Attribute>(results.front()));
  }
}

void replace(Operation *op, Attribute constant) {
  OpBuilder builder(op);
  replace(op, arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(constant)));
}

class TileProveBoundsPass : public tw::impl::TileProveBoundsPassBase<TileProveBoundsPass> {
public:
  using TileProveBoundsPassBase::TileProveBoundsPassBase;

  void runOnOperation() override {
    facts.clear();
    SmallVector<std::pair<Operation *, TypedAttr>> decided;
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op))
        prove(load, load.getSource(), load.getResult());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        prove(store, store.getDestination(), store.getValue());
      if (TypedAttr constant = decide(op))
        decided.push_back({op, constant});
    });
    for (auto [op, constant] : decided)
      replace(op, constant);
    if (!decided.empty())
      getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
        if (isOpTriviallyDead(op))
          op->erase();
      });
  }

private:
  llvm::DenseMap<Block *, std::shared_ptr<tile::IndexFacts>> facts;

  tile::IndexFacts &factsAt(Operation *op) {
    std::shared_ptr<tile::IndexFacts> &known = facts[op->getBlock()];
    if (!known)
      known = std::make_shared<tile::IndexFacts>(op);
    return *known;
  }

  /// What a mask is at all points, or a load where it reads nothing.
  TypedAttr decide(Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isMask = isa<tile::InsideOp, arith::CmpIOp>(op);
    if (op->getNumResults() != 1 || (!load && !isMask) ||
        (load && !load.getMap().getGuards().empty()))
      return nullptr;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    bool never = false, maybe = false, any = false;
    tile::forEachComparison(op, [&](const tile::Comparison &comparison) {
      layout::Truth truth = factsAt(op).decide(comparison);
      never |= truth == layout::Truth::Never;
      maybe |= truth == layout::Truth::Maybe;
      any = true;
    });
    if (auto inside = dyn_cast<tile::InsideOp>(op))
      maybe |= llvm::is_contained(inside.getSet().getEqFlags(), true);
    if (!any || !type || (!never && (maybe || load)))
      return nullptr;
    if (load)
      return DenseElementsAttr::get(type,
                                    Attribute(load.getMap().getOutsideFill(type.getElementType())));
    return DenseElementsAttr::get(type, !never);
  }

  /// The most points along the last dimension of the tile, from the first one, of which all hold
  /// what the access compares them with.
  int64_t countSureLanes(Operation *op, RankedTensorType tile) {
    // Ends that are known are constants wherever they matter.
    auto program = op->getParentOfType<tile::FuncOp>();
    if (tile.getRank() == 0 || !program || program.getNumSymbols() == 0)
      return 0;
    unsigned last = tile.getRank() - 1;
    SmallVector<tile::Comparison> comparisons;
    tile::forEachComparison(op, [&](const tile::Comparison &comparison) {
      if (comparison.expr.isFunctionOfDim(last))
        comparisons.push_back(comparison);
    });
    auto hold = [&](int64_t lanes) {
      SmallVector<int64_t> shape(tile.getShape());
      shape.back() = lanes;
      auto part = RankedTensorType::get(shape, tile.getElementType());
      return llvm::all_of(comparisons, [&](const tile::Comparison &comparison) {
        return factsAt(op).decide({comparison.expr, part, comparison.indices}) ==
               layout::Truth::Always;
      });
    };
    int64_t sure = 0, most = tile.getShape().back();
    if (comparisons.empty() || !hold(1))
      return 0;
    for (sure = 1; most - sure > 1;) {
      int64_t middle = sure + (most - sure) / 2;
      (hold(middle) ? sure : most) = middle;
    }
    return sure;
  }

  template <typename Op> void prove(Op op, Value memory, Value tile) {
    auto memoryType = cast<MemRefType>(memory.getType());
    auto tileType = cast<RankedTensorType>(tile.getType());
    AccessRanges ranges(tileType, op.getIndices(), op);
    auto decide = [&](AffineExpr constraint, bool equality) {
      layout::Truth truth = ranges.decide(constraint, equality);
      if (truth != layout::Truth::Maybe || equality)
        return truth;
      return factsAt(op).decide({constraint, tileType, op.getIndices()});
    };
    auto holds = [&](IntegerSet set) {
      return llvm::all_of(llvm::zip(set.getConstraints(), set.getEqFlags()), [&](auto it) {
        return decide(std::get<0>(it), std::get<1>(it)) == layout::Truth::Always;
      });
    };
    view::MapAttr map = op.getMap();
    SmallVector<view::GuardAttr> guards;
    for (view::GuardAttr guard : map.getGuards())
      if (!holds(guard.getSet()))
        guards.push_back(guard);
    // A coordinate as it was may say more: that of a remainder, of which sums are left.
    AffineMap given = map.getMap();
    map = view::MapAttr::get(given, guards, map.getOutside());
    map = view::simplify(map, ranges.extents(), memoryType.getShape(), tileType.getElementType());
    op.setMapAttr(map);

    // What is known already was proved where the access was made, for where its guards hold: one
    // that says no more than the memory's extents do is left out, and they say it from now on: of
    // the coordinates that are left, as they are only where it holds those that were given.
    SmallVector<bool> inBounds(op.getInBounds().value_or(ArrayRef<bool>()));
    auto countOpen = [&](ArrayRef<view::GuardAttr> all) {
      size_t open = 0;
      for (view::GuardAttr guard : all)
        for (auto [constraint, isEquality] :
             llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags()))
          open += decide(constraint, isEquality) != layout::Truth::Always;
      return open;
    };
    bool isLeftOut = countOpen(map.getGuards()) < countOpen(guards);
    if (isLeftOut)
      inBounds.clear();
    inBounds.resize(memoryType.getRank());
    for (auto [d, extent] : llvm::enumerate(memoryType.getShape())) {
      for (AffineExpr coordinate : {map.getMap().getResult(d), given.getResult(d)}) {
        if (inBounds[d] || (isLeftOut && coordinate != map.getMap().getResult(d)))
          break;
        inBounds[d] = decide(coordinate, false) == layout::Truth::Always &&
                      decide(extent - 1 - coordinate, false) == layout::Truth::Always;
      }
    }
    if (llvm::is_contained(inBounds, true) || op.getInBounds())
      op.setInBounds(inBounds);
    if (strays(op.getMap(), ranges, memoryType, inBounds))
      op->setAttr(tile::straysAttrName, UnitAttr::get(op.getContext()));
    bool isSure = op.getMap().getGuards().empty() && !llvm::is_contained(inBounds, false);
    if (isa<tile::LoadOp>(op.getOperation()) && !isSure && hasLongRuns(op, op.getIndices()))
      op->setAttr(tile::longRunsAttrName, UnitAttr::get(op.getContext()));
    if (int64_t lanes = isSure ? 0 : countSureLanes(op, tileType); lanes > 0)
      op->setAttr(tile::sureLanesAttrName, Builder(op.getContext()).getI64IntegerAttr(lanes));
  }
};

} // namespace
