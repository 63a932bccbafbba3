// Normalisation.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;

static bool checkVector(NodeImport &n, Value v, int64_t size) {
  if (Emitter::rank(v) == 1 && Emitter::size(v, 0) == size)
    return true;
  n.error(Code::T0111) << "a parameter has the shape " << shapeText(Emitter::shape(v))
                       << ", expected [" << size << "]";
  return false;
}

static void importBatchNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  bool training = n.opset >= 14 && n.integer("training_mode", 0);
  if (n.wants(1) && !training)
    return n.unsupported("statistics as results outside of training_mode", "operator set 14",
                         "training_mode 1");
  if (n.opset < 9 && !n.integer("spatial", 1))
    return n.unsupported("spatial 0", "one statistic per element", "spatial 1");
  if (e.rank(x) < 2)
    x = e.unsqueeze(x, 1);
  for (size_t i = 1; i < 5; ++i)
    if (!checkVector(n, n.input(i), e.size(x, 1)))
      return;
  // Parameters of another precision than the input count in the input's.
  llvm::SmallVector<Value, 4> parameters;
  for (size_t i = 1; i < 5; ++i)
    parameters.push_back(e.cast(n.input(i), e.element(x)));
  if (training) {
    // The batch's own statistics count, and are blended into the running ones.
    Shape dims = indices(e.rank(x));
    dims.erase(dims.begin() + 1);
    Value mean = e.mean(x, dims, true), centre = e.sub(x, mean);
    Value variance = e.mean(e.mul(centre, centre), dims, true);
    double momentum = n.floating("momentum", 0.9f);
    Value statistics[] = {mean, variance};
    for (auto [i, batch] : llvm::enumerate(statistics)) {
      Value flat = e.reshape(batch, {e.size(x, 1)});
      n.result(i + 1, e.cast(e.add(e.mul(parameters[i + 2], momentum), e.mul(flat, 1 - momentum)),
                             e.element(n.input(i + 3))));
      parameters[i + 2] = flat;
    }
  }
  Value y = e.make<graph::BatchNormOp>(x.getType(), x, parameters[0], parameters[1], parameters[2],
                                       parameters[3], llvm::APFloat(n.floating("epsilon", 1e-5f)));
  n.result(e.reshape(y, e.shape(n.input(0))));
}

static void importLayerNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.axisAttribute("axis", -1, e.rank(x));
  double epsilon = n.floating("epsilon", 1e-5f);
  if (n.failed())
    return;
  Shape dims, inner;
  for (int64_t i = axis; i < e.rank(x); ++i) {
    dims.push_back(i);
    inner.push_back(e.size(x, i));
  }
  Value scale = e.expand(n.input(1), inner);
  Value bias = n.has(2) ? e.expand(n.input(2), inner) : Value();
  if (!scale || (n.has(2) && !bias))
    return;
  n.result(e.layerNorm(x, scale, bias, dims, epsilon));
  if (!n.wants(1) && !n.wants(2))
    return;
  Value mean = e.mean(x, dims, true), centre = e.sub(x, mean);
  Value variance = e.mean(e.mul(centre, centre), dims, true);
  n.result(1, mean);
  n.result(2, e.unary<graph::ReciprocalOp>(e.sqrt(e.add(variance, epsilon))));
}

static void importRmsNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.axisAttribute("axis", -1, e.rank(x));
  Shape dims;
  for (int64_t i = axis; i < e.rank(x); ++i)
    dims.push_back(i);
  Value square = e.mean(e.mul(x, x), dims, true);
  Value root = e.sqrt(e.add(square, n.floating("epsilon", 1e-5f)));
  n.result(e.mul(e.div(x, root), n.input(1)));
}

/// Scale and bias per channel of a tensor [N, C, ...].
static Value scaled(NodeImport &n, Value x, Value scale, Value bias) {
  Emitter &e = n.emit;
  if (!x || !checkVector(n, scale, e.size(x, 1)) || !checkVector(n, bias, e.size(x, 1)))
    return {};
  return e.add(e.mul(x, e.along(scale, 1, e.rank(x))), e.along(bias, 1, e.rank(x)));
}

