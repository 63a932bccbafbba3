// Canonical forms of branches and loops that need no other ops than they have: what is known, what
// does not change, what nothing reads.
#include "tw/Dialect/Graph/Graph.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

static std::optional<bool> getKnownPredicate(Value predicate) {
  DenseElementsAttr value;
  if (!matchPattern(predicate, m_Constant(&value)))
    return std::nullopt;
  return *value.value_begin<bool>();
}

/// Copies what a region without arguments computes to the insertion point; gives what it yields.
static SmallVector<Value> inlineCopy(Region &region, PatternRewriter &rewriter) {
  IRMapping mapping;
  for (Operation &op : region.front().without_terminator())
    rewriter.clone(op, mapping);
  return llvm::map_to_vector(region.front().getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

//===---------------------------------------------------------------------------------------===//
// if

namespace {

// if true { a } else { b }  ->  a
struct TakeKnownSide : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> known = getKnownPredicate(op.getCondition());
    if (!known)
      return rewriter.notifyMatchFailure(op, "the condition is not known");
    rewriter.replaceOp(op, inlineCopy(*known ? op.getThenRegion() : op.getElseRegion(), rewriter));
    return success();
  }
};

// %r:2 = if %c { yield a, x } else { yield b, x }  ->  %r = if %c { yield a } else { yield b }
// also where nothing reads the second result
struct DropResultsOfIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    Operation *first = op.getThenRegion().front().getTerminator();
    Operation *second = op.getElseRegion().front().getTerminator();
    SmallVector<Value> kept, results;
    SmallVector<unsigned> dropped;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      bool isSame = first->getOperand(i) == second->getOperand(i);
      if (isSame)
        rewriter.replaceAllUsesWith(result, first->getOperand(i));
      if (isSame || result.use_empty())
        dropped.push_back(i);
      else
        kept.push_back(result);
    }
    if (dropped.empty())
      return rewriter.notifyMatchFailure(op, "each result is read and depends on the condition");
    auto smaller =
        IfOp::create(rewriter, op.getLoc(), ValueRange(kept).getTypes(), op.getCondition());
    for (auto [from, to] : {std::pair(&op.getThenRegion(), &smaller.getThenRegion()),
                            std::pair(&op.getElseRegion(), &smaller.getElseRegion())}) {
      Operation *yield = from->front().getTerminator();
      for (unsigned i : llvm::reverse(dropped))
        rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperand(i); });
      rewriter.inlineRegionBefore(*from, *to, to->end());
    }
    for (auto [result, other] : llvm::zip(kept, smaller.getResults()))
      rewriter.replaceAllUsesWith(result, other);
    rewriter.eraseOp(op);
    return success();
  }
};

//===---------------------------------------------------------------------------------------===//
// What loops share

/// Arguments of a loop's region that depend on what may be read of the loop. A predicate may.
llvm::SmallBitVector findLiveArguments(LoopLikeOpInterface loop, YieldOp yield) {
  Region &body = *loop.getLoopRegions().front();
  llvm::SmallBitVector live(body.getNumArguments());
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> open;
  for (auto [result, value] : llvm::zip(loop->getResults(), yield.getValues()))
    if (!result.use_empty() || (isa<WhileOp>(loop) && result.getResultNumber() == 0))
      open.push_back(value);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body.front() && !live[argument.getArgNumber()]) {
      live.set(argument.getArgNumber());
      if (argument.getArgNumber() < loop.getInits().size())
        open.push_back(yield.getValues()[argument.getArgNumber()]);
    }
    Operation *op = value.getDefiningOp();
    if (op && body.isAncestor(op->getParentRegion()) && seen.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(open, inner->getOperands()); });
  }
  return live;
}

/// Moves the body of a loop into one that has not the results and arguments that are dead: then
/// nothing reads such an argument but what computes such a result.
template <typename LoopOp>
void moveBody(LoopOp from, LoopOp to, const llvm::SmallBitVector &deadResults,
              const llvm::SmallBitVector &deadArguments, PatternRewriter &rewriter) {
  Block &body = from.getBody().front();
  YieldOp yield = from.getYield();
  rewriter.modifyOpInPlace(yield, [&] {
    for (int i = deadResults.find_last(); i >= 0; i = deadResults.find_prev(i))
      yield->eraseOperand(i);
  });
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
  llvm::BitVector erased(body.getNumArguments());
  for (unsigned i : deadArguments.set_bits())
    erased.set(i);
  body.eraseArguments(erased);
  rewriter.mergeBlocks(&body, &to.getBody().front(), to.getBody().getArguments());
}

// carried(%x = %x0) { ... yield %x }  ->  uses of %x0
template <typename LoopOp> struct DropInvariants : OpRewritePattern<LoopOp> {
  using OpRewritePattern<LoopOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    bool changed = false;
    // That of `while` ends the loop.
    for (unsigned i = std::is_same_v<LoopOp, WhileOp>; i < op.getInits().size(); ++i) {
      Value init = op.getInits()[i], yielded = op.getYield().getValues()[i];
      BlockArgument argument = op.getBody().getArgument(i);
      Value result = op->getResult(i);
      if ((yielded != argument && yielded != init) || (argument.use_empty() && result.use_empty()))
        continue;
      rewriter.replaceAllUsesWith(argument, init);
      rewriter.replaceAllUsesWith(result, init);
      changed = true;
    }
    return success(changed);
  }
};

/// What is left of the carried values of a loop where some are dead.
template <typename Range>
SmallVector<Value> getLive(Range values, const llvm::SmallBitVector &dead, unsigned first = 0) {
  SmallVector<Value> live;
  for (auto [i, value] : llvm::enumerate(values))
    if (!dead[first + i])
      live.push_back(value);
  return live;
}

