// Normalisation.
#include "State.h"

#include "tw/Support/ElementTypes.h"

using namespace tw::fe;
namespace fe = tw::fe;

/// Scale and bias [c] over dimension 1.
static Value overChannels(Scope &s, Value value, const Arg &scale, const Arg &bias) {
  for (const Arg *arg : {&scale, &bias}) {
    if (arg->isNone() || !s || !value.ok())
      continue;
    Value one = s.done(s.get(*arg));
    if (one.rank() != 1)
      return s.error(Code::T0208,
                     "expected a scale and a bias of rank 1, found " + fe::str(one.shape()));
    Shape shape(size_t(value.rank() - 1), Dim(1));
    shape[0] = one.size(0);
    one = reshape(one, shape);
    value = arg == &scale ? value * one : value + one;
  }
  return value;
}

Value fe::layer_norm(Arg x, Arg scale, Arg bias, Ints axis, double eps) {
  Scope s("layer_norm", x, scale, bias);
  mlir::Value value = s.floating(x), factor = s.optional(scale), offset = s.optional(bias);
  SmallVector<int64_t> dims = s.axes(axis, s.rank(value));
  if (!s)
    return s.poison();
  bool isStatic = llvm::all_of(dims, [&](int64_t dim) { return s.shape(value)[dim].isStatic(); });
  if (!isStatic)
    return s.error(Code::T0208, "expected static sizes along the axes, found " +
                                    graph::toString(s.shape(value)));
  SmallVector<mlir::Value> operands{value};
  for (mlir::Value parameter : {factor, offset})
    if (parameter)
      operands.push_back(s.cast(parameter, s.element(value)));
  int32_t segments[] = {1, factor ? 1 : 0, offset ? 1 : 0};
  return s.done(s.same<graph::LayerNormOp>(
      operands, {s.attribute("dims", dims),
                 s.attribute("eps", mlir::Attribute(s.builder().getF64FloatAttr(eps))),
                 s.attribute("operandSegmentSizes",
                             mlir::Attribute(s.builder().getDenseI32ArrayAttr(segments)))}));
}

Value fe::rms_norm(Arg x, Arg scale, Ints axis, double eps) {
  Scope s("rms_norm", x, scale);
  Value value = s.done(s.floating(x));
  if (!s)
    return s.poison();
  DType dtype = value.dtype();
  Value wide = dtype == f64 ? value : astype(value, f32);
  Value result = astype(wide * rsqrt(mean(wide * wide, axis, true) + eps), dtype);
  if (scale.isNone() || !s)
    return result;
  // The scale's dimensions are the axes, in their order.
  SmallVector<int64_t> dims = s.axes(axis, value.rank());
  Value factor = astype(s.done(s.get(scale)), dtype);
  if (!s)
    return s.poison();
  if (factor.rank() != int64_t(dims.size()))
    return s.error(Code::T0208, "expected a scale of rank " + Twine(dims.size()) + ", found " +
                                    fe::str(factor.shape()));
  Shape shape(size_t(value.rank()), Dim(1));
  for (auto [i, dim] : llvm::enumerate(dims))
    shape[size_t(dim)] = factor.size(int64_t(i));
  return result * reshape(factor, shape);
}

Value fe::batch_norm(Arg x, Arg scale, Arg bias, Arg mean, Arg variance, double eps) {
  Scope s("batch_norm", x, scale, bias, mean, variance);
  mlir::Value value = s.floating(x);
  SmallVector<mlir::Value> operands{value};
  for (const Arg *arg : {&scale, &bias, &mean, &variance})
    operands.push_back(s.cast(s.get(*arg), s.element(value)));
  return s ? s.done(s.same<graph::BatchNormOp>(
                 operands, s.attribute("eps", mlir::Attribute(s.builder().getF64FloatAttr(eps)))))
           : s.poison();
}