static void importInstanceNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Shape dims;
  for (int64_t i = 2; i < e.rank(x); ++i)
    dims.push_back(i);
  if (dims.empty()) {
    n.error(Code::T0111) << "the input has the shape " << shapeText(e.shape(x))
                         << ", expected [N, C, spatial...]";
    return;
  }
  n.result(scaled(n, e.layerNorm(x, {}, {}, dims, n.floating("epsilon", 1e-5f)), n.input(1),
                  n.input(2)));
}

static void importGroupNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), scale = n.input(1), bias = n.input(2);
  int64_t groups = n.integer("num_groups", 0);
  if (e.rank(x) < 2 || groups < 1 || e.size(x, 1) % groups) {
    n.error(Code::T0111) << groups << " groups do not fit the input " << shapeText(e.shape(x));
    return;
  }
  Shape shape(e.shape(x)), grouped{shape[0], groups, shape[1] / groups}, dims{2};
  for (size_t i = 2; i < shape.size(); ++i) {
    grouped.push_back(shape[i]);
    dims.push_back(static_cast<int64_t>(i) + 1);
  }
  Value y = e.layerNorm(e.reshape(x, grouped), {}, {}, dims, n.floating("epsilon", 1e-5f));
  // Before version 21 there was one scale and bias per group.
  if (n.opset < 21)
    return n.result(e.reshape(scaled(n, y, scale, bias), shape));
  n.result(scaled(n, e.reshape(y, shape), scale, bias));
}

static void importMeanVarianceNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Shape dims = n.axes(n.integers("axes").value_or(Shape{0, 2, 3}), e.rank(x));
  if (n.failed())
    return;
  Value mean = e.mean(x, dims, true);
  Value variance = e.sub(e.mean(e.mul(x, x), dims, true), e.mul(mean, mean));
  n.result(e.div(e.sub(x, mean), e.add(e.sqrt(variance), 1e-9)));
}

static void importLpNormalization(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.axisAttribute("axis", -1, e.rank(x)), p = n.integer("p", 2);
  if (p != 1 && p != 2)
    n.error(Code::T0108) << "attribute 'p' is " << p << ", expected 1 or 2";
  if (n.failed())
    return;
  Value norm = p == 1 ? e.sum(e.abs(x), {axis}, true) : e.sqrt(e.sum(e.mul(x, x), {axis}, true));
  // What has no length stays 0.
  Value infinite = e.limit({}, e.element(x), /*greatest=*/true);
  n.result(e.div(x, e.select(e.compare(graph::ComparePredicate::Eq, norm, 0), infinite, norm)));
}

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta
static void importLrn(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t size = n.integer("size", 0), rank = e.rank(x);
  if (size < 1 || size > (1 << 20) || rank < 2) {
    n.error(Code::T0108) << "attribute 'size' is " << size << ", expected 1 or more";
    return;
  }
  Shape window(rank, 1), ones(rank, 1), low(rank, 0), high(rank, 0);
  window[1] = size;
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Value squares = e.window(graph::CombineKind::Add, e.mul(x, x), window, ones, ones, low, high);
  double alpha = n.floating("alpha", 1e-4f) / static_cast<double>(size);
  Value base = e.add(e.mul(squares, alpha), n.floating("bias", 1));
  n.result(e.div(x, e.binary<graph::PowOp>(base, n.floating("beta", 0.75))));
}

void tw::onnx::addNormalization(Registry &r) {
  r.add("BatchNormalization", 1, {5, 5}, importBatchNormalization, {1, 5});
  r.add("GroupNormalization", 18, {3, 3}, importGroupNormalization);
  r.add("InstanceNormalization", 1, {3, 3}, importInstanceNormalization);
  r.add("LRN", 1, {1, 1}, importLrn);
  r.add("LayerNormalization", 17, {2, 3}, importLayerNormalization, {1, 3});
  r.add("LpNormalization", 1, {1, 1}, importLpNormalization);
  r.add("MeanVarianceNormalization", 9, {1, 1}, importMeanVarianceNormalization);
  r.add("RMSNormalization", 23, {2, 2}, importRmsNormalization);
}
