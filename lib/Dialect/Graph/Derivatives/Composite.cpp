// Composites with a rule that is better than that of their parts. y is the result, g its cotangent.
#include "Adjoint.h"

#include <numbers>

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// Nothing at 0, where `maximum` would give a half.
static LogicalResult deriveRelu(ReluOp op, Adjoint &a) {
  a.give(0, a.where(ComparePredicate::Gt, op.getInput(), a.zero(op.getInput()), a.g()));
  return success();
}

static LogicalResult deriveGelu(GeluOp op, Adjoint &a) {
  Value x = op.getInput(), square = a.mul(x, x), one = a.constant(x, 1), factor;
  if (op.getKind() == GeluKind::Erf) {
    Value erf = a.same<ErfOp>({a.scaled(x, 1 / std::numbers::sqrt2)});
    Value density = a.scaled(a.same<ExpOp>({a.scaled(square, -0.5)}),
                             std::numbers::inv_sqrtpi / std::numbers::sqrt2);
    factor = a.add(a.scaled(a.add(one, erf), 0.5), a.mul(x, density));
  } else {
    constexpr double kCubic = 0.044715;
    double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    Value inner = a.scaled(a.add(x, a.scaled(a.mul(square, x), kCubic)), scale);
    Value tanh = a.same<TanhOp>({inner});
    Value slope = a.scaled(a.add(one, a.scaled(square, 3 * kCubic)), scale);
    factor = a.add(a.scaled(a.add(one, tanh), 0.5),
                   a.mul(a.scaled(x, 0.5), a.mul(a.oneMinusSquare(tanh), slope)));
  }
  a.give(0, a.mul(a.g(), factor));
  return success();
}

static LogicalResult deriveSoftmax(SoftmaxOp op, Adjoint &a) {
  Value y = op.getResult();
  Value sum = a.repeatAlong(a.sum(a.mul(a.g(), y), op.getDim()), op.getDim(), a.shapeOf(y));
  a.give(0, a.mul(y, a.sub(a.g(), sum)));
  return success();
}

static LogicalResult deriveLogSoftmax(LogSoftmaxOp op, Adjoint &a) {
  Value y = op.getResult();
  Value sum = a.repeatAlong(a.sum(a.g(), op.getDim()), op.getDim(), a.shapeOf(y));
  a.give(0, a.sub(a.g(), a.mul(a.same<ExpOp>({y}), sum)));
  return success();
}

/// With h the operand scaled to mean 0 and variance 1, q = g * scale: (q - mean(q) - h mean(q h)) /
/// d.
static LogicalResult deriveLayerNorm(LayerNormOp op, Adjoint &a) {
  Value x = op.getInput(), g = a.g();
  Shape shape = a.shapeOf(x);
  ArrayRef<int64_t> dims = op.getDims();
  SmallVector<int64_t> others;
  double count = 1;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    if (!llvm::is_contained(dims, d))
      others.push_back(d);
    else if (shape[d].isStatic())
      count *= double(shape[d].getConstant());
    else
      return a.fail("rows whose length a call settles; give it a value");
  }
  auto mean = [&](Value v) { return a.scaled(a.sum(v, dims), 1 / count); };
  auto spread = [&](Value v) { return a.repeatAlong(v, dims, shape); };
  Value centred = a.sub(x, spread(mean(x)));
  Value variance = mean(a.mul(centred, centred));
  Value shifted = a.add(variance, a.constant(variance, op.getEps().convertToDouble()));
  Value inverse = spread(a.same<RsqrtOp>({shifted}));
  Value scaled = a.mul(centred, inverse);
  unsigned operand = 1;
  if (op.getScale()) {
    if (a.needs(operand))
      a.give(operand, a.sum(a.mul(g, scaled), others));
    ++operand;
  }
  if (op.getBias() && a.needs(operand))
    a.give(operand, a.sum(g, others));
  if (!a.needs(0))
    return success();
  Value q = op.getScale() ? a.mul(g, a.repeatAlong(op.getScale(), others, shape)) : g;
  Value along = a.mul(scaled, spread(mean(a.mul(q, scaled))));
  a.give(0, a.mul(inverse, a.sub(a.sub(q, spread(mean(q))), along)));
  return success();
}

void tw::graph::addCompositeDerivatives(DerivativeRules &rules) {
  rules.add<ReluOp>(deriveRelu);
  rules.add<GeluOp>(deriveGelu);
  rules.add<SoftmaxOp>(deriveSoftmax);
  rules.add<LogSoftmaxOp>(deriveLogSoftmax);
  rules.add<LayerNormOp>(deriveLayerNorm);
}
