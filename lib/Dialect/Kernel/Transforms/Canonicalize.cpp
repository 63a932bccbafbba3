// Cleaning of kernels: patterns on loads and indices, folding, equal values, operands.
#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace tw {
#define GEN_PASS_DEF_KERNELCANONICALIZEPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// What operand of the kernel a load reads.
Value getTensor(LoadOp load, KernelOp kernel) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  return kernel.getOperand(number - kernel.getNumAxes());
}

// load %t[affine.apply(..)] or with a map that the extents simplify
//   ->  load %t in normal form
struct NormalizeLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp load, PatternRewriter &rewriter) const override {
    auto kernel = load->getParentOfType<KernelOp>();
    SmallVector<Value> indices(load.getIndices());
    view::MapAttr map = normalizeAccess(kernel, load.getSource(), load.getMap(), indices);
    if (map == load.getMap() && indices == SmallVector<Value>(load.getIndices()))
      return rewriter.notifyMatchFailure(load, "is in normal form");
    auto simple = LoadOp::create(rewriter, load.getLoc(), load.getSource(), indices, map);
    // Schedules know values by name.
    simple->setDiscardableAttrs(load->getDiscardableAttrDictionary());
    rewriter.replaceOp(load, simple);
    return success();
  }
};

// load of a constant of one value
//   ->  the value, or the fills where guards fail
struct LoadConstant : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp load, PatternRewriter &rewriter) const override {
    auto kernel = load->getParentOfType<KernelOp>();
    TypedAttr scalar = getSplatScalar(getTensor(load, kernel));
    if (!scalar)
      return rewriter.notifyMatchFailure(load, "reads no constant of one value");
    std::optional<SmallVector<view::GuardAttr>> guards =
        getAllGuards(load.getMap(), kernel::getExtents(kernel, load.getIndices()),
                     cast<RankedTensorType>(load.getSource().getType()));
    if (!guards)
      return rewriter.notifyMatchFailure(load, "a call settles where the constant ends");
    if (!canSelect(*guards, load.getIndices()))
      return rewriter.notifyMatchFailure(load, "guards compute with data");
    Value value = arith::ConstantOp::create(rewriter, load.getLoc(), scalar);
    rewriter.replaceOp(
        load, createGuarded(rewriter, load.getLoc(), kernel, value, *guards, load.getIndices()));
    return success();
  }
};

// affine.apply(%i * 4 floordiv 4)  ->  %i
// affine.apply(affine.apply(%i + 1) + 2)  ->  affine.apply(%i + 3)
struct SimplifyApply : OpRewritePattern<affine::AffineApplyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(affine::AffineApplyOp apply,
                                PatternRewriter &rewriter) const override {
    AffineMap map = apply.getAffineMap();
    SmallVector<Value> operands(apply.getOperands());
    affine::fullyComposeAffineMapAndOperands(&map, &operands);
    AffineExpr expr = map.getResult(0);
    SmallVector<AffineExpr> symbols;
    for (unsigned i = 0; i < map.getNumSymbols(); ++i)
      symbols.push_back(rewriter.getAffineDimExpr(map.getNumDims() + i));
    expr = expr.replaceSymbols(symbols);
    Value simple =
        createIndex(rewriter, apply.getLoc(), apply->getParentOfType<KernelOp>(), expr, operands);
    auto other = simple.getDefiningOp<affine::AffineApplyOp>();
    if (other && other.getAffineMap() == apply.getAffineMap() &&
        other.getOperands() == apply.getOperands()) {
      rewriter.eraseOp(other);
      return rewriter.notifyMatchFailure(apply, "is simple");
    }
    rewriter.replaceOp(apply, simple);
    return success();
  }
};

