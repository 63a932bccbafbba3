// Kernels of ops that read at indices held in tensors.
#include "Formation.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

namespace {

// src[0:axis] ++ idx[batch:] ++ src[axis+k:]: the indices are loaded and become coordinates; the
// load yields zero where one is out of range.
LogicalResult formGather(graph::GatherOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getResult());
  unsigned axis = op.getAxis(), batch = op.getBatchDims(), count = op.getIndices().size();
  unsigned indexRank = shapeOf(op.getIndices()[0]).size();
  Formation form(rewriter, op.getLoc(), "gather", op.getType(), shape, getPointNames(shape.size()));
  SmallVector<AffineExpr> at = form.dims(0, batch);
  llvm::append_range(at, form.dims(axis, indexRank - batch));
  SmallVector<Value> positions;
  for (Value indices : op.getIndices()) {
    Value position = form.load(indices, at);
    positions.push_back(
        arith::IndexCastOp::create(form.body, op.getLoc(), rewriter.getIndexType(), position));
  }
  SmallVector<AffineExpr> coordinates = form.dims(0, axis);
  llvm::append_range(coordinates, form.dims(shape.size(), count));
  unsigned rest = axis + indexRank - batch;
  llvm::append_range(coordinates, form.dims(rest, shape.size() - rest));
  Value value = form.load(op.getSource(), coordinates, {}, positions);
  rewriter.replaceOp(op, form.store(value, form.dims(0, shape.size())));
  return success();
}

} // namespace

void formation::populateGathers(RewritePatternSet &patterns) { patterns.add(formGather); }
