// Losses.
#include "State.h"

using namespace tw::fe;
namespace fe = tw::fe;

static Value reduceLoss(Scope &s, Value loss, Text reduction) {
  if (!s || !loss.ok())
    return s.poison();
  if (reduction == "none")
    return loss;
  if (reduction == "mean")
    return mean(loss);
  if (reduction == "sum")
    return sum(loss);
  return s.error(Code::T0214,
                 "expected the reduction mean, sum or none, found '" + StringRef(reduction) + "'");
}

Value fe::mse_loss(Arg prediction, Arg target, Text reduction) {
  Scope s("mse_loss", prediction, target);
  return reduceLoss(s, square(subtract(prediction, target)), reduction);
}

Value fe::l1_loss(Arg prediction, Arg target, Text reduction) {
  Scope s("l1_loss", prediction, target);
  return reduceLoss(s, abs(subtract(prediction, target)), reduction);
}

Value fe::huber_loss(Arg prediction, Arg target, double delta, Text reduction) {
  Scope s("huber_loss", prediction, target);
  Value error = abs(subtract(prediction, target));
  return reduceLoss(s, where(error <= delta, square(error) * 0.5, (error - delta / 2) * delta),
                    reduction);
}

/// -log_probabilities where the target, integers without the axis, says.
static Value pick(Scope &s, const Value &log, const Arg &target, int64_t axis) {
  Value index = s.done(s.get(target));
  axis = s.axis(axis, log.rank());
  if (!s)
    return s.poison();
  Shape expected = log.shape();
  expected.erase(expected.begin() + axis);
  if (index.shape() != expected || !isInteger(index.dtype()))
    return s.error(Code::T0208, "expected integer classes " + fe::str(expected) + ", found " +
                                    nameOf(index.dtype()) + " " + fe::str(index.shape()));
  // A class compared with each: the sum over the axis is fused, where a gather of all indices is
  // not.
  Value classes = reshape(iota(s.self(), {log.size(axis)}, 0, index.dtype()), [&] {
    Shape shape(size_t(log.rank()), Dim(1));
    shape[size_t(axis)] = log.size(axis);
    return shape;
  }());
  return -sum(where(expand_dims(index, axis) == classes, log, 0.0), axis);
}

Value fe::nll_loss(Arg log_probabilities, Arg target, int64_t axis, Text reduction) {
  Scope s("nll_loss", log_probabilities, target);
  return reduceLoss(s, pick(s, s.done(s.floating(log_probabilities)), target, axis), reduction);
}

Value fe::cross_entropy(Arg logits, Arg target, int64_t axis, double label_smoothing,
                        Text reduction) {
  Scope s("cross_entropy", logits, target);
  Value log = log_softmax(logits, axis), goal = s.done(s.get(target));
  if (!s || !log.ok())
    return s.poison();
  Value loss = isFloating(goal.dtype()) ? -sum(log * goal, axis) : pick(s, log, target, axis);
  if (label_smoothing != 0)
    loss = loss * (1 - label_smoothing) - mean(log, axis) * label_smoothing;
  return reduceLoss(s, loss, reduction);
}

Value fe::binary_cross_entropy(Arg logits, Arg target, Text reduction) {
  Scope s("binary_cross_entropy", logits, target);
  Value x = s.done(s.floating(logits)), goal = s.done(s.get(target));
  // softplus(x) - x * target
  return reduceLoss(s, softplus(x) - x * goal, reduction);
}

Value fe::kl_divergence(Arg log_probabilities, Arg target, Text reduction) {
  Scope s("kl_divergence", log_probabilities, target);
  Value known = s.done(s.floating(log_probabilities)), goal = s.done(s.floating(target));
  return reduceLoss(s, where(goal > 0.0, goal * (log(goal) - known), 0.0), reduction);
}

Value fe::hinge_loss(Arg prediction, Arg target, Text reduction) {
  Scope s("hinge_loss", prediction, target);
  return reduceLoss(s, maximum(1.0 - multiply(prediction, target), 0.0), reduction);
}

Value fe::cosine_similarity(Arg a, Arg b, int64_t axis, double eps) {
  Scope s("cosine_similarity", a, b);
  Value x = s.done(s.floating(a)), y = s.done(s.floating(b));
  return sum(x * y, axis) / (maximum(norm(x, axis), eps) * maximum(norm(y, axis), eps));
}
