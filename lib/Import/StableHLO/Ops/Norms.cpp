// Batch norms along one dimension, as StableHLO's specification writes them.
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

namespace {

/// What the three ops share: the operand, its feature dimension, and how to bring vectors of
/// features to its shape.
struct BatchNorm {
  OpImport &op;
  Emitter &e;
  Value x;
  int64_t rank, feature;
  double epsilon;
  Shape others;
  double count = 1;

  explicit BatchNorm(OpImport &op)
      : op(op), e(op.emit), x(op.operand(0)), rank(Emitter::rank(x)),
        feature(op.integer("feature_index")), epsilon(op.number("epsilon")) {
    if (op.failed())
      return;
    if (feature < 0 || feature >= rank || !Emitter::isFloat(x)) {
      op.error(Code::T0108) << "expected floats and a feature dimension below their rank, found "
                            << x.getType() << " and " << feature;
      return;
    }
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != feature) {
        others.push_back(dim);
        count *= double(Emitter::size(x, dim));
      }
  }

  Value along(Value vector) { return e.along(vector, feature, rank); }
  Value sum(Value of) { return e.sum(of, others); }
  /// sqrt(variance + epsilon).
  Value deviation(Value variance) { return e.sqrt(e.add(variance, epsilon)); }
  Value normalized(Value mean, Value variance) {
    return e.div(e.sub(x, along(mean)), along(deviation(variance)));
  }
  Value scaled(Value normalized, Value scale, Value offset) {
    return e.add(e.mul(normalized, along(scale)), along(offset));
  }
};

} // namespace

static void importInference(OpImport &op) {
  BatchNorm norm(op);
  if (!op.failed())
    op.result(
        norm.scaled(norm.normalized(op.operand(3), op.operand(4)), op.operand(1), op.operand(2)));
}

static void importTraining(OpImport &op) {
  BatchNorm norm(op);
  if (op.failed())
    return;
  Emitter &e = op.emit;
  Value mean = e.div(norm.sum(norm.x), norm.count);
  Value centered = e.sub(norm.x, norm.along(mean));
  Value variance = e.div(norm.sum(e.mul(centered, centered)), norm.count);
  op.result(0, norm.scaled(norm.normalized(mean, variance), op.operand(1), op.operand(2)));
  op.result(1, mean);
  op.result(2, variance);
}

static void importGradient(OpImport &op) {
  BatchNorm norm(op);
  if (op.failed())
    return;
  Emitter &e = op.emit;
  Value scale = op.operand(1), mean = op.operand(2), variance = op.operand(3),
        gradient = op.operand(4);
  Value centered = e.sub(norm.x, norm.along(mean)), deviation = norm.deviation(variance);
  Value sum = norm.sum(gradient), product = norm.sum(e.mul(gradient, centered));
  Value along =
      e.div(e.mul(norm.along(product), centered), norm.along(e.add(variance, norm.epsilon)));
  Value rest = e.sub(e.sub(e.mul(gradient, norm.count), norm.along(sum)), along);
  op.result(0, e.mul(norm.along(e.div(e.div(scale, deviation), norm.count)), rest));
  op.result(1, e.div(product, deviation));
  op.result(2, sum);
}

void tw::stablehlo::addNorms(Registry &registry) {
  registry.add("stablehlo.batch_norm_inference", importInference);
  registry.add("stablehlo.batch_norm_training", importTraining);
  registry.add("stablehlo.batch_norm_grad", importGradient);
}