// arith.cmpi slt, %i, 8 with %i : 8  ->  true
struct DecideComparison : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    auto kernel = dyn_cast<KernelOp>(op->getParentOp());
    IntegerAttr limit;
    if (!kernel || !op.getLhs().getType().isIndex() ||
        !matchPattern(op.getRhs(), m_Constant(&limit)))
      return rewriter.notifyMatchFailure(op, "compares no index with a constant");
    SmallVector<Value> indices{op.getLhs()};
    AffineExpr expr = rewriter.getAffineDimExpr(0);
    if (auto apply = op.getLhs().getDefiningOp<affine::AffineApplyOp>();
        apply && apply.getAffineMap().getNumSymbols() == 0) {
      indices.assign(apply.operand_begin(), apply.operand_end());
      expr = apply.getAffineMap().getResult(0);
    }
    auto bounds = getBounds(expr, kernel::getExtents(kernel, indices));
    if (!bounds)
      return rewriter.notifyMatchFailure(op, "the index has no bounds");
    std::optional<bool> known;
    int64_t value = limit.getInt();
    if (op.getPredicate() == arith::CmpIPredicate::slt && bounds->second < value)
      known = true;
    else if (op.getPredicate() == arith::CmpIPredicate::slt && bounds->first >= value)
      known = false;
    else if (op.getPredicate() == arith::CmpIPredicate::sge && bounds->first >= value)
      known = true;
    else if (op.getPredicate() == arith::CmpIPredicate::sge && bounds->second < value)
      known = false;
    else if (op.getPredicate() == arith::CmpIPredicate::eq &&
             (value < bounds->first || value > bounds->second))
      known = false;
    else if (op.getPredicate() == arith::CmpIPredicate::eq && bounds->first == bounds->second)
      known = true;
    if (!known)
      return rewriter.notifyMatchFailure(op, "the bounds do not decide");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getBoolAttr(*known));
    return success();
  }
};

/// The axis of the kernel that the index is, also by way of an integer that holds all its points.
BlockArgument getAxis(Value index, KernelOp kernel) {
  int64_t bits = 64;
  if (auto back = index.getDefiningOp<arith::IndexCastOp>(); back && back.getType().isIndex())
    if (auto there = back.getIn().getDefiningOp<arith::IndexCastOp>()) {
      bits = back.getIn().getType().getIntOrFloatBitWidth();
      index = there.getIn();
    }
  auto axis = dyn_cast<BlockArgument>(index);
  bool isAxis = axis && axis.getOwner() == &kernel.getBody().front() &&
                axis.getArgNumber() < kernel.getNumAxes() &&
                llvm::isIntN(bits, kernel.getExtents()[axis.getArgNumber()]);
  return isAxis ? axis : BlockArgument();
}

// arith.index_cast (arith.index_cast %i : index to i64) : i64 to index  ->  %i
struct SkipCasts : OpRewritePattern<arith::IndexCastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::IndexCastOp cast, PatternRewriter &rewriter) const override {
    auto kernel = dyn_cast<KernelOp>(cast->getParentOp());
    BlockArgument axis = kernel ? getAxis(cast.getResult(), kernel) : BlockArgument();
    if (!axis || !cast.getType().isIndex())
      return rewriter.notifyMatchFailure(cast, "is no axis that an integer holds all points of");
    rewriter.replaceOp(cast, axis);
    return success();
  }
};

bool isMinusInfinity(Value value) {
  FloatAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.getValue().isInfinity() &&
         constant.getValue().isNegative();
}

// select (a and b), %x, -inf  ->  select a, (select b, %x, -inf), -inf
// select (a or b), -inf, %x   ->  select a, -inf, (select b, -inf, %x)
// Schedules leave out what one comparison masks.
struct SplitMask : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    Operation *condition = op.getCondition().getDefiningOp();
    bool isAnd = isa_and_nonnull<arith::AndIOp>(condition);
    Value masked = isAnd ? op.getFalseValue() : op.getTrueValue();
    if ((!isAnd && !isa_and_nonnull<arith::OrIOp>(condition)) || !isMinusInfinity(masked))
      return rewriter.notifyMatchFailure(op, "masks by no several conditions");
    Value rest = rewriter.createOrFold<arith::SelectOp>(op.getLoc(), condition->getOperand(1),
                                                        op.getTrueValue(), op.getFalseValue());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, condition->getOperand(0),
                                                 isAnd ? rest : masked, isAnd ? masked : rest);
    return success();
  }
};

