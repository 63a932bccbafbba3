// Derivatives of values, and what optimizers make of them.
#include "State.h"

#include "tw/Dialect/Graph/Derivatives.h"

using namespace tw::fe;
namespace fe = tw::fe;

namespace {

/// Whether all are floats; an error else.
bool areFloats(Scope &s, ArrayRef<mlir::Value> values) {
  for (mlir::Value value : values)
    if (s && !isFloating(s.dtype(value)))
      s.error(Code::T0223, "expected floats, found " + nameOf(s.dtype(value)) + " " +
                               graph::toString(s.shape(value)));
  return s.ok();
}

/// Handles keep naming what derivatives replace.
auto follow(Scope &s) {
  auto *state = detail::Access::state(s.self());
  return [state](mlir::Operation *old, mlir::ValueRange values) {
    for (auto [was, is] : llvm::zip(old->getResults(), values))
      state->replaced[was] = is;
  };
}

/// "'w'" of an argument, or of a product with it, by which it is made a value of its own; "value
/// 2".
std::string describe(mlir::Value value, size_t number) {
  while (auto product = value.getDefiningOp<graph::MulOp>())
    value = product.getLhs();
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (auto function = argument
                          ? mlir::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp())
                          : mlir::func::FuncOp())
    if (auto name =
            function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "tgraph.name"))
      return "'" + name.str() + "'";
  return "value " + std::to_string(number);
}

} // namespace

Values fe::grad(Arg of, Args wrt, Arg weights) {
  Scope s("grad", of, wrt, weights);
  mlir::Value value = s.get(of), seed = s.optional(weights);
  SmallVector<mlir::Value> by = s.get(wrt);
  size_t count = wrt.values.size();
  if (!s || !areFloats(s, value) || !areFloats(s, by))
    return s.poison(count);
  if (!seed && s.rank(value) != 0) {
    s.error(Code::T0223, "expected a scalar, or weights of its elements, found " +
                             graph::toString(s.shape(value)));
    return s.poison(count);
  }
  if (seed)
    seed = s.cast(s.broadcastTo(seed, s.shape(value)), s.element(value));
  SmallVector<mlir::Value> results;
  auto build = [&]() -> llvm::LogicalResult {
    auto gradients =
        graph::buildGradients(s.builder(), value, seed, by, graph::getDerivativeRules(), follow(s));
    if (mlir::failed(gradients))
      return mlir::failure();
    results = *gradients;
    return mlir::success();
  };
  if (!s || !s.checked(build))
    return s.poison(count);
  Values derivatives;
  for (auto [i, tensor, result] : llvm::enumerate(by, results)) {
    if (!result)
      mlir::emitWarning(s.loc()) << "grad: the value does not depend on " << describe(tensor, i)
                                 << ": its derivative is zero everywhere [T0222]";
    derivatives.push_back(s.done(result ? result : s.splat(0, tensor)));
  }
  return derivatives;
}

Values fe::jvp(Args of, Args wrt, Args tangents) {
  Scope s("jvp", of, wrt, tangents);
  SmallVector<mlir::Value> values = s.get(of), by = s.get(wrt), along = s.get(tangents);
  size_t count = of.values.size();
  if (!s || !areFloats(s, values) || !areFloats(s, by) || !areFloats(s, along))
    return s.poison(count);
  bool areSame = by.size() == along.size();
  for (size_t i = 0; areSame && i < by.size(); ++i)
    areSame = by[i].getType() == along[i].getType();
  if (!areSame) {
    s.error(Code::T0223, "expected tangents of the types of what moves, one for each");
    return s.poison(count);
  }
  SmallVector<mlir::Value> results;
  auto build = [&]() -> llvm::LogicalResult {
    auto found = graph::buildTangents(s.builder(), values, by, along, graph::getDerivativeRules(),
                                      follow(s));
    if (mlir::failed(found))
      return mlir::failure();
    results = *found;
    return mlir::success();
  };
  if (!s.checked(build))
    return s.poison(count);
  Values moved;
  for (auto [value, result] : llvm::zip(values, results))
    moved.push_back(s.done(result ? result : s.splat(0, value)));
  return moved;
}

Value fe::stop_gradient(Arg x) {
  Scope s("stop_gradient", x);
  mlir::Value value = s.get(x);
  if (!s)
    return s.poison();
  if (!isFloating(s.dtype(value)))
    return s.done(value);
  // The same bits as integers: what is differentiated ends there.
  unsigned bits = s.element(value).getIntOrFloatBitWidth();
  mlir::Type integer = s.builder().getIntegerType(bits);
  mlir::Type inner = graph::withElementType(value.getType(), integer);
  return s.done(
      s.make<graph::BitcastOp>(s.make<graph::BitcastOp>(value, {}, inner), {}, value.getType()));
}

Values fe::clip_by_norm(Args gradients, double max_norm) {
  Scope s("clip_by_norm", gradients);
  if (!s)
    return s.poison(gradients.values.size());
  // The norm is that of all in the widest type, and in f32 at least.
  bool isDouble =
      llvm::any_of(gradients.values, [](const Value &gradient) { return gradient.dtype() == f64; });
  Value total;
  for (const Value &gradient : gradients.values) {
    Value squares = sum(square(astype(gradient, isDouble ? f64 : f32)));
    total = total.isEmpty() ? squares : total + squares;
  }
  Values clipped;
  for (const Value &gradient : gradients.values)
    clipped.push_back(gradient *
                      astype(minimum(max_norm / (sqrt(total) + 1e-6), 1.0), gradient.dtype()));
  return clipped;
}

