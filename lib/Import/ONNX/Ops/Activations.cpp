// Activation functions.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

static Value positive(Emitter &e, Value x) { return e.compare(ComparePredicate::Gt, x, 0); }

static void importLeakyRelu(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  n.result(
      e.select(e.compare(ComparePredicate::Lt, x, 0), e.mul(x, n.floating("alpha", 0.01f)), x));
}

static void importPRelu(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), slope = n.input(1);
  // Before version 7 one slope per channel has only that dimension.
  if (n.opset < 7 && e.rank(slope) == 1 && e.rank(x) > 1)
    slope = e.along(slope, e.size(slope, 0) == 1 ? 0 : 1, e.rank(x));
  n.result(
      e.select(e.compare(ComparePredicate::Lt, x, 0), e.mul(x, e.expand(slope, e.shape(x))), x));
}

/// scale * (x > 0 ? x : alpha * (exp(x) - 1))
static Value exponentialUnit(Emitter &e, Value x, double alpha) {
  return e.select(positive(e, x), x, e.mul(e.sub(e.exp(x), 1), alpha));
}

static void importElu(NodeImport &n) {
  n.result(exponentialUnit(n.emit, n.input(0), n.floating("alpha", 1)));
}

static void importSelu(NodeImport &n) {
  double alpha = n.floating("alpha", 1.67326319217681884765625);
  double gamma = n.floating("gamma", 1.05070102214813232421875);
  if (n.opset < 6) {
    alpha = n.floating("alpha", 1.6732);
    gamma = n.floating("gamma", 1.0507);
  }
  n.result(n.emit.mul(exponentialUnit(n.emit, n.input(0), alpha), gamma));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
static void importCelu(NodeImport &n) {
  Emitter &e = n.emit;
  double alpha = n.floating("alpha", 1);
  Value x = n.input(0);
  n.result(e.select(positive(e, x), x, e.mul(e.sub(e.exp(e.div(x, alpha)), 1), alpha)));
}

static void importHardSigmoid(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = e.add(e.mul(n.input(0), n.floating("alpha", 0.2f)), n.floating("beta", 0.5));
  n.result(e.clamp(x, 0, 1));
}

static void importHardSwish(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  n.result(e.mul(x, e.clamp(e.add(e.mul(x, 1.0 / 6), 0.5), 0, 1)));
}

/// log(1 + exp(x)) without overflow: max(x, 0) + log(1 + exp(-|x|)).
static Value softplus(Emitter &e, Value x) {
  return e.add(e.maximum(x, 0), e.log(e.add(e.exp(e.neg(e.abs(x))), 1)));
}

static void importSoftplus(NodeImport &n) { n.result(softplus(n.emit, n.input(0))); }

static void importMish(NodeImport &n) {
  n.result(n.emit.mul(n.input(0), n.emit.tanh(softplus(n.emit, n.input(0)))));
}

static void importSoftsign(NodeImport &n) {
  n.result(n.emit.div(n.input(0), n.emit.add(n.emit.abs(n.input(0)), 1)));
}

static void importSwish(NodeImport &n) {
  Emitter &e = n.emit;
  n.result(e.mul(n.input(0), e.sigmoid(e.mul(n.input(0), n.floating("alpha", 1)))));
}

static void importThresholdedRelu(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  n.result(
      e.select(e.compare(ComparePredicate::Gt, x, n.floating("alpha", 1)), x, e.splatLike(x, 0)));
}

static void importShrink(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  double lambda = n.floating("lambd", 0.5), bias = n.floating("bias", 0);
  Value middle =
      e.select(e.compare(ComparePredicate::Gt, x, lambda), e.sub(x, bias), e.splatLike(x, 0));
  n.result(e.select(e.compare(ComparePredicate::Lt, x, -lambda), e.add(x, bias), middle));
}

static void importGelu(NodeImport &n) {
  llvm::StringRef form = n.choice("approximate", "none", {"none", "tanh"});
  Value x = n.input(0);
  auto kind = form == "tanh" ? graph::GeluKind::Tanh : graph::GeluKind::Erf;
  n.result(n.emit.make<graph::GeluOp>(x.getType(), kind, x));
}

/// Runs `body` along the operator's axis. Before version 13 the tensor counts as a matrix whose
/// rows begin at `axis`, from 13 on one dimension is meant.
template <typename Body> static void alongAxis(NodeImport &n, Body body) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x);
  if (!elementCount(e.shape(x)))
    return n.result(x);
  if (n.opset >= 13)
    return n.result(body(x, n.axisAttribute("axis", -1, rank)));
  int64_t axis = n.integer("axis", 1);
  if (axis != rank)
    axis = n.axis(axis, rank);
  if (n.failed())
    return;
  ShapeRef shape = e.shape(x);
  Value matrix =
      e.reshape(x, {elementCount(shape.take_front(axis)), elementCount(shape.drop_front(axis))});
  n.result(e.reshape(body(matrix, 1), shape));
}

