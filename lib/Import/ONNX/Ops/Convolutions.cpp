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

namespace {

/// Windows of which data move each point.
struct MovedWindows {
  NodeImport &n;
  Spatial s;
  Shape sizes;     ///< of the result
  int64_t groups;  ///< of channels that move together
  mlir::Type wide; ///< of places: they need more digits than pixels
};

} // namespace

/// Where the points of all windows lie along one dimension, [N, groups, points, rows, columns].
static Value placePoints(const MovedWindows &m, Value offsets, size_t dim) {
  Emitter &e = m.n.emit;
  llvm::SmallVector<double> points;
  for (int64_t y = 0; y < m.s.kernel[0]; ++y)
    for (int64_t x = 0; x < m.s.kernel[1]; ++x)
      points.push_back(static_cast<double>((dim == 0 ? y : x) * m.s.dilations[dim] - m.s.low[dim]));
  Value point = e.along(e.vector(m.wide, points), 2, 5);
  Value window =
      e.along(e.mul(e.iota({m.sizes[dim]}, 0, m.wide), static_cast<double>(m.s.strides[dim])),
              3 + static_cast<int64_t>(dim), 5);
  Value moved = e.squeeze(e.sliceDim(offsets, 3, static_cast<int64_t>(dim), 1), 3);
  return e.add(e.add(point, window), e.cast(moved, m.wide));
}

/// What lies at these places, [N, groups, points, rows, columns, channels of a group]; 0 outside.
static Value interpolate(const MovedWindows &m, Value x, Value offsets) {
  Emitter &e = m.n.emit;
  Value pixels = e.permute(
      e.reshape(x, {e.size(x, 0), m.groups, e.size(x, 1) / m.groups, e.size(x, 2), e.size(x, 3)}),
      {0, 1, 3, 4, 2});
  Value y = placePoints(m, offsets, 0), z = placePoints(m, offsets, 1), sum;
  Value row = e.floor(y), column = e.floor(z);
  for (double down : {0.0, 1.0})
    for (double right : {0.0, 1.0}) {
      auto weight = [&](Value at, Value first, double step) {
        Value part = e.sub(at, first);
        return step != 0 ? part : e.sub(e.splatLike(part, 1), part);
      };
      Value found = e.gather(
          pixels, {e.cast(e.add(row, down), e.i64()), e.cast(e.add(column, right), e.i64())},
          /*axis=*/2, /*batchDims=*/2);
      Value both = e.unsqueeze(e.mul(weight(y, row, down), weight(z, column, right)), 5);
      Value part = e.mul(e.cast(found, m.wide), both);
      sum = sum ? e.add(sum, part) : part;
    }
  return sum;
}

/// The shapes of what moves and weighs points; false, and an error, if they do not fit.
static bool checkMoves(const MovedWindows &m, Value x) {
  NodeImport &n = m.n;
  int64_t points = elementCount(m.s.kernel) * m.groups;
  if (m.groups < 1 || Emitter::size(x, 1) % m.groups) {
    n.error(Code::T0108) << "attribute 'offset_group' is " << m.groups << ", expected a divisor of "
                         << Emitter::size(x, 1) << ", the channels";
    return false;
  }
  for (auto [i, each, what] : {std::tuple(2, 2, "offset"), std::tuple(4, 1, "mask")}) {
    Shape expected{Emitter::size(x, 0), points * each, m.sizes[0], m.sizes[1]};
    if (n.has(i) && Emitter::shape(n.input(i)) != ShapeRef(expected)) {
      n.error(Code::T0111) << what << " has the shape " << shapeText(Emitter::shape(n.input(i)))
                           << ", expected " << shapeText(expected);
      return false;
    }
  }
  return true;
}

/// Samples of images, then a product with the weights.
static void importDeformConv(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), w = n.input(1);
  int64_t groups = n.integer("group", 1);
  if (!checkChannels(n, x, w, groups))
    return;
  if (e.rank(x) != 4)
    return n.unsupported("an input of rank " + llvm::Twine(e.rank(x)),
                         "samples between more neighbours than four", "images [N, C, H, W]");
  std::optional<Spatial> s = readSpatialAttributes(n, 2, e.shape(w).drop_front(2));
  if (!s)
    return;
  if (ShapeRef(s->kernel) != e.shape(w).drop_front(2)) {
    n.error(Code::T0108) << "attribute 'kernel_shape' is " << shapeText(s->kernel)
                         << ", the weights are " << shapeText(e.shape(w));
    return;
  }
  mlir::Type element = e.element(x);
  MovedWindows m{n, *s, {}, n.integer("offset_group", 1), element.isF64() ? element : e.f32()};
  for (size_t i = 0; i < 2; ++i)
    m.sizes.push_back(countWindows(*s, i, e.size(x, static_cast<int64_t>(i) + 2)));
  if (!checkMoves(m, x))
    return;
  int64_t batch = e.size(x, 0), points = elementCount(s->kernel);
  Value samples = interpolate(
      m, x, e.reshape(n.input(2), {batch, m.groups, points, 2, m.sizes[0], m.sizes[1]}));
  if (n.has(4)) {
    Value mask = e.reshape(n.input(4), {batch, m.groups, points, m.sizes[0], m.sizes[1], 1});
    samples = e.mul(samples, e.cast(mask, m.wide));
  }
  samples = e.cast(e.permute(samples, {0, 1, 5, 2, 3, 4}), element);
  samples = e.reshape(samples, {batch, e.size(x, 1) * points, m.sizes[0], m.sizes[1]});
  w = e.reshape(w, {e.size(w, 0), e.size(w, 1) * points, 1, 1});
  n.result(addBias(n, e.conv(samples, w, {1, 1}, {1, 1}, {0, 0}, {0, 0}, groups), n.input(3)));
}

void tw::onnx::addConvolutions(Registry &r) {
  r.add("DeformConv", 19, {3, 5}, importDeformConv);
  r.add("Conv", 1, {2, 3}, importConv);
  r.add("ConvInteger", 10, {2, 4}, importConvInteger);
  r.add("ConvTranspose", 1, {2, 3}, importConvTranspose);
  r.add("QLinearConv", 10, {8, 9}, importQLinearConv);
}
