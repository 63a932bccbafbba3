// Pools: reductions over windows or over all spatial dimensions.
#include "../Registry.h"
#include "../Spatial.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;

static bool roundsUp(NodeImport &n) { return n.integer("ceil_mode", 0); }

/// One window per spatial dimension, none over N and C.
static Value slide(NodeImport &n, CombineKind kind, Value x, const Spatial &s) {
  auto full = [](ShapeRef spatial, int64_t rest) {
    Shape shape{rest, rest};
    shape.append(spatial.begin(), spatial.end());
    return shape;
  };
  return n.emit.window(kind, x, full(s.kernel, 1), full(s.strides, 1), full(s.dilations, 1),
                       full(s.low, 0), full(s.high, 0));
}

static std::optional<Spatial> poolWindow(NodeImport &n) {
  if (!n.hasAttribute("kernel_shape")) {
    n.missing("kernel_shape");
    return std::nullopt;
  }
  return readSpatial(n, n.input(0), {}, roundsUp(n));
}

/// Windows of more elements than this make programs that are too large to compile.
static constexpr int64_t maxTaps = 512;

/// The position of the maximum of each window in the flat input, first ones first: the elements of
/// all windows at one place of the window are one strided slice, and slices are compared in turn.
static void importMaxPoolIndices(NodeImport &n, const Spatial &s) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t taps = elementCount(s.kernel), rank = e.rank(x);
  if (taps > maxTaps)
    return n.unsupported("Indices of windows of more than " + llvm::Twine(maxTaps) + " elements",
                         "a window op that gives positions", "MaxPool without Indices");
  Value best = slide(n, CombineKind::Max, x, s);
  if (!best)
    return;
  // Where element [n, c, i, j] lies: strides of the input, spatial ones in the order asked for.
  Shape strides(rank, 1), order = indices(rank);
  if (n.integer("storage_order", 0))
    std::reverse(order.begin() + 2, order.end());
  for (int64_t i = rank - 1, stride = 1; i >= 0; --i) {
    strides[order[i]] = stride;
    stride *= e.size(x, order[i]);
  }
  Shape low{0, 0}, high{0, 0}, steps{1, 1}, shape(e.shape(best));
  for (size_t i = 0; i < s.rank(); ++i) {
    low.push_back(s.low[i]);
    high.push_back(s.high[i]);
    steps.push_back(s.strides[i]);
  }
  Value padded = e.pad(x, low, high), result = e.splat(shape, e.i64(), 0);
  Value inside = e.pad(e.splat(e.shape(x), e.i1(), 1), low, high);
  for (int64_t tap = taps - 1; tap >= 0; --tap) {
    Shape offsets(rank, 0);
    int64_t rest = tap, base = 0;
    for (int64_t i = static_cast<int64_t>(s.rank()) - 1; i >= 0; --i) {
      offsets[i + 2] = rest % s.kernel[i] * s.dilations[i];
      base += (offsets[i + 2] - s.low[i]) * strides[i + 2];
      rest /= s.kernel[i];
    }
    Value position = e.splat(shape, e.i64(), static_cast<double>(base));
    for (int64_t d = 0; d < rank; ++d)
      position = e.add(
          position, e.mul(e.iota(shape, d, e.i64()), static_cast<double>(strides[d] * steps[d])));
    Value hit = e.binary<graph::AndOp>(
        e.compare(graph::ComparePredicate::Eq, e.slice(padded, offsets, shape, steps), best),
        e.slice(inside, offsets, shape, steps));
    result = e.select(hit, position, result);
  }
  n.result(0, best);
  n.result(1, result);
}

static void importMaxPool(NodeImport &n) {
  std::optional<Spatial> s = poolWindow(n);
  if (!s)
    return;
  if (n.wants(1))
    return importMaxPoolIndices(n, *s);
  n.result(slide(n, CombineKind::Max, n.input(0), *s));
}

