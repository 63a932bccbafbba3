// Activations, each an op of the dialect or a few of them.
#include "State.h"

using namespace tw::fe;
namespace fe = tw::fe;

namespace {

/// The operand of an activation, as floats.
struct Operand {
  Operand(const char *name, const Arg &x) : s(name, x), x(s.done(s.floating(x))) {}
  Scope s;
  Value x;
};

} // namespace

Value fe::relu6(Arg x) {
  Operand o("relu6", x);
  return clip(o.x, 0.0, 6.0);
}
Value fe::hard_tanh(Arg x) {
  Operand o("hard_tanh", x);
  return clip(o.x, -1.0, 1.0);
}
Value fe::leaky_relu(Arg x, double negative_slope) {
  Operand o("leaky_relu", x);
  return where(o.x > 0.0, o.x, o.x * negative_slope);
}
/// Without what is not chosen, whose exponential may be infinite, and which may be so itself: 0 *
/// inf in a gradient.
static Value below(const Value &x) { return where(x > 0.0, 0.0, x); }
Value fe::prelu(Arg x, Arg weight) {
  Scope s("prelu", x, weight);
  Value value = s.done(s.floating(x)), slope = s.done(s.floating(weight));
  return where(value > 0.0, value, below(value) * slope);
}
Value fe::elu(Arg x, double alpha) {
  Operand o("elu", x);
  return where(o.x > 0.0, o.x, expm1(below(o.x)) * alpha);
}
Value fe::celu(Arg x, double alpha) {
  Operand o("celu", x);
  return where(o.x > 0.0, o.x, expm1(below(o.x) / alpha) * alpha);
}
Value fe::selu(Arg x) {
  Operand o("selu", x);
  constexpr double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  return where(o.x > 0.0, o.x, expm1(below(o.x)) * alpha) * scale;
}
Value fe::gelu(Arg x, bool approximate) {
  Operand o("gelu", x);
  if (!o.s)
    return o.x;
  auto kind = graph::GeluKindAttr::get(o.s.context(),
                                       approximate ? graph::GeluKind::Tanh : graph::GeluKind::Erf);
  return o.s.done(o.s.same<graph::GeluOp>(unwrap(o.x), o.s.attribute("kind", kind)));
}
Value fe::softplus(Arg x) {
  Operand o("softplus", x);
  return maximum(o.x, 0.0) + log1p(exp(-abs(o.x)));
}
Value fe::log_sigmoid(Arg x) {
  Operand o("log_sigmoid", x);
  return -softplus(-o.x);
}
Value fe::silu(Arg x) {
  Operand o("silu", x);
  return o.x * sigmoid(o.x);
}
Value fe::mish(Arg x) {
  Operand o("mish", x);
  return o.x * tanh(softplus(o.x));
}
Value fe::soft_sign(Arg x) {
  Operand o("soft_sign", x);
  return o.x / (abs(o.x) + 1.0);
}
Value fe::hard_sigmoid(Arg x) {
  Operand o("hard_sigmoid", x);
  return clip(o.x * (1.0 / 6.0) + 0.5, 0.0, 1.0);
}
Value fe::hard_silu(Arg x) {
  Operand o("hard_silu", x);
  return o.x * hard_sigmoid(o.x);
}
Value fe::glu(Arg x, int64_t axis) {
  Operand o("glu", x);
  Values halves = split(o.x, 2, axis);
  return halves[0] * sigmoid(halves[1]);
}

template <typename Op> static Value along(const char *name, const Arg &x, int64_t axis) {
  Operand o(name, x);
  axis = o.s.axis(axis, o.x.rank());
  return o.s ? o.s.done(o.s.same<Op>(unwrap(o.x), o.s.attribute("dim", axis))) : o.s.poison();
}
Value fe::softmax(Arg x, int64_t axis) { return along<graph::SoftmaxOp>("softmax", x, axis); }
Value fe::log_softmax(Arg x, int64_t axis) {
  return along<graph::LogSoftmaxOp>("log_softmax", x, axis);
}
