// Kernels of ops that work element by element, and of iota.
#include "Formation.h"

#include "tw/Dialect/Kernel/Access.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

namespace {

/// What the kernel is called: the op's name, and relu by its own.
StringRef getHint(Operation *op) {
  if (auto maximum = dyn_cast<graph::MaximumOp>(op))
    if (auto limit = dyn_cast_or_null<FloatAttr>(kernel::getSplatScalar(maximum.getRhs()));
        limit && limit.getValue().isZero())
      return "relu";
  return op->getName().stripDialect();
}

/// Every elementwise op: one load per operand at the point, the op's scalar form, one store.
struct FormElementwise : OpInterfaceRewritePattern<graph::ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(graph::ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value result = op->getResult(0);
    ArrayRef<int64_t> shape = shapeOf(result);
    Formation form(rewriter, op.getLoc(), getHint(op), result.getType(), shape,
                   getPointNames(shape.size()));
    SmallVector<AffineExpr> point = form.dims(0, shape.size());
    SmallVector<Value> scalars;
    SmallVector<Type> types;
    for (Value operand : op->getOperands()) {
      scalars.push_back(form.load(operand, point));
      types.push_back(elementTypeOf(operand));
    }
    Value scalar = op.buildScalar(form.body, op.getLoc(), scalars, types, elementTypeOf(result));
    rewriter.replaceOp(op, form.store(scalar, point));
    return success();
  }
};

// iota dim 1 -> the axis, converted.
LogicalResult formIota(graph::IotaOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  Formation form(rewriter, op.getLoc(), "iota", op.getType(), shape, getPointNames(shape.size()));
  Type scalar = kernel::getScalarType(elementTypeOf(op.getResult()));
  Value index = form.axis(op.getDim());
  Value value;
  if (isa<FloatType>(scalar)) {
    value = arith::IndexCastOp::create(form.body, form.loc, rewriter.getI64Type(), index);
    value = arith::SIToFPOp::create(form.body, form.loc, scalar, value);
  } else {
    value = arith::IndexCastOp::create(form.body, form.loc, scalar, index);
  }
  rewriter.replaceOp(op, form.store(value, form.dims(0, shape.size())));
  return success();
}

} // namespace

void formation::populateElementwise(RewritePatternSet &patterns) {
  patterns.add<FormElementwise>(patterns.getContext());
  patterns.add(formIota);
}
