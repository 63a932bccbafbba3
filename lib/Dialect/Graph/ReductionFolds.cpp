// Simplification of iota, window, reduce, scan.
#include "ConstantEvaluation.h"

#include "tw/Dialect/Graph/Create.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw::graph;

// Along a dimension of size 1 every index is 0.
OpFoldResult IotaOp::fold(FoldAdaptor) {
  return getType().getDimSize(getDim()) == 1 ? getSplat(getType(), 0) : Attribute();
}

// Windows of one element each.
OpFoldResult WindowOp::fold(FoldAdaptor) {
  bool isIdentity = areAll(getWindow(), 1) && areAll(getStrides(), 1) && areAll(getPadLow(), 0) &&
                    areAll(getPadHigh(), 0);
  return isIdentity ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDims().empty() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ScanOp::fold(FoldAdaptor) {
  bool isIdentity = !getExclusive() && getType().getDimSize(getDim()) == 1;
  return isIdentity ? OpFoldResult(getInput()) : OpFoldResult();
}

// reduce(reduce(x, a), b) -> reduce(x, a and b) of one kind: the spec leaves the order open.
static LogicalResult mergeReductions(ReduceOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReduceOp>();
  if (!inner || inner.getKind() != op.getKind() || !inner->hasOneUse())
    return failure();
  SmallVector<int64_t> remaining, dims(inner.getDims());
  for (int64_t dim = 0; dim != inner.getInput().getType().getRank(); ++dim)
    if (!llvm::is_contained(inner.getDims(), dim))
      remaining.push_back(dim);
  for (int64_t dim : op.getDims())
    dims.push_back(remaining[dim]);
  llvm::sort(dims);
  rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getKind(), inner.getInput(), dims);
  return success();
}

// reduce(x, dims of size 1) -> reshape(x).
static LogicalResult removeUnitReduction(ReduceOp op, PatternRewriter &rewriter) {
  RankedTensorType type = op.getInput().getType();
  if (!llvm::all_of(op.getDims(), [&](int64_t dim) { return type.getDimSize(dim) == 1; }))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

// reduce max (expand(x, n)) -> reduce max (x) along the expanded dimension, and so for min, all,
// any, which see one value n times; reduce add (expand(x, n)) -> reduce add (x) * n for integers.
static LogicalResult reduceBeforeExpand(ReduceOp op, PatternRewriter &rewriter) {
  auto expand = op.getInput().getDefiningOp<ExpandOp>();
  if (!expand || op.getKind() == CombineKind::Mul)
    return failure();
  bool isSum = op.getKind() == CombineKind::Add;
  if (isSum && (isa<FloatType>(op.getType().getElementType()) || !op.getType().hasStaticShape()))
    return failure();
  Shape from = *getShape(expand.getInput().getType()), to = *getShape(expand.getType());
  APInt count(64, 1);
  bool changed = false;
  for (int64_t dim : op.getDims()) {
    if (from[dim] == to[dim])
      continue;
    if (!to[dim].isStatic() || to[dim].getConstant() == 0)
      return failure();
    count *= APInt(64, to[dim].getConstant());
    to[dim] = from[dim];
    changed = true;
  }
  if (!changed)
    return failure();
  Type element = op.getType().getElementType();
  Value input =
      ExpandOp::create(rewriter, op.getLoc(), getTensorType(to, element), expand.getInput());
  Value result = ReduceOp::create(rewriter, op.getLoc(), op.getKind(), input, op.getDims());
  if (isSum) {
    Value factor = ConstantOp::create(
        rewriter, op.getLoc(),
        DenseElementsAttr::get(op.getType(), count.trunc(element.getIntOrFloatBitWidth())));
    result = MulOp::create(rewriter, op.getLoc(), result, factor);
  }
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  if (succeeded(mergeReductions(op, rewriter)) || succeeded(removeUnitReduction(op, rewriter)) ||
      succeeded(reduceBeforeExpand(op, rewriter)))
    return success();
  return rewriter.notifyMatchFailure(op, "neither of a reduction, nor of dimensions of size 1, nor "
                                         "of an expand that commutes with it");
}