static void importSoftmax(NodeImport &n) {
  alongAxis(n, [&](Value x, int64_t dim) { return n.emit.softmax(x, dim); });
}

static void importLogSoftmax(NodeImport &n) {
  alongAxis(n, [&](Value x, int64_t dim) { return n.emit.logSoftmax(x, dim); });
}

static void importHardmax(NodeImport &n) {
  Emitter &e = n.emit;
  alongAxis(n, [&](Value x, int64_t dim) {
    Value first = e.unsqueeze(e.argReduce(graph::CombineKind::Max, x, dim), dim);
    return e.cast(e.compare(ComparePredicate::Eq, e.iota(e.shape(x), dim, e.i64()), first),
                  e.element(x));
  });
}

/// Inference: the identity, and a mask that keeps everything.
static void importDropout(NodeImport &n) {
  Emitter &e = n.emit;
  if (n.opset >= 12 && n.has(2)) {
    std::optional<int64_t> training = n.constantInteger(2);
    std::optional<double> ratio = training && *training && n.has(1) ? n.constantFloat(1) : 0.5;
    if (!training || !ratio)
      return;
    if (*training && *ratio != 0)
      return n.unsupported("training_mode", "random numbers", "training_mode constant false");
  }
  Value x = n.input(0);
  n.result(x);
  if (n.wants(1))
    n.result(1, e.splat(e.shape(x), n.opset < 10 ? e.element(x) : e.i1(), 1));
}

void tw::onnx::addActivations(Registry &r) {
  r.add("Celu", 12, {1, 1}, importCelu);
  r.add("Dropout", 1, {1, 1}, importDropout, {1, 2});
  r.add("Dropout", 12, {1, 3}, importDropout, {1, 2});
  r.add("Elu", 1, {1, 1}, importElu);
  r.add("Gelu", 20, {1, 1}, importGelu);
  r.add("HardSigmoid", 1, {1, 1}, importHardSigmoid);
  r.add("HardSwish", 14, {1, 1}, importHardSwish);
  r.add("Hardmax", 1, {1, 1}, importHardmax);
  r.add("LeakyRelu", 1, {1, 1}, importLeakyRelu);
  r.add("LogSoftmax", 1, {1, 1}, importLogSoftmax);
  r.add("Mish", 18, {1, 1}, importMish);
  r.add("PRelu", 1, {2, 2}, importPRelu);
  r.add("Relu", 1, {1, 1}, importUnary<graph::ReluOp>);
  r.add("Selu", 1, {1, 1}, importSelu);
  r.add("Shrink", 9, {1, 1}, importShrink);
  r.add("Sigmoid", 1, {1, 1}, importUnary<graph::SigmoidOp>);
  r.add("Softmax", 1, {1, 1}, importSoftmax);
  r.add("Softplus", 1, {1, 1}, importSoftplus);
  r.add("Softsign", 1, {1, 1}, importSoftsign);
  r.add("Swish", 24, {1, 1}, importSwish);
  r.add("Tanh", 1, {1, 1}, importUnary<graph::TanhOp>);
  r.add("ThresholdedRelu", 10, {1, 1}, importThresholdedRelu);
}