/// How many elements of each of `windows` windows along one spatial dimension count for the
/// average: those that lie in the input, or in what of its padding counts; null where all have the
/// whole window.
static Value countElements(NodeImport &n, const Spatial &s, size_t i, bool padsCount,
                           int64_t windows) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t counted = padsCount ? s.low[i] + s.high[i] - s.rounded[i] : 0;
  int64_t low = padsCount ? 0 : s.low[i], high = padsCount ? s.rounded[i] : s.high[i];
  // What is rounded up is another number at other sizes.
  bool mayRound = roundsUp(n) && s.strides[i] > 1 && e.keepsWholeSlices;
  if (low == 0 && high == 0 && !mayRound)
    return {};
  auto length = static_cast<double>(e.size(x, static_cast<int64_t>(i) + 2) + counted);
  Value begin = e.mul(e.iota({windows}, 0, e.i64()), static_cast<double>(s.strides[i]));
  if (low != 0)
    begin = e.sub(begin, static_cast<double>(low));
  // Elements of the window that lie before a place: one in `dilation`.
  auto countBefore = [&](Value place) {
    Value distance = e.maximum(place, 0);
    auto dilation = static_cast<double>(s.dilations[i]);
    return dilation == 1 ? distance : e.div(e.add(distance, dilation - 1), dilation);
  };
  Value end = e.minimum(countBefore(e.sub(e.splatLike(begin, length), begin)),
                        static_cast<double>(s.kernel[i]));
  if (low != 0)
    end = e.maximum(e.sub(end, countBefore(e.sub(e.splatLike(begin, 0), begin))), 0);
  return e.cast(end, e.element(x));
}

static void importAveragePool(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<Spatial> s = poolWindow(n);
  if (!s)
    return;
  // Padding counts if asked to, but never what ceil_mode adds at the end.
  bool padsCount = n.integer("count_include_pad", 0);
  Value sum = slide(n, CombineKind::Add, x, *s), divisor;
  double uniform = 1;
  for (size_t i = 0; i < s->rank(); ++i) {
    Value counts =
        countElements(n, *s, i, padsCount, sum ? e.size(sum, static_cast<int64_t>(i) + 2) : 0);
    if (!counts) {
      uniform *= static_cast<double>(s->kernel[i]);
      continue;
    }
    Value vector = e.along(counts, static_cast<int64_t>(i) + 2, e.rank(x));
    divisor = divisor ? e.mul(divisor, vector) : vector;
  }
  if (divisor)
    sum = e.div(sum, uniform == 1 ? divisor : e.mul(divisor, uniform));
  else
    sum = e.div(sum, uniform);
  n.result(sum);
}

/// (sum of |x|^p)^(1 / p)
static Value powerSum(NodeImport &n, llvm::function_ref<Value(Value)> sum) {
  Emitter &e = n.emit;
  double p = n.opset < 2 ? n.floating("p", 2) : static_cast<double>(n.integer("p", 2));
  Value x = e.abs(n.input(0));
  if (p == 1)
    return sum(x);
  if (p == 2)
    return e.sqrt(sum(e.mul(x, x)));
  return e.binary<graph::PowOp>(sum(e.binary<graph::PowOp>(x, p)), 1 / p);
}

static void importLpPool(NodeImport &n) {
  std::optional<Spatial> s = poolWindow(n);
  if (s)
    n.result(powerSum(n, [&](Value x) { return slide(n, CombineKind::Add, x, *s); }));
}

static Shape spatialDims(Value x) {
  Shape dims;
  for (int64_t i = 2; i < Emitter::rank(x); ++i)
    dims.push_back(i);
  return dims;
}

static void importGlobalAveragePool(NodeImport &n) {
  n.result(n.emit.mean(n.input(0), spatialDims(n.input(0)), true));
}

static void importGlobalMaxPool(NodeImport &n) {
  n.result(n.emit.reduce(CombineKind::Max, n.input(0), spatialDims(n.input(0)), true));
}

static void importGlobalLpPool(NodeImport &n) {
  n.result(powerSum(n, [&](Value x) { return n.emit.sum(x, spatialDims(x), true); }));
}

void tw::onnx::addPools(Registry &r) {
  r.add("AveragePool", 1, {1, 1}, importAveragePool);
  r.add("GlobalAveragePool", 1, {1, 1}, importGlobalAveragePool);
  r.add("GlobalLpPool", 1, {1, 1}, importGlobalLpPool);
  r.add("GlobalMaxPool", 1, {1, 1}, importGlobalMaxPool);
  r.add("LpPool", 1, {1, 1}, importLpPool);
  r.add("MaxPool", 1, {1, 1}, importMaxPool, {1, 2});
}
