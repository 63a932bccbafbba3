// Convolutions.
#include "../Quantized.h"
#include "../Registry.h"
#include "../Spatial.h"

using namespace tw;
using namespace tw::onnx;

/// Checks ranks and channels of input [N, C, ...] and weights [O, C / groups, ...].
static bool checkChannels(NodeImport &n, Value x, Value w, int64_t groups) {
  if (Emitter::rank(x) != Emitter::rank(w) || Emitter::rank(x) < 3) {
    n.error(Code::T0111) << "input and weights have the shapes " << shapeText(Emitter::shape(x))
                         << " and " << shapeText(Emitter::shape(w))
                         << ", expected equal ranks of 3 or more";
    return false;
  }
  if (groups < 1 || Emitter::size(w, 0) % groups ||
      Emitter::size(x, 1) != Emitter::size(w, 1) * groups) {
    n.error(Code::T0111) << "weights " << shapeText(Emitter::shape(w)) << " and " << groups
                         << " groups do not fit the " << Emitter::size(x, 1)
                         << " channels of the input";
    return false;
  }
  return true;
}

static Value convolve(NodeImport &n, Value x, Value w) {
  if (!x || !w)
    return {};
  int64_t groups = n.integer("group", 1);
  if (!checkChannels(n, x, w, groups))
    return {};
  std::optional<Spatial> s = readSpatial(n, x, Emitter::shape(w).drop_front(2), false);
  if (!s)
    return {};
  if (ShapeRef(s->kernel) != Emitter::shape(w).drop_front(2)) {
    n.error(Code::T0108) << "attribute 'kernel_shape' is " << shapeText(s->kernel)
                         << ", the weights are " << shapeText(Emitter::shape(w));
    return {};
  }
  return n.emit.conv(x, w, s->strides, s->dilations, s->low, s->high, groups);
}

static Value addBias(NodeImport &n, Value x, Value bias) {
  if (!bias || !x)
    return x;
  if (Emitter::rank(bias) != 1 || Emitter::size(bias, 0) != Emitter::size(x, 1)) {
    n.error(Code::T0111) << "the bias has the shape " << shapeText(Emitter::shape(bias))
                         << ", expected [" << Emitter::size(x, 1) << "]";
    return {};
  }
  return n.emit.add(x, n.emit.along(bias, 1, Emitter::rank(x)));
}

static void importConv(NodeImport &n) {
  Value sum = productOfSteps(n, n.input(0), n.input(1), /*dimB=*/0, /*dim=*/1,
                             [&](Value x, Value w) { return convolve(n, x, w); });
  n.result(addBias(n, sum, n.input(2)));
}

/// Weights' zero points are one, or one per output channel.
static Value centeredWeights(NodeImport &n, Value w, Value zeroPoint) {
  Emitter &e = n.emit;
  if (zeroPoint && elementCount(e.shape(zeroPoint)) > 1)
    zeroPoint = e.along(zeroPoint, 0, e.rank(w));
  return centered(n, w, zeroPoint, false);
}

static void importConvInteger(NodeImport &n) {
  n.result(convolve(n, centered(n, n.input(0), n.input(2), false),
                    centeredWeights(n, n.input(1), n.input(3))));
}

static void importQLinearConv(NodeImport &n) {
  Emitter &e = n.emit;
  Value sum = convolve(n, centered(n, n.input(0), n.input(2), false),
                       centeredWeights(n, n.input(3), n.input(5)));
  sum = addBias(n, sum, n.input(8));
  if (!sum)
    return;
  Value weightScale = n.input(4);
  if (elementCount(e.shape(weightScale)) > 1)
    weightScale = e.along(weightScale, 1, e.rank(sum));
  Value scale = e.div(e.mul(n.input(1), weightScale), n.input(6));
  n.result(requantized(n, sum, scale, n.input(7)));
}

static void importConvTranspose(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), w = n.input(1);
  int64_t groups = n.integer("group", 1);
  if (e.rank(x) != e.rank(w) || e.rank(x) < 3 || groups < 1 || e.size(x, 1) != e.size(w, 0) ||
      e.size(w, 0) % groups) {
    n.error(Code::T0111) << "input " << shapeText(e.shape(x)) << ", weights "
                         << shapeText(e.shape(w)) << " and " << groups
                         << " groups do not fit each other";
    return;
  }
  size_t rank = static_cast<size_t>(e.rank(x)) - 2;
  std::optional<Spatial> s = readSpatialAttributes(n, rank, e.shape(w).drop_front(2));
  if (!s)
    return;
  Shape extra = n.integers("output_padding").value_or(Shape(rank, 0));
  std::optional<Shape> wanted = n.integers("output_shape");
  llvm::StringRef autoPad = readAutoPad(n);
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (wanted && wanted->size() > rank)
    wanted->erase(wanted->begin(), wanted->end() - rank);
  if (!checkEntries(n, "output_padding", extra, rank, 0) ||
      (wanted && !checkEntries(n, "output_shape", *wanted, rank, 0)))
    return;
  Shape sizes;
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = static_cast<int64_t>(i) + 2, extent = (s->kernel[i] - 1) * s->dilations[i] + 1;
    int64_t full = (e.size(x, dim) - 1) * s->strides[i] + extent + extra[i];
    if (wanted || same) {
      int64_t size = wanted ? (*wanted)[i] : e.size(x, dim) * s->strides[i];
      int64_t total = std::max<int64_t>(full - size, 0);
      int64_t half = total / 2;
      s->low[i] = autoPad == "SAME_UPPER" ? half : total - half;
      s->high[i] = full - size - s->low[i];
    }
    // Pads crop the full result.
    sizes.push_back(full - s->low[i] - s->high[i]);
    if (e.size(x, dim) > 0 && sizes.back() < 0) {
      n.error(Code::T0111) << "pads crop more than dimension " << dim << " has";
      return;
    }
  }
  n.result(addBias(n, e.transposedConv(x, w, sizes, s->strides, s->dilations, s->low, groups),
                   n.input(2)));
}

void tw::onnx::addConvolutions(Registry &r) {
  r.add("Conv", 1, {2, 3}, importConv);
  r.add("ConvInteger", 10, {2, 4}, importConvInteger);
  r.add("ConvTranspose", 1, {2, 3}, importConvTranspose);
  r.add("QLinearConv", 10, {8, 9}, importQLinearConv);
}
