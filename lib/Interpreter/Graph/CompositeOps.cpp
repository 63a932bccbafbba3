// Composites by their formulas, computed in f64 and rounded once.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

namespace {

/// Strides by which a point of `x` finds its element in a tensor over `dims` of it only.
SmallVector<int64_t> stridesOver(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    if (!llvm::is_contained(dims, d))
      continue;
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

Tensor relu(Operation *op, const Tensor &x) {
  return visitElementType(x.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return mapElements<T>(resultType(op), [](T x) { return greater(x, T(0)); }, x.elements<T>());
  });
}

template <typename T> Tensor gelu(GeluOp op, const Tensor &input) {
  auto erf = [](T value) {
    double x = value;
    return T(x / 2 * (1 + std::erf(x / std::sqrt(2.0))));
  };
  auto tanh = [](T value) {
    double x = value;
    return T(x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))));
  };
  if (op.getKind() == GeluKind::Erf)
    return mapElements<T>(resultType(op), erf, input.elements<T>());
  return mapElements<T>(resultType(op), tanh, input.elements<T>());
}

template <typename T> Tensor softmax(Operation *op, int64_t dim, bool isLog, const Tensor &x) {
  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<int64_t> shape = x.getShape();
  SmallVector<int64_t> strides = getRowMajorStrides(shape), outer(shape);
  int64_t count = shape[dim], step = strides[dim];
  outer[dim] = count ? 1 : 0;
  ArrayRef<T> in = x.elements<T>();
  auto out = result.elements<T>();
  forEachPoint<1>(outer, {strides}, {0}, [&](auto at) {
    double greatest = -std::numeric_limits<double>::infinity(), total = 0;
    for (int64_t i = 0; i < count; ++i)
      greatest = greater(greatest, double(in[at[0] + i * step]));
    for (int64_t i = 0; i < count; ++i)
      total += std::exp(double(in[at[0] + i * step]) - greatest);
    for (int64_t i = 0; i < count; ++i) {
      double y = double(in[at[0] + i * step]) - greatest;
      out[at[0] + i * step] = T(isLog ? y - std::log(total) : std::exp(y) / total);
    }
  });
  return result;
}

template <typename T> Tensor layerNorm(LayerNormOp op, ArrayRef<Tensor> operands) {
  const Tensor &x = operands[0];
  const Tensor *scale = op.getScale() ? &operands[1] : nullptr;
  const Tensor *bias = op.getBias() ? &operands.back() : nullptr;
  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<int64_t> shape = x.getShape();
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (!llvm::is_contained(op.getDims(), d))
      others.push_back(d);
  // A point, its group (the point without `dims`), its place in the group.
  std::array<SmallVector<int64_t>, 3> strides = {
      getRowMajorStrides(shape), stridesOver(shape, others), stridesOver(shape, op.getDims())};
  int64_t groups = 1, size = 1;
  for (int64_t d : others)
    groups *= shape[d];
  for (int64_t d : op.getDims())
    size *= shape[d];
  std::vector<double> mean(groups, 0), variance(groups, 0);
  ArrayRef<T> in = x.elements<T>();
  auto out = result.elements<T>();
  forEachPoint<3>(shape, strides, {0, 0, 0},
                  [&](auto at) { mean[at[1]] += double(in[at[0]]) / size; });
  forEachPoint<3>(shape, strides, {0, 0, 0}, [&](auto at) {
    double distance = double(in[at[0]]) - mean[at[1]];
    variance[at[1]] += distance * distance / size;
  });
  double eps = op.getEps().convertToDouble();
  forEachPoint<3>(shape, strides, {0, 0, 0}, [&](auto at) {
    double y = (double(in[at[0]]) - mean[at[1]]) / std::sqrt(variance[at[1]] + eps);
    if (scale)
      y *= double(scale->elements<T>()[at[2]]);
    if (bias)
      y += double(bias->elements<T>()[at[2]]);
    out[at[0]] = T(y);
  });
  return result;
}

template <typename T> Tensor batchNorm(BatchNormOp op, ArrayRef<Tensor> x) {
  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<int64_t> shape = x[0].getShape();
  ArrayRef<T> in = x[0].elements<T>(), scale = x[1].elements<T>(), bias = x[2].elements<T>();
  ArrayRef<T> mean = x[3].elements<T>(), variance = x[4].elements<T>();
  auto out = result.elements<T>();
  double eps = op.getEps().convertToDouble();
  forEachPoint<2>(
      shape, {getRowMajorStrides(shape), stridesOver(shape, {1})}, {0, 0}, [&](auto at) {
        double factor = double(scale[at[1]]) / std::sqrt(double(variance[at[1]]) + eps);
        out[at[0]] = T((double(in[at[0]]) - double(mean[at[1]])) * factor + double(bias[at[1]]));
      });
  return result;
}

template <typename T> Tensor evaluateOnFloats(Operation *op, ArrayRef<Tensor> x) {
  return llvm::TypeSwitch<Operation *, Tensor>(op)
      .Case([&](GeluOp op) { return gelu<T>(op, x[0]); })
      .Case([&](SoftmaxOp op) { return softmax<T>(op, op.getDim(), false, x[0]); })
      .Case([&](LogSoftmaxOp op) { return softmax<T>(op, op.getDim(), true, x[0]); })
      .Case([&](LayerNormOp op) { return layerNorm<T>(op, x); })
      .Case([&](BatchNormOp op) { return batchNorm<T>(op, x); })
      .Default(Tensor());
}

} // namespace

Tensor tw::interp::evaluateComposite(Operation *op, ArrayRef<Tensor> x) {
  if (isa<ReluOp>(op))
    return relu(op, x[0]);
  if (x.empty())
    return Tensor();
  return x[0].getElementType().isF32() ? evaluateOnFloats<float>(op, x)
                                       : evaluateOnFloats<double>(op, x);
}
