// Losses.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

/// The negative log-likelihood of `target` [N, d...] in log-probabilities [N, C, d...], reduced as
/// the node asks.
static Value negativeLogLikelihood(NodeImport &n, Value logs, Value target, Value weights) {
  Emitter &e = n.emit;
  if (!logs || !target)
    return {};
  int64_t rank = e.rank(logs);
  Shape expected(e.shape(logs));
  if (rank >= 2)
    expected.erase(expected.begin() + 1);
  if (rank < 2 || e.shape(target) != ShapeRef(expected)) {
    n.error(Code::T0111) << "scores " << shapeText(e.shape(logs)) << " and labels "
                         << shapeText(e.shape(target))
                         << " do not fit, expected [N, C, d...] and [N, d...]";
    return {};
  }
  llvm::StringRef reduction = n.choice("reduction", "mean", {"none", "sum", "mean"});
  // Classes last: one element per position is gathered.
  Shape order{0};
  for (int64_t i = 2; i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  target = e.cast(target, e.i64());
  Value picked = e.gather(e.permute(logs, order), {target}, rank - 1, rank - 1);
  Value weight = weights ? e.gather(weights, {target}, 0) : Value();
  if (n.hasAttribute("ignore_index")) {
    Value ignored =
        e.compare(ComparePredicate::Eq, target, static_cast<double>(n.integer("ignore_index", 0)));
    weight = weight ? weight : e.splatLike(picked, 1);
    weight = e.select(ignored, e.splatLike(weight, 0), weight);
    picked = e.select(ignored, e.splatLike(picked, 0), picked);
  }
  Value loss = e.neg(weight ? e.mul(picked, weight) : picked);
  if (!loss || reduction == "none")
    return loss;
  Shape all = indices(e.rank(loss));
  Value sum = e.sum(loss, all);
  if (reduction == "sum")
    return sum;
  return weight ? e.div(sum, e.sum(weight, all))
                : e.div(sum, static_cast<double>(elementCount(e.shape(loss))));
}

static void importNegativeLogLikelihood(NodeImport &n) {
  n.result(negativeLogLikelihood(n, n.input(0), n.input(1), n.input(2)));
}

static void importSoftmaxCrossEntropy(NodeImport &n) {
  Emitter &e = n.emit;
  if (e.rank(n.input(0)) < 2) {
    n.error(Code::T0111) << "scores have the shape " << shapeText(e.shape(n.input(0)))
                         << ", expected [N, C, d...]";
    return;
  }
  Value logs = e.logSoftmax(n.input(0), 1);
  n.result(0, negativeLogLikelihood(n, logs, n.input(1), n.input(2)));
  n.result(1, logs);
}

void tw::onnx::addLosses(Registry &r) {
  r.add("NegativeLogLikelihoodLoss", 12, {2, 3}, importNegativeLogLikelihood);
  r.add("SoftmaxCrossEntropyLoss", 12, {2, 3}, importSoftmaxCrossEntropy, {1, 2});
}
