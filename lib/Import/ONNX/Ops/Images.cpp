// Resizing of images: along each dimension, a weighted sum of elements gathered at fixed positions.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;

namespace {

/// How one dimension is resized: per result element and tap, the source position and its weight.
struct Taps {
  llvm::SmallVector<Shape, 4> positions;
  llvm::SmallVector<llvm::SmallVector<double>, 4> weights;
  bool plain = false; ///< one tap of weight 1: nothing but a gather
};

struct ResizeSettings {
  llvm::StringRef mode, coordinates, nearest;
  double cubic, extrapolation;
  bool excludeOutside, antialias;
};

} // namespace

/// The place of result element `i` in the source, before rounding or interpolation, where `count`
/// elements result. What the scale asks for need not be that whole number.
static double sourcePlace(llvm::StringRef mode, double i, double count, double scale, double in,
                          double roiStart, double roiEnd) {
  double out = scale * in;
  if (mode == "asymmetric")
    return i / scale;
  if (mode == "align_corners")
    return out == 1 ? 0 : i * (in - 1) / (out - 1);
  if (mode == "pytorch_half_pixel")
    return out > 1 ? (i + 0.5) / scale - 0.5 : 0;
  if (mode == "tf_half_pixel_for_nn")
    return (i + 0.5) / scale;
  if (mode == "half_pixel_symmetric") {
    double centre = in / 2;
    return centre * (1 - count / out) + (i + 0.5) / scale - 0.5;
  }
  if (mode == "tf_crop_and_resize")
    return out > 1 ? roiStart * (in - 1) + i * (roiEnd - roiStart) * (in - 1) / (out - 1)
                   : 0.5 * (roiStart + roiEnd) * (in - 1);
  return (i + 0.5) / scale - 0.5;
}

/// In "outward", Resize-10's only mode, as its test data have it, dimensions that shrink round up.
static double roundPlace(llvm::StringRef mode, double x, double scale) {
  if (mode == "floor" || (mode == "outward" && scale >= 1))
    return std::floor(x);
  if (mode == "ceil" || mode == "outward")
    return std::ceil(x);
  bool half = x - std::floor(x) == 0.5;
  if (half)
    return mode == "round_prefer_ceil" ? std::ceil(x) : std::floor(x);
  return std::round(x);
}