// store %v, 0[0, 0] at (%p, %j) into %old
//   ->  store %v, 0[0, %j] at (%p, 0) into %old: points differ in %j
struct StoreAlongAxis : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp store, PatternRewriter &rewriter) const override {
    auto kernel = store->getParentOfType<KernelOp>();
    for (auto [i, offset] : llvm::enumerate(store.getOffsets())) {
      BlockArgument axis = getAxis(offset, kernel);
      if (!axis || llvm::is_contained(store.getIndices(), axis))
        continue;
      SmallVector<AffineExpr> coordinates(store.getMap().getResults());
      coordinates[i] = rewriter.getAffineDimExpr(store.getIndices().size());
      Value zero = arith::ConstantIndexOp::create(rewriter, store.getLoc(), 0);
      rewriter.modifyOpInPlace(store, [&] {
        store.getIndicesMutable().append(axis);
        store.getOffsetsMutable().slice(i, 1).assign(zero);
        store.setMap(AffineMap::get(store.getIndices().size(), 0, coordinates, store.getContext()));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(store, "no offset is an axis");
  }
};

/// Operands that are equal become one; those that nothing reads go.
void cleanOperands(KernelOp kernel) {
  for (unsigned i = kernel.getNumOperands(); i-- > 0;) {
    BlockArgument argument = kernel.getOperandArgument(i);
    for (unsigned j = 0; j < i; ++j)
      if (kernel.getOperand(j) == kernel.getOperand(i) && !isUpdated(kernel, i) &&
          !isUpdated(kernel, j)) {
        argument.replaceAllUsesWith(kernel.getOperandArgument(j));
        break;
      }
    if (argument.use_empty())
      dropOperand(kernel, i);
  }
}

struct KernelCanonicalizePass : tw::impl::KernelCanonicalizePassBase<KernelCanonicalizePass> {
  using KernelCanonicalizePassBase::KernelCanonicalizePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = getCleaningPatterns(context);
    return success();
  }

  void runOnOperation() override {
    for (Block *block : getProgramBlocks(getOperation()))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
        if (isOpTriviallyDead(&op)) {
          op.erase();
        } else if (auto kernel = dyn_cast<KernelOp>(op)) {
          dropUnitAxes(kernel);
          clean(kernel, patterns);
          dropIdleAxes(kernel);
        }
      }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

void kernel::dropOperand(KernelOp kernel, unsigned i) {
  kernel.getBody().eraseArgument(kernel.getNumAxes() + i);
  kernel->eraseOperand(i);
}

/// Another op that computes the same, none of `pending`. Constants lie at the front of the body.
static Operation *findEqual(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &pending) {
  auto isEqual = [&](Operation *other) {
    return other != op && other->getName() == op->getName() &&
           OperationEquivalence::isEquivalentTo(op, other, OperationEquivalence::IgnoreLocations) &&
           isPure(op) && !pending.contains(other);
  };
  if (op->getNumOperands()) {
    for (Operation *user : op->getOperand(0).getUsers())
      if (isEqual(user))
        return user;
    return nullptr;
  }
  for (Operation &other : *op->getBlock()) {
    if (other.getNumOperands())
      break;
    if (isEqual(&other))
      return &other;
  }
  return nullptr;
}

FrozenRewritePatternSet kernel::getCleaningPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  patterns.add<NormalizeLoad, LoadConstant, SimplifyApply, DecideComparison, SkipCasts, SplitMask,
               StoreAlongAxis>(context);
  return patterns;
}

static GreedyRewriteConfig getCleaningConfig() {
  return GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
}

void kernel::clean(KernelOp kernel, const FrozenRewritePatternSet &patterns) {
  cleanOperands(kernel);
  (void)applyPatternsGreedily(kernel.getBody(), patterns, getCleaningConfig());
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  cleanOperands(kernel);
}

void kernel::clean(KernelOp kernel, ArrayRef<Operation *> changed,
                   const FrozenRewritePatternSet &patterns) {
  llvm::SmallPtrSet<Operation *, 16> pending(changed.begin(), changed.end());
  SmallVector<Operation *> kept;
  for (Operation *op : changed) {
    pending.erase(op);
    if (op->getNumOperands() == 0)
      op->moveBefore(&kernel.getBody().front().front());
    if (Operation *equal = findEqual(op, pending)) {
      if (op->isBeforeInBlock(equal))
        equal->moveBefore(op);
      op->replaceAllUsesWith(equal);
      op->erase();
    } else {
      kept.push_back(op);
    }
  }
  bool isSimpler = false;
  (void)applyOpPatternsGreedily(kept, patterns, getCleaningConfig(), &isSimpler);
  if (isSimpler)
    clean(kernel, patterns);
}
