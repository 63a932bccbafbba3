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

/// The type that a cast from `from` to bf16 or f16 goes through so that it rounds once: a float
/// rounds to them directly, and a wider format holds integers exactly.
Type getTypeBeforeRounding(Type from) {
  if (isa<FloatType>(from))
    return from;
  return from.getIntOrFloatBitWidth() <= 16 ? Type(Float32Type::get(from.getContext()))
                                            : Type(Float64Type::get(from.getContext()));
}

/// Every elementwise op: one load per operand at the point, the op's scalar form, one store.
struct FormElementwise : OpInterfaceRewritePattern<graph::ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(graph::ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (isa<graph::AssociativeScanOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "is combined by the scan around it");
    Value result = op->getResult(0);
    SmallVector<kernel::Extent> shape = shapeOf(result);
    Formation form(rewriter, op.getLoc(), getHint(op), result.getType(), shape,
                   getPointNames(shape.size()));
    SmallVector<AffineExpr> point = form.dims(0, shape.size());
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(form.load(operand, point));
    rewriter.replaceOp(op, form.store(buildPoint(form, op, scalars), point));
    return success();
  }
};

// iota dim 1 -> the axis, converted.
LogicalResult formIota(graph::IotaOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getResult());
  Formation form(rewriter, op.getLoc(), "iota", op.getType(), shape, getPointNames(shape.size()));
  Value value = form.convertIndex(form.axis(op.getDim()), elementTypeOf(op.getResult()));
  rewriter.replaceOp(op, form.store(value, form.dims(0, shape.size())));
  return success();
}

LogicalResult formSize(graph::SizeOp op, PatternRewriter &rewriter) {
  Formation form(rewriter, op.getLoc(), "size", op.getType(), {}, {});
  Value size = kernel::SizeOp::create(form.body, form.loc, op.getSize().getShape().front());
  rewriter.replaceOp(op, form.store(form.convertIndex(size, op.getType().getElementType()), {}));
  return success();
}

} // namespace

Value formation::buildPoint(Formation &form, graph::ElementwiseOpInterface op, ValueRange scalars) {
  SmallVector<Value> wide;
  SmallVector<Type> types;
  bool moves = isa<graph::SelectOp, graph::BitcastOp>(op);
  for (auto [operand, scalar] : llvm::zip(op->getOperands(), scalars)) {
    Type type = elementTypeOf(operand);
    wide.push_back(moves ? scalar : form.widen(scalar));
    types.push_back(moves ? type : graph::getComputedType(type));
  }
  Type type = elementTypeOf(op->getResult(0));
  Type computed = moves ? type : graph::getComputedType(type);
  if (isa<graph::CastOp>(op) && computed != type)
    computed = getTypeBeforeRounding(types[0]);
  return form.round(op.buildScalar(form.body, op->getLoc(), wide, types, computed), type);
}

void formation::populateElementwise(RewritePatternSet &patterns) {
  patterns.add<FormElementwise>(patterns.getContext());
  patterns.add(formSize);
  patterns.add(formIota);
}
