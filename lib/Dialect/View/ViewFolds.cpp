// Folds and canonicalization of tview ops.
#include "tw/Dialect/View/Algebra.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw;
using namespace tw::view;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Dynamic dims, which MLIR counts as the least integer, are extents that are not known.
static bool isIdentity(ViewOp op) {
  if (op.getSource().getType() != op.getResult().getType())
    return false;
  if (op.getMap().isIdentity())
    return true;
  Fills fills(op.getElementType());
  std::optional<layout::IndexMap> map =
      toLayout(op.getMap(), shapeOf(op.getResult()), shapeOf(op.getSource()), fills);
  return map && map->isIdentity();
}

// tview.view %x through identity : T -> T
//   ->  %x
OpFoldResult ViewOp::fold(FoldAdaptor) { return isIdentity(*this) ? getSource() : Value(); }

namespace {

// tview.view (tview.view %x through A) through B
//   ->  tview.view %x through (B, then A)
struct ComposeViews : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ViewOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ViewOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is no view");
    MapAttr map =
        compose(op.getMap(), shapeOf(op.getResult()), inner.getMap(), shapeOf(inner.getResult()),
                shapeOf(inner.getSource()), op.getElementType());
    if (!map)
      return rewriter.notifyMatchFailure(op, "shapes are dynamic, or one map would cost too much");
    rewriter.replaceOpWithNewOp<ViewOp>(op, op.getType(), inner.getSource(), map);
    return success();
  }
};

// tview.view %x through <(d0) -> ((d0 * 4) floordiv 4)>
//   ->  tview.view %x through <(d0) -> (d0)>
struct SimplifyMap : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ViewOp op, PatternRewriter &rewriter) const override {
    MapAttr map = simplify(op.getMap(), shapeOf(op.getResult()), shapeOf(op.getSource()),
                           op.getElementType());
    if (map == op.getMap())
      return rewriter.notifyMatchFailure(op, "the map is simple");
    rewriter.modifyOpInPlace(op, [&] { op.setMapAttr(map); });
    return success();
  }
};

// tview.materialize (tview.materialize %x)
//   ->  tview.materialize %x
struct MaterializeOnce : OpRewritePattern<MaterializeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaterializeOp op, PatternRewriter &rewriter) const override {
    if (!op.getSource().getDefiningOp<MaterializeOp>())
      return rewriter.notifyMatchFailure(op, "the source may not be in memory");
    rewriter.replaceOp(op, op.getSource());
    return success();
  }
};

} // namespace

void ViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposeViews, SimplifyMap>(context);
}

void MaterializeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MaterializeOnce>(context);
}