namespace {

/// A number or a scalar as one beside the parameter.
Value beside(const Arg &number, const Value &parameter) {
  return astype(number.kind == Arg::Kind::Tensor ? number.value : full_like(parameter, number),
                parameter.dtype());
}

/// 1 - beta ^ step, which what has been averaged since zeros is divided by; in f64, since it begins
/// near 0.
Value correction(double beta, const Value &step, const Value &parameter) {
  return astype(1.0 - pow(beta, astype(step, f64)), parameter.dtype());
}

/// With the gradient of the decay added.
Value decayed(const Value &gradient, const Value &parameter, double decay) {
  return decay != 0 ? gradient + parameter * decay : gradient;
}

/// Shrunk by the decay.
Value shrunk(const Value &parameter, const Arg &rate, double decay) {
  return decay != 0 ? parameter * (1.0 - beside(rate, parameter) * decay) : parameter;
}

} // namespace

Values fe::sgd(Arg parameter, Arg gradient, Arg rate, Arg velocity, double momentum,
               double dampening, double weight_decay, bool nesterov) {
  Scope s("sgd", parameter, gradient, rate, velocity);
  Value w = s.done(s.get(parameter)), g = s.done(s.get(gradient));
  bool keeps = !velocity.isNone();
  if (!s)
    return s.poison(keeps ? 2 : 1);
  g = decayed(g, w, weight_decay);
  if (!keeps)
    return {w - beside(rate, w) * g};
  Value v = s.done(s.get(velocity)) * momentum + g * (1 - dampening);
  Value step = nesterov ? g + v * momentum : v;
  return {w - beside(rate, w) * step, v};
}

static Values moments(Scope &s, const Value &g, const Arg &mean, const Arg &variance, double beta1,
                      double beta2) {
  Value m = s.done(s.get(mean)), v = s.done(s.get(variance));
  return {m + (g - m) * (1 - beta1), v * beta2 + g * g * (1 - beta2)};
}

/// The step of Adam from both moments.
static Value adamStep(const Value &w, const Values &moments, const Value &step, const Arg &rate,
                      double beta1, double beta2, double eps) {
  Value size = sqrt(moments[1]) / sqrt(correction(beta2, step, w)) + eps;
  return w - beside(rate, w) / correction(beta1, step, w) * moments[0] / size;
}

Values fe::adam(Arg parameter, Arg gradient, Arg mean, Arg variance, Arg step, Arg rate,
                double beta1, double beta2, double eps, double weight_decay) {
  Scope s("adam", parameter, gradient, mean, variance, step, rate);
  Value w = s.done(s.get(parameter)), g = s.done(s.get(gradient)), t = s.done(s.get(step));
  if (!s)
    return s.poison(3);
  g = decayed(g, w, weight_decay);
  Values both = moments(s, g, mean, variance, beta1, beta2);
  return {adamStep(w, both, t, rate, beta1, beta2, eps), both[0], both[1]};
}

Values fe::adamw(Arg parameter, Arg gradient, Arg mean, Arg variance, Arg step, Arg rate,
                 double beta1, double beta2, double eps, double weight_decay) {
  Scope s("adamw", parameter, gradient, mean, variance, step, rate);
  Value w = s.done(s.get(parameter)), g = s.done(s.get(gradient)), t = s.done(s.get(step));
  if (!s)
    return s.poison(3);
  Values both = moments(s, g, mean, variance, beta1, beta2);
  return {adamStep(shrunk(w, rate, weight_decay), both, t, rate, beta1, beta2, eps), both[0],
          both[1]};
}

Values fe::rmsprop(Arg parameter, Arg gradient, Arg variance, Arg rate, double alpha, double eps,
                   double weight_decay) {
  Scope s("rmsprop", parameter, gradient, variance, rate);
  Value w = s.done(s.get(parameter)), g = s.done(s.get(gradient));
  if (!s)
    return s.poison(2);
  g = decayed(g, w, weight_decay);
  Value v = s.done(s.get(variance)) * alpha + g * g * (1 - alpha);
  return {w - beside(rate, w) * g / (sqrt(v) + eps), v};
}

Values fe::adagrad(Arg parameter, Arg gradient, Arg total, Arg rate, double eps,
                   double weight_decay) {
  Scope s("adagrad", parameter, gradient, total, rate);
  Value w = s.done(s.get(parameter)), g = s.done(s.get(gradient));
  if (!s)
    return s.poison(2);
  g = decayed(g, w, weight_decay);
  Value sum = s.done(s.get(total)) + g * g;
  return {w - beside(rate, w) * g / (sqrt(sum) + eps), sum};
}

Values fe::lion(Arg parameter, Arg gradient, Arg mean, Arg rate, double beta1, double beta2,
                double weight_decay) {
  Scope s("lion", parameter, gradient, mean, rate);
  Value w = s.done(s.get(parameter)), g = s.done(s.get(gradient)), m = s.done(s.get(mean));
  if (!s)
    return s.poison(2);
  Value direction = sign(m * beta1 + g * (1 - beta1));
  return {shrunk(w, rate, weight_decay) - beside(rate, w) * direction, m * beta2 + g * (1 - beta2)};
}