//===---------------------------------------------------------------------------------------===//
// while

// while (%c = false, %x = %x0)  ->  false, %x0
struct SkipKnownWhile : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    if (getKnownPredicate(op.getInits().front()).value_or(true))
      return rewriter.notifyMatchFailure(op, "the first iteration may run");
    rewriter.replaceOp(op, op.getInits());
    return success();
  }
};

// while (%c = %c0, %x = %x0, %y = %y0) { .. }, of which %y is not read  ->  while (%c = %c0, %x =
// %x0)
struct DropDeadOfWhile : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dead = findLiveArguments(op, op.getYield());
    dead.set(0);
    for (Value result : op.getResults())
      if (!result.use_empty())
        dead.set(cast<OpResult>(result).getResultNumber());
    dead.flip();
    if (dead.none())
      return rewriter.notifyMatchFailure(op, "each carried value is read");
    auto smaller =
        WhileOp::create(rewriter, op.getLoc(), getLive(op.getInits(), dead), op.getLimit());
    SmallVector<Value> results = getLive(op.getResults(), dead);
    moveBody(op, smaller, dead, dead, rewriter);
    for (auto [result, other] : llvm::zip(results, smaller.getResults()))
      rewriter.replaceAllUsesWith(result, other);
    rewriter.eraseOp(op);
    return success();
  }
};

//===---------------------------------------------------------------------------------------===//
// for

// for %n with %n = 10  ->  for 10
struct KnowCount : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ForOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr value;
    if (!op.getAmount() || !matchPattern(op.getAmount(), m_Constant(&value)))
      return rewriter.notifyMatchFailure(op, "the count is no constant in a tensor");
    int64_t count = std::max<int64_t>(*value.value_begin<int64_t>(), 0);
    if (count > int64_t(*op.getLimit()))
      return rewriter.notifyMatchFailure(op, "the count is above the limit");
    auto known = ForOp::create(rewriter, op.getLoc(), Dim(count), op.getInits(), ValueRange(),
                               TypeRange(), op.getReverse());
    rewriter.mergeBlocks(&op.getBody().front(), &known.getBody().front(),
                         known.getBody().getArguments());
    rewriter.replaceOp(op, known.getResults());
    return success();
  }
};

// for 10 carried(%x = %x0, %y = %y0) slices(%s = %t), of which %y and %s are not read
//   ->  for 10 carried(%x = %x0)
struct DropDeadOfFor : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ForOp op, PatternRewriter &rewriter) const override {
    unsigned carried = op.getNumCarried();
    llvm::SmallBitVector deadArguments = findLiveArguments(op, op.getYield());
    llvm::SmallBitVector deadResults(op->getNumResults());
    for (Value result : op->getResults()) {
      unsigned number = cast<OpResult>(result).getResultNumber();
      bool isLive = !result.use_empty() || (number < carried && deadArguments[number]);
      deadResults[number] = !isLive;
      if (number < carried)
        deadArguments[number] = isLive;
    }
    deadArguments.flip();
    if (deadArguments.none() && deadResults.none())
      return rewriter.notifyMatchFailure(op, "all that it reads and makes is read");
    SmallVector<Value> inits = getLive(op.getInits(), deadArguments);
    SmallVector<Value> slices = getLive(op.getSlices(), deadArguments, carried);
    SmallVector<Value> results = getLive(op->getResults(), deadResults);
    auto smaller = op.getAmount()
                       ? ForOp::create(rewriter, op.getLoc(), op.getAmount(), *op.getLimit(), inits)
                       : ForOp::create(rewriter, op.getLoc(), *op.getIterations(), inits, slices,
                                       ValueRange(results).drop_front(inits.size()).getTypes(),
                                       op.getReverse());
    smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    moveBody(op, smaller, deadResults, deadArguments, rewriter);
    for (auto [result, other] : llvm::zip(results, smaller->getResults()))
      rewriter.replaceAllUsesWith(result, other);
    rewriter.eraseOp(op);
    return success();
  }
};

// %r = for 10 { .. yield %x : tensor<1x4xf32> }; reshape %r : tensor<10x1x4xf32> ->
// tensor<10x4xf32>
//   ->  for 10 { .. yield reshape %x }: what is stacked lies where it is asked for
struct ReshapeSlices : OpRewritePattern<ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ForOp op, PatternRewriter &rewriter) const override {
    for (unsigned i = op.getNumCarried(); i < op->getNumResults(); ++i) {
      Value stacked = op->getResult(i);
      auto reshape = stacked.hasOneUse() ? dyn_cast<ReshapeOp>(*stacked.user_begin()) : ReshapeOp();
      if (!reshape)
        continue;
      auto type = cast<RankedTensorType>(reshape.getType());
      std::optional<Shape> from = getShape(stacked.getType()), to = getShape(type);
      if (!from || !to || to->empty() || to->front() != from->front())
        continue;
      RankedTensorType slice = getTensorType(ArrayRef(*to).drop_front(), type.getElementType());
      rewriter.modifyOpInPlace(op, [&] {
        YieldOp yield = op.getYield();
        rewriter.setInsertionPoint(yield);
        Value value = ReshapeOp::create(rewriter, reshape.getLoc(), slice, yield.getValues()[i]);
        rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(i, value); });
        stacked.setType(type);
      });
      rewriter.replaceOp(reshape, stacked);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no stack of slices takes another shape");
  }
};

} // namespace

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TakeKnownSide, DropResultsOfIf>(context);
}

void ForOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<KnowCount, DropInvariants<ForOp>, DropDeadOfFor, ReshapeSlices>(context);
}

void WhileOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SkipKnownWhile, DropInvariants<WhileOp>, DropDeadOfWhile>(context);
}