static double kernel(const ResizeSettings &s, double distance) {
  double d = std::abs(distance), a = s.cubic;
  if (s.mode == "linear")
    return std::max(1 - d, 0.0);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static Taps makeTaps(const ResizeSettings &s, int64_t in, int64_t out, double scale,
                     double roiStart, double roiEnd, llvm::SmallVectorImpl<double> &inside) {
  Taps taps;
  bool nearest = s.mode == "nearest";
  double radius = s.mode == "linear" ? 1 : 2;
  double stretch = s.antialias && scale < 1 ? 1 / scale : 1;
  int64_t reach = static_cast<int64_t>(std::ceil(radius * stretch));
  size_t count = nearest ? 1 : static_cast<size_t>(2 * reach);
  taps.positions.assign(count, {});
  taps.weights.assign(count, {});
  taps.plain = nearest;
  for (int64_t i = 0; i < out; ++i) {
    double place = sourcePlace(s.coordinates, static_cast<double>(i), static_cast<double>(out),
                               scale, static_cast<double>(in), roiStart, roiEnd);
    inside.push_back(place >= 0 && place <= static_cast<double>(in - 1));
    if (nearest) {
      int64_t at = static_cast<int64_t>(roundPlace(s.nearest, place, scale));
      taps.positions[0].push_back(std::clamp<int64_t>(at, 0, in - 1));
      taps.weights[0].push_back(1);
      continue;
    }
    int64_t first = static_cast<int64_t>(std::floor(place)) - reach + 1;
    double total = 0;
    llvm::SmallVector<double> weights;
    for (size_t t = 0; t < count; ++t) {
      int64_t at = first + static_cast<int64_t>(t);
      double weight = kernel(s, (static_cast<double>(at) - place) / stretch);
      if (s.excludeOutside && (at < 0 || at >= in))
        weight = 0;
      weights.push_back(weight);
      total += weight;
    }
    for (size_t t = 0; t < count; ++t) {
      taps.positions[t].push_back(std::clamp<int64_t>(first + static_cast<int64_t>(t), 0, in - 1));
      taps.weights[t].push_back(total != 0 ? weights[t] / total : 0);
    }
  }
  return taps;
}

static Value applyTaps(Emitter &e, Value x, int64_t dim, const Taps &taps) {
  Value sum;
  for (auto [positions, weights] : llvm::zip_equal(taps.positions, taps.weights)) {
    if (llvm::all_of(weights, [](double w) { return w == 0; }))
      continue;
    Value part = e.gather(x, {e.integers(positions)}, dim);
    if (!taps.plain)
      part = e.mul(part, e.along(e.vector(e.element(x), weights), dim, e.rank(x)));
    sum = sum ? e.add(sum, part) : part;
  }
  if (sum)
    return sum;
  // No element results, or none has a weight.
  Shape shape(e.shape(x));
  shape[dim] = static_cast<int64_t>(taps.positions.front().size());
  return e.splat(shape, e.element(x), 0);
}

/// Resizes each dimension from its size to `sizes`; `scales` are those that coordinates use.
static Value resize(NodeImport &n, Value x, const ResizeSettings &s, ShapeRef sizes,
                    llvm::ArrayRef<double> scales, llvm::ArrayRef<double> roi) {
  Emitter &e = n.emit;
  int64_t rank = e.rank(x);
  if (!e.isFloat(x) && s.mode != "nearest") {
    mlir::Type element = e.element(x);
    Value y = resize(n, e.cast(x, e.f32()), s, sizes, scales, roi);
    return e.cast(e.round(y), element);
  }
  Value outside;
  for (int64_t dim = 0; dim < rank && x; ++dim) {
    int64_t in = e.size(x, dim), out = sizes[dim];
    bool crops = s.coordinates == "tf_crop_and_resize";
    if (in == out && scales[dim] == 1 && !crops)
      continue;
    if (in == 0 || out < 0 || out > (1 << 24)) {
      n.error(Code::T0111) << "cannot resize dimension " << dim << " of " << shapeText(e.shape(x))
                           << " to " << out;
      return {};
    }
    llvm::SmallVector<double> inside;
    Taps taps = makeTaps(s, in, out, scales[dim], roi.empty() ? 0 : roi[dim],
                         roi.empty() ? 1 : roi[dim + rank], inside);
    x = applyTaps(e, x, dim, taps);
    if (!crops || llvm::all_of(inside, [](double v) { return v != 0; }))
      continue;
    Value beyond =
        e.along(e.compare(graph::ComparePredicate::Eq, e.vector(e.f32(), inside), 0), dim, rank);
    outside = outside ? e.binary<graph::OrOp>(outside, beyond) : beyond;
  }
  if (outside && x)
    x = e.select(e.expand(outside, e.shape(x)), e.splatLike(x, s.extrapolation), x);
  return x;
}

/// Sizes from scales: floor(size * scale).
static std::optional<Shape> scaledSizes(NodeImport &n, Value x, llvm::ArrayRef<double> scales) {
  Shape sizes;
  for (auto [size, scale] : llvm::zip(Emitter::shape(x), scales)) {
    double result = std::floor(static_cast<double>(size) * scale);
    if (!(scale > 0) || result > 1e9) {
      n.error(Code::T0108) << "scale " << scale << " is out of range";
      return std::nullopt;
    }
    sizes.push_back(static_cast<int64_t>(result));
  }
  return sizes;
}

static void importUpsample(NodeImport &n) {
  Value x = n.input(0);
  auto scales = n.opset < 9 ? n.floats("scales") : n.constantFloats(1);
  if (n.opset < 7)
    scales = llvm::SmallVector<double>{1, 1, n.floating("height_scale", 1),
                                       n.floating("width_scale", 1)};
  if (!scales)
    return n.failed() ? void() : n.missing("scales");
  if (static_cast<int64_t>(scales->size()) != Emitter::rank(x)) {
    n.error(Code::T0111) << "found " << scales->size() << " scales, expected " << Emitter::rank(x);
    return;
  }
  llvm::StringRef mode = n.choice("mode", "nearest", {"nearest", "linear", "bilinear"});
  ResizeSettings s{mode == "bilinear" ? "linear" : mode, "asymmetric", "floor", 0, 0, false, false};
  if (std::optional<Shape> sizes = scaledSizes(n, x, *scales))
    n.result(resize(n, x, s, *sizes, *scales, {}));
}

static void importResize(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x);
  ResizeSettings s{
      n.choice("mode", "nearest", {"nearest", "linear", "cubic"}),
      n.choice("coordinate_transformation_mode", "half_pixel",
               {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
      n.choice("nearest_mode", "round_prefer_floor",
               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
      n.floating("cubic_coeff_a", -0.75),
      n.floating("extrapolation_value", 0),
      n.integer("exclude_outside", 0) != 0,
      n.integer("antialias", 0) != 0};
  if (n.opset < 11) {
    s.coordinates = "asymmetric";
    s.nearest = "outward";
  }
  Shape axes = n.axes(n.integers("axes").value_or(indices(rank)), rank);
  size_t scaleInput = n.opset < 11 ? 1 : 2;
  auto isGiven = [&](size_t i) { return n.has(i) && elementCount(e.shape(n.input(i))) > 0; };
  llvm::SmallVector<double> scales(rank, 1), roi;
  Shape sizes(e.shape(x));
  auto check = [&](size_t count, const char *what) {
    if (count != axes.size())
      n.error(Code::T0111) << "found " << count << " " << what << ", expected " << axes.size();
    return !n.failed();
  };
  if (isGiven(scaleInput)) {
    auto given = n.constantFloats(scaleInput);
    if (!given || !check(given->size(), "scales"))
      return;
    for (auto [axis, scale] : llvm::zip(axes, *given))
      scales[axis] = scale;
    std::optional<Shape> scaled = scaledSizes(n, x, scales);
    if (!scaled)
      return;
    sizes = *scaled;
  } else {
    std::optional<Shape> given = n.constantIntegers(3);
    if (!given || !check(given->size(), "sizes"))
      return;
    llvm::StringRef policy =
        n.choice("keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
    double common = 0;
    for (auto [axis, size] : llvm::zip(axes, *given)) {
      sizes[axis] = size;
      scales[axis] = static_cast<double>(size) / static_cast<double>(e.size(x, axis));
      bool larger = policy == "not_larger" ? scales[axis] < common : scales[axis] > common;
      if (common == 0 || larger)
        common = scales[axis];
    }
    if (policy != "stretch")
      for (int64_t axis : axes) {
        scales[axis] = common;
        sizes[axis] = std::llround(common * static_cast<double>(e.size(x, axis)));
      }
  }
  if (s.coordinates == "tf_crop_and_resize" && isGiven(1)) {
    auto given = n.constantFloats(1);
    if (!given)
      return;
    if (given->size() != 2 * axes.size() ||
        !llvm::all_of(*given, [](double v) { return std::abs(v) < 1e9; })) {
      n.error(Code::T0111) << "found " << given->size() << " numbers in roi, expected "
                           << 2 * axes.size() << " finite ones";
      return;
    }
    roi.assign(2 * rank, 0);
    for (int64_t dim = 0; dim < rank; ++dim)
      roi[dim + rank] = 1;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      roi[axis] = (*given)[i];
      roi[axis + rank] = (*given)[i + axes.size()];
    }
  }
  if (!n.failed())
    n.result(resize(n, x, s, sizes, scales, roi));
}

void tw::onnx::addImages(Registry &r) {
  r.add("Resize", 10, {2, 2}, importResize);
  r.add("Resize", 11, {1, 4}, importResize);
  r.add("Upsample", 1, {1, 2}, importUpsample);
}
