// The pass tile-split-loops: index set splitting where points of a tile pass a border.
//
// for %j = 0 to 16 { select(%j * 64 + lane < 450, %a, %b) }
//   ->   for %j = 0 to 7 { %a };  { select(7 * 64 + lane < 450, %a, %b) };  for %j = 8 to 16 { %b }
//
// It runs before tile-prove-bounds, which decides what the new bounds of the loops decide. Loops
// that carry sums of products are left alone: these stay in registers from end to end.
#include "tw/Dialect/Tile/Transforms/Passes.h"

#include "IndexFacts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tw {
#define GEN_PASS_DEF_TILESPLITLOOPSPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// The iterations [first, end) where some points of a comparison hold and some may not; it is
/// decided in those before and behind. Over the indices that the loop does not change.
struct Border {
  AffineMap first, end;
  SmallVector<Value> operands;
};

/// Whether the loop carries sums of products from one iteration to the next.
bool carriesProducts(scf::ForOp loop) {
  return loop.getNumRegionIterArgs() > 0 &&
         loop.getBody()->walk([](tile::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

class Splitter {
public:
  explicit Splitter(int64_t mostOps) : mostOps(mostOps) {}

  /// Splits one loop of the program; false if there is none to split. `isLonger`: if the body is
  /// there more than once then.
  bool splitOne(tile::FuncOp program, bool &isLonger) {
    facts.clear();
    std::optional<Border> border;
    auto result = program.getBody().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (isShort(loop))
        border = findBorder(loop);
      if (!border)
        return WalkResult::advance();
      isLonger = splitAt(loop, *border);
      return WalkResult::interrupt();
    });
    return result.wasInterrupted();
  }

private:
  int64_t mostOps;
  llvm::DenseMap<Block *, std::unique_ptr<tile::IndexFacts>> facts;

  bool isShort(scf::ForOp loop) {
    int64_t count = 0;
    auto result = loop.getBody()->walk([&](Operation *op) {
      return ++count > mostOps ? WalkResult::interrupt() : WalkResult::advance();
    });
    return !result.wasInterrupted() && getConstantIntValue(loop.getStep()) == 1 &&
           !carriesProducts(loop);
  }

  /// That of the first comparison that is not decided in all iterations, but by the loop's index
  /// in all except for one at most.
  std::optional<Border> findBorder(scf::ForOp loop) {
    std::optional<Border> border;
    loop.getBody()->walk([&](Operation *op) {
      tile::forEachComparison(op, [&](const tile::Comparison &comparison) {
        std::unique_ptr<tile::IndexFacts> &known = facts[op->getBlock()];
        if (!known)
          known = std::make_unique<tile::IndexFacts>(op);
        if (!border && known->decide(comparison) == layout::Truth::Maybe)
          border = getBorder(loop, *known, comparison);
      });
      return border ? WalkResult::interrupt() : WalkResult::advance();
    });
    return border;
  }

  std::optional<Border> getBorder(scf::ForOp loop, tile::IndexFacts &facts,
                                  const tile::Comparison &comparison) {
    std::optional<tile::IndexFacts::Form> form = facts.getForm(comparison);
    if (!form || form->lanes.min == INT64_MIN || form->lanes.max == INT64_MAX)
      return std::nullopt;
    // scalar = step * index + rest
    layout::Atom index{facts.getNumber(loop.getInductionVar()), 0, nullptr};
    int64_t step = form->scalar.coefficientOf(index), width = std::abs(step);
    layout::Expr rest = form->scalar - layout::Expr::of(index) * step;
    if (step == 0 || rest.uses(index.dim) || form->lanes.max - form->lanes.min > width)
      return std::nullopt;
    Border result;
    unsigned count = 0;
    std::vector<layout::Expr> dims(facts.getFirstNumber());
    for (Value value : facts.getIndices()) {
      if (!rest.uses(dims.size())) {
        dims.emplace_back(0);
        continue;
      }
      if (!loop.isDefinedOutsideOfLoop(value))
        return std::nullopt;
      dims.push_back(layout::Expr::dim(count++));
      result.operands.push_back(value);
    }
    rest = substitute(rest, dims);
    auto toMap = [&](const layout::Expr &expr) {
      MLIRContext *context = loop.getContext();
      return AffineMap::get(count, 0, view::toAffine(expr, context), context);
    };
    auto [low, high] = form->lanes;
    if (step > 0) {
      // Never below (-rest - high) / step rounded up, always from (-rest - low) / step on.
      result.first = toMap(floorDiv(-rest - high + (width - 1), width));
      result.end = toMap(floorDiv(-rest - low + (width - 1), width));
    } else {
      result.first = toMap(floorDiv(rest + low, width) + 1);
      result.end = toMap(floorDiv(rest + high, width) + 1);
    }
    return result;
  }

  /// Emits the iterations from `lower` on and below `upper` before the loop, which they are
  /// some of; at most one if not `isLoop`. Returns the values that the loop carries.
  SmallVector<Value> emitPart(scf::ForOp loop, Value lower, Value upper, bool isLoop,
                              ValueRange carried) {
    std::optional<view::DimRange> from = tile::getIndexRange(lower, loop),
                                  to = tile::getIndexRange(upper, loop);
    // What lies behind the end of an axis whose size a call settles is known by no range alone.
    if ((from && to && from->min >= to->max) || tile::IndexFacts(loop).isAtMost(upper, lower))
      return SmallVector<Value>(carried);
    OpBuilder builder(loop);
    auto emitOnce = [&](OpBuilder &at) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), lower);
      mapping.map(loop.getRegionIterArgs(), carried);
      for (Operation &op : loop.getBody()->without_terminator())
        at.clone(op, mapping);
      return llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                                 [&](Value value) { return mapping.lookupOrDefault(value); });
    };
    std::optional<int64_t> first = getConstantIntValue(lower), end = getConstantIntValue(upper);
    if (first && end && *first + 1 == *end)
      return emitOnce(builder);
    if (isLoop) {
      auto part = cast<scf::ForOp>(builder.clone(*loop));
      part.setLowerBound(lower);
      part.setUpperBound(upper);
      part.getInitArgsMutable().assign(carried);
      return SmallVector<Value>(part.getResults());
    }
    Value any =
        arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::slt, lower, upper);
    if (carried.empty()) {
      scf::IfOp::create(builder, loop.getLoc(), any, [&](OpBuilder &inner, Location location) {
        emitOnce(inner);
        scf::YieldOp::create(inner, location);
      });
      return {};
    }
    auto branch = scf::IfOp::create(
        builder, loop.getLoc(), any,
        [&](OpBuilder &inner, Location location) {
          scf::YieldOp::create(inner, location, emitOnce(inner));
        },
        [&](OpBuilder &inner, Location location) {
          scf::YieldOp::create(inner, location, carried);
        });
    return SmallVector<Value>(branch.getResults());
  }

  /// Whether a loop is left, before the border or behind it.
  bool splitAt(scf::ForOp loop, const Border &border) {
    OpBuilder builder(loop);
    Location location = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    auto evaluate = [&](AffineMap map) {
      OpFoldResult result = affine::makeComposedFoldedAffineApply(
          builder, location, map, getAsOpFoldResult(ValueRange(border.operands)));
      return getValueOrCreateConstantIndexOp(builder, location, result);
    };
    auto larger = [&](Value a, Value b) {
      return builder.createOrFold<arith::MaxSIOp>(location, a, b);
    };
    auto smaller = [&](Value a, Value b) {
      return builder.createOrFold<arith::MinSIOp>(location, a, b);
    };
    Value first = evaluate(border.first), end = evaluate(border.end);
    SmallVector<Value> carried(loop.getInitArgs());
    Block *block = loop->getBlock();
    auto countLoops = [&] { return llvm::range_size(block->getOps<scf::ForOp>()); };
    auto before = countLoops();
    carried = emitPart(loop, lower, smaller(first, upper), /*isLoop=*/true, carried);
    carried = emitPart(loop, larger(first, lower), smaller(end, upper), /*isLoop=*/false, carried);
    carried = emitPart(loop, larger(end, lower), upper, /*isLoop=*/true, carried);
    loop.replaceAllUsesWith(carried);
    loop.erase();
    return countLoops() >= before;
  }
};

class TileSplitLoopsPass : public tw::impl::TileSplitLoopsPassBase<TileSplitLoopsPass> {
public:
  using TileSplitLoopsPassBase::TileSplitLoopsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](tile::FuncOp program) {
      Splitter splitter(mostOps);
      // What becomes a branch is no more code.
      int64_t count = 0;
      for (bool isLonger; count < mostSplits && splitter.splitOne(program, isLonger);)
        count += isLonger;
    });
  }
};

} // namespace
