// Losses.
#include "State.h"

#include <limits>

using namespace tw::fe;
namespace fe = tw::fe;

static Value reduceLoss(Scope &s, Value loss, Text reduction,
                        const char *known = "mean, sum or none") {
  if (!s || !loss.ok())
    return s.poison();
  if (reduction == "none")
    return loss;
  if (reduction == "mean")
    return mean(loss);
  if (reduction == "sum")
    return sum(loss);
  return s.error(Code::T0214, Twine("expected the reduction ") + known + ", found '" +
                                  StringRef(reduction) + "'");
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
  if (!(delta > 0))
    return s.error(Code::T0206, "expected a delta above 0, found " + Twine(std::to_string(delta)));
  Value error = abs(subtract(prediction, target));
  return reduceLoss(s, where(error <= delta, square(error) * 0.5, (error - delta / 2) * delta),
                    reduction);
}

Value fe::smooth_l1_loss(Arg prediction, Arg target, double beta, Text reduction) {
  Scope s("smooth_l1_loss", prediction, target);
  if (!(beta > 0))
    return l1_loss(prediction, target, reduction);
  return huber_loss(prediction, target, beta, reduction) * (1 / beta);
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

/// -log at the classes, smoothed over all: each times the weight of its class, 0 where that is
/// ignored, over the sum of these weights.
static Value classLoss(Scope &s, const Value &log, const Arg &target, int64_t axis,
                       double smoothing, Text reduction, const Arg &weight, int64_t ignored) {
  Value loss = pick(s, log, target, axis), classes = s.done(s.get(target)), own, weights;
  if (!s || !loss.ok())
    return s.poison();
  if (!weight.isNone()) {
    weights = astype(s.done(s.get(weight)), log.dtype());
    own = take(weights, classes);
    loss = loss * own;
  }
  if (smoothing != 0) {
    Value all = log;
    if (!weight.isNone()) {
      // Other classes count by their own weights.
      Shape shape(size_t(log.rank()), Dim(1));
      shape[size_t(s.axis(axis, log.rank()))] = Dim(-1);
      all = log * reshape(weights, shape);
    }
    loss = loss * (1 - smoothing) - mean(all, axis) * smoothing;
  }
  if (!s || !loss.ok())
    return s.poison();
  Value isCounted = classes != ignored;
  loss = where(isCounted, loss, 0.0);
  if (reduction != "mean")
    return reduceLoss(s, loss, reduction);
  Value counts = weight.isNone() ? astype(isCounted, loss.dtype()) : where(isCounted, own, 0.0);
  return sum(loss) / sum(counts);
}

Value fe::nll_loss(Arg log_probabilities, Arg target, int64_t axis, Text reduction, Arg weight,
                   int64_t ignore_index) {
  Scope s("nll_loss", log_probabilities, target, weight);
  return classLoss(s, s.done(s.floating(log_probabilities)), target, axis, 0, reduction, weight,
                   ignore_index);
}

Value fe::cross_entropy(Arg logits, Arg target, int64_t axis, double label_smoothing,
                        Text reduction, Arg weight, int64_t ignore_index) {
  Scope s("cross_entropy", logits, target, weight);
  Value log = log_softmax(logits, axis), goal = s.done(s.get(target));
  if (!s || !log.ok())
    return s.poison();
  if (!isFloating(goal.dtype()))
    return classLoss(s, log, target, axis, label_smoothing, reduction, weight, ignore_index);
  if (!weight.isNone())
    return s.error(Code::T0214, "expected weights for integer classes, found probabilities");
  Value loss = -sum(log * goal, axis);
  if (label_smoothing != 0)
    loss = loss * (1 - label_smoothing) - mean(log, axis) * label_smoothing;
  return reduceLoss(s, loss, reduction);
}

Value fe::binary_cross_entropy(Arg logits, Arg target, Text reduction, Arg pos_weight) {
  Scope s("binary_cross_entropy", logits, target, pos_weight);
  Value x = s.done(s.floating(logits)), goal = s.done(s.get(target));
  // softplus(x) - x * target
  if (pos_weight.isNone())
    return reduceLoss(s, softplus(x) - x * goal, reduction);
  Value factor = (s.done(s.get(pos_weight)) - 1.0) * goal + 1.0;
  return reduceLoss(s, x * (1.0 - goal) + factor * softplus(-x), reduction);
}

Value fe::kl_divergence(Arg log_probabilities, Arg target, Text reduction) {
  Scope s("kl_divergence", log_probabilities, target);
  Value known = s.done(s.floating(log_probabilities)), goal = s.done(s.floating(target)),
        isSome = goal > 0.0;
  Value loss = where(isSome, goal * (log(where(isSome, goal, 1.0)) - known), 0.0);
  if (reduction != "batchmean" || !s || !loss.ok())
    return reduceLoss(s, loss, reduction, "mean, batchmean, sum or none");
  if (loss.rank() == 0)
    return s.error(Code::T0208,
                   "expected a batch as dimension 0 for the reduction batchmean, found a scalar");
  return sum(mean(loss, 0));
}

/// The log-probabilities of all that is aligned so far, step by step: of labels with blanks around
/// each, [n, 2 s + 1].
Value fe::ctc_loss(Arg log_probabilities, Arg targets, Arg input_lengths, Arg target_lengths,
                   int64_t blank, Text reduction) {
  Scope s("ctc_loss", log_probabilities, targets, input_lengths, target_lengths);
  Value log = s.done(s.floating(log_probabilities)), labels = s.done(s.get(targets)),
        steps = s.done(s.get(input_lengths)), lengths = s.done(s.get(target_lengths));
  if (!s)
    return s.poison();
  if (log.rank() != 3 || labels.rank() != 2 || labels.size(0) != log.size(1) ||
      steps.shape() != Shape{log.size(1)} || lengths.shape() != Shape{log.size(1)} ||
      !log.size(0).isStatic() || !labels.size(1).isStatic())
    return s.error(Code::T0208,
                   "expected [t, n, c] and targets [n, s] of static sizes, and lengths "
                   "[n], found " +
                       fe::str(log.shape()) + ", " + fe::str(labels.shape()) + ", " +
                       fe::str(steps.shape()) + " and " + fe::str(lengths.shape()));
  for (const Value *one : {&labels, &steps, &lengths})
    if (!isInteger(one->dtype()))
      return s.error(Code::T0208,
                     "expected integer targets and lengths, found " + nameOf(one->dtype()));
  // Far below any number that is added, and no infinity, whose differences are NaN.
  constexpr double kNever = -1e30;
  Dim batch = labels.size(0);
  int64_t count = labels.size(1).getConstant(), width = 2 * count + 1;
  labels = astype(labels, i64), steps = astype(steps, i64), lengths = astype(lengths, i64);
  // blank, label, blank, label ... blank
  Value blanks = full(s.self(), {batch, count}, blank, i64);
  Value around = concat({reshape(stack({blanks, labels}, 2), {batch, 2 * count}),
                         full(s.self(), {batch, 1}, blank, i64)},
                        1);
  auto before = [&](const Value &x, int64_t by, const Arg &fill) {
    return slice(pad(x, {0, by}, {0, 0}, fill), {0, 0},
                 {std::numeric_limits<int64_t>::max(), width}, 1);
  };
  // A blank between two labels may be left out where they differ.
  Value maySkip = (around != blank) & (around != before(around, 2, blank));
  Value place = iota(s.self(), {width}, 0);
  Value start = where(place <= 1, 0.0, kNever);
  auto emitted = [&](const Value &row) { return take_along_axis(row, around, 1); };
  Values sums = scan(
      [&](const Values &carried, const Values &slices) -> Step {
        const Value &last = carried[0];
        Value own = emitted(slices[0]);
        Value all = logaddexp(last, before(last, 1, kNever));
        all = logaddexp(all, where(maySkip, before(last, 2, kNever), kNever));
        Value first = astype(broadcast_to(start, {batch, width}), own.dtype());
        Value next = where(slices[1] == 0, first, all) + own;
        // Behind the last step nothing changes.
        return {{where(expand_dims(slices[1] < steps, 1), next, last)}, {}};
      },
      {full(s.self(), {batch, width}, kNever, log.dtype())},
      {log, iota(s.self(), {log.size(0)}, 0)}, log.size(0));
  if (!s || sums.empty() || !sums[0].ok())
    return s.poison();
  Value ends = expand_dims(lengths * 2, 1);
  Value isEnd = (place == ends) | (place == ends - 1);
  Value loss = -logsumexp(where(isEnd, sums[0], kNever), 1);
  if (reduction == "mean")
    loss = loss / astype(maximum(lengths, 1), loss.dtype());
  return reduceLoss(s, loss, reduction);
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