Values fe::batch_norm_training(Arg x, Arg scale, Arg bias, Arg mean, Arg variance, double momentum,
                               double eps) {
  Scope s("batch_norm_training", x, scale, bias, mean, variance);
  Value value = s.done(s.floating(x)), lastMean = s.done(s.get(mean)),
        lastVariance = s.done(s.get(variance));
  if (!s)
    return s.poison(3);
  if (value.rank() < 2) {
    s.error(Code::T0208, "expected [n, c, ...], found " + fe::str(value.shape()));
    return s.poison(3);
  }
  std::vector<int64_t> others;
  double count = 1;
  for (int64_t dim = 0; dim < value.rank(); ++dim) {
    if (dim == 1)
      continue;
    others.push_back(dim);
    count *= double(value.size(dim).getConstant());
    if (!value.size(dim).isStatic())
      s.error(Code::T0208,
              "expected static sizes beside the channels, found " + fe::str(value.shape()));
  }
  if (!s)
    return s.poison(3);
  // Statistics of narrow floats in f32.
  Value wide = value.dtype() == f64 ? value : astype(value, f32);
  Value center = fe::mean(wide, others, true);
  Value apart = wide - center, spread = fe::mean(square(apart), others, true);
  Value normal = astype(apart * rsqrt(spread + eps), value.dtype());
  auto next = [&](const Value &last, const Value &now) {
    Value own = astype(reshape(now, last.shape()), last.dtype());
    return last * (1 - momentum) + own * momentum;
  };
  double unbiased = count > 1 ? count / (count - 1) : 1;
  return {overChannels(s, normal, scale, bias), next(lastMean, center),
          next(lastVariance, spread * unbiased)};
}

Value fe::group_norm(Arg x, int64_t num_groups, Arg scale, Arg bias, double eps) {
  Scope s("group_norm", x, scale, bias);
  Value value = s.done(s.floating(x));
  if (!s)
    return s.poison();
  if (value.rank() < 2 || !value.size(1).isStatic())
    return s.error(Code::T0208, "expected [n, c, ...] with a static number of channels, found " +
                                    fe::str(value.shape()));
  int64_t channels = value.size(1).getConstant();
  if (num_groups < 1 || channels % num_groups)
    return s.error(Code::T0206, "expected groups that divide " + Twine(channels) +
                                    " channels, found " + Twine(num_groups));
  Value grouped = reshape(value, {value.size(0), num_groups, -1});
  return overChannels(s, reshape(layer_norm(grouped, {}, {}, 2, eps), value.shape()), scale, bias);
}

Value fe::instance_norm(Arg x, Arg scale, Arg bias, double eps) {
  Scope s("instance_norm", x, scale, bias);
  Value value = s.done(s.floating(x));
  if (s && value.rank() < 3)
    return s.error(Code::T0208, "expected rank 3 or more, found " + fe::str(value.shape()));
  std::vector<int64_t> spatial;
  for (int64_t i = 2; i < value.rank(); ++i)
    spatial.push_back(i);
  return overChannels(s, layer_norm(value, {}, {}, spatial, eps), scale, bias);
}

Value fe::local_response_norm(Arg x, int64_t size, double alpha, double beta, double k) {
  Scope s("local_response_norm", x);
  Value value = s.done(s.floating(x));
  if (s && (value.rank() < 2 || size < 1))
    return s.error(Code::T0208, "expected rank 2 or more and a size of 1 or more, found " +
                                    fe::str(value.shape()) + " and " + Twine(size));
  if (!s)
    return s.poison();
  std::vector<int64_t> window(size_t(value.rank()), 1), pads(size_t(2 * value.rank()), 0);
  window[1] = size;
  pads[1] = size / 2;
  pads[size_t(value.rank()) + 1] = (size - 1) / 2;
  Value squares = reduce_window(square(value), "add", window, 1, pads);
  return value / pow(squares * (alpha / double(size)) + k, beta);
}

Value fe::l2_normalize(Arg x, int64_t axis, double eps) {
  Scope s("l2_normalize", x);
  Value value = s.done(s.floating(x));
  return value / maximum(norm(value, axis, 2, true), eps);
}
