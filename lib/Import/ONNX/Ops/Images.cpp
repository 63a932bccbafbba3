// Resizing of images: along each dimension, a weighted sum of elements gathered at fixed positions,
// or, where calls settle a size, at positions that the program computes.
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
  /// Scales follow from sizes, and one of them may be that of all dimensions.
  bool fromSizes = false, keepsAspect = false;
};

/// What the program computes with where calls settle a size: f64, as where it is known.
struct OpenPlace {
  Value at; ///< of each result element, before rounding or interpolation
  Value in, scale;
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

/// The factor by which each element is repeated, where nothing else is to be done for the nearest
/// ones at any size; 0 if there is none.
static int64_t findRepeats(const ResizeSettings &s, int64_t in, int64_t out, double scale) {
  constexpr double mostRepeats = 64;
  bool dependsOnSizes = s.coordinates == "align_corners" || s.coordinates == "tf_crop_and_resize";
  if (s.mode != "nearest" || s.fromSizes || dependsOnSizes || scale != std::floor(scale) ||
      scale < 2 || scale > mostRepeats)
    return 0;
  auto repeats = static_cast<int64_t>(scale);
  // From the second element on the places are those before, and one.
  for (int64_t i = 0; i < 2 * repeats; ++i) {
    double place = sourcePlace(s.coordinates, static_cast<double>(i), static_cast<double>(out),
                               scale, static_cast<double>(in), 0, 1);
    if (roundPlace(s.nearest, place, scale) != static_cast<double>(i / repeats))
      return 0;
  }
  return repeats;
}

static Value repeatElements(Emitter &e, Value x, int64_t dim, int64_t repeats) {
  Shape apart(e.shape(x)), whole(apart);
  apart.insert(apart.begin() + dim + 1, 1);
  Value single = e.reshape(x, apart);
  apart[dim + 1] = repeats;
  whole[dim] *= repeats;
  return e.reshape(e.expand(single, apart), whole);
}

/// `sourcePlace` in the program.
static OpenPlace emitPlace(NodeImport &n, Value x, const ResizeSettings &s, int64_t dim,
                           int64_t count, double scale) {
  Emitter &e = n.emit;
  mlir::Type f64 = e.ops().getF64Type();
  Value index = e.iota({count}, 0, e.i64()), i = e.cast(index, f64);
  OpenPlace place;
  place.in = e.cast(n.followSize(x, dim), f64);
  Value amount = e.cast(n.followSize(index, 0), f64);
  place.scale = s.fromSizes ? e.div(amount, place.in) : e.splat({}, f64, scale);
  Value out = e.mul(place.scale, place.in);
  Value centred = e.div(e.add(i, 0.5), place.scale), half = e.sub(centred, 0.5);
  auto where = [&](graph::ComparePredicate predicate, Value value) {
    return e.select(e.compare(predicate, out, 1), value, e.splatLike(value, 0));
  };
  if (s.coordinates == "asymmetric")
    place.at = e.div(i, place.scale);
  else if (s.coordinates == "align_corners")
    place.at =
        where(graph::ComparePredicate::Ne, e.div(e.mul(i, e.sub(place.in, 1)), e.sub(out, 1)));
  else if (s.coordinates == "pytorch_half_pixel")
    place.at = where(graph::ComparePredicate::Gt, half);
  else if (s.coordinates == "tf_half_pixel_for_nn")
    place.at = centred;
  else if (s.coordinates == "half_pixel_symmetric")
    place.at = e.sub(
        e.add(e.mul(e.div(place.in, 2), e.sub(e.splatLike(out, 1), e.div(amount, out))), centred),
        0.5);
  else
    place.at = half;
  return place;
}

/// `roundPlace` in the program. That of Resize-10 has a known scale.
static Value emitRounded(Emitter &e, llvm::StringRef mode, Value x, double scale) {
  if (mode == "floor" || (mode == "outward" && scale >= 1))
    return e.floor(x);
  if (mode == "ceil" || mode == "outward")
    return e.unary<graph::CeilOp>(x);
  if (mode == "round_prefer_ceil")
    return e.neg(e.unary<graph::CeilOp>(e.sub(e.neg(x), 0.5)));
  return e.unary<graph::CeilOp>(e.sub(x, 0.5));
}

/// `kernel` in the program.
static Value emitKernel(Emitter &e, const ResizeSettings &s, Value distance) {
  Value d = e.abs(distance);
  if (s.mode == "linear")
    return e.maximum(e.sub(e.splatLike(d, 1), d), 0);
  double a = s.cubic;
  Value near = e.add(e.mul(e.mul(e.sub(e.mul(d, a + 2), a + 3), d), d), 1);
  Value far = e.sub(e.mul(e.add(e.mul(e.sub(e.mul(d, a), 5 * a), d), 8 * a), d), 4 * a);
  far = e.select(e.compare(graph::ComparePredicate::Lt, d, 2), far, e.splatLike(d, 0));
  return e.select(e.compare(graph::ComparePredicate::Le, d, 1), near, far);
}

/// Resizes a dimension of which calls settle the size, before or behind; null and an error where
/// the form of the program depends on it.
static Value resizeOpen(NodeImport &n, Value x, const ResizeSettings &s, int64_t dim, int64_t out,
                        double scale) {
  Emitter &e = n.emit;
  bool isStretched = s.antialias && s.mode != "nearest";
  const char *form = s.coordinates == "tf_crop_and_resize" ? "coordinates of tf_crop_and_resize"
                     : s.keepsAspect                       ? "sizes that keep the aspect ratio"
                     : isStretched && s.fromSizes
                         ? "antialiasing by a scale that follows from sizes"
                         : nullptr;
  if (form) {
    n.unsupported(llvm::Twine(form) + " along dimension " + llvm::Twine(dim) +
                      ", of which a call settles the size",
                  "another program for each size", "one size for it (--symbol=NAME=SIZE)");
    return {};
  }
  if (int64_t repeats = findRepeats(s, e.size(x, dim), out, scale))
    return repeatElements(e, x, dim, repeats);
  OpenPlace place = emitPlace(n, x, s, dim, out, scale);
  Value last = e.sub(e.cast(place.in, e.i64()), 1);
  auto take = [&](Value at) {
    return e.gather(x, {e.minimum(e.maximum(e.cast(at, e.i64()), 0), last)}, dim);
  };
  if (s.mode == "nearest")
    return take(emitRounded(e, s.nearest, place.at, scale));
  double stretch = isStretched && scale < 1 ? 1 / scale : 1;
  auto reach = static_cast<int64_t>(std::ceil((s.mode == "linear" ? 1 : 2) * stretch));
  Value first = e.floor(place.at), total;
  llvm::SmallVector<Value> positions, weights;
  for (int64_t t = 1 - reach; t <= reach; ++t) {
    Value at = e.add(first, static_cast<double>(t));
    Value weight = emitKernel(e, s, e.div(e.sub(at, place.at), stretch));
    if (s.excludeOutside) {
      Value inside = e.binary<graph::AndOp>(e.compare(graph::ComparePredicate::Ge, at, 0),
                                            e.compare(graph::ComparePredicate::Lt, at, place.in));
      weight = e.select(inside, weight, e.splatLike(weight, 0));
    }
    positions.push_back(at);
    weights.push_back(weight);
    total = total ? e.add(total, weight) : weight;
  }
  Value sum;
  for (auto [at, weight] : llvm::zip_equal(positions, weights)) {
    if (s.excludeOutside || isStretched)
      weight = e.select(e.compare(graph::ComparePredicate::Ne, total, 0), e.div(weight, total),
                        e.splatLike(weight, 0));
    Value part = e.mul(take(at), e.along(e.cast(weight, e.element(x)), dim, e.rank(x)));
    sum = sum ? e.add(sum, part) : part;
  }
  return sum;
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
    bool keeps = in == out && scales[dim] == 1 && !crops;
    bool isOpen = n.resizesOpen(dim, in, out, keeps);
    if (keeps && !isOpen)
      continue;
    if (in == 0 || out < 0 || out > (1 << 24)) {
      n.error(Code::T0111) << "cannot resize dimension " << dim << " of " << shapeText(e.shape(x))
                           << " to " << out;
      return {};
    }
    if (isOpen) {
      x = resizeOpen(n, x, s, dim, out, scales[dim]);
      continue;
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

/// The region of interest: where it begins in each dimension, and then where it ends.
static llvm::SmallVector<double> readRegion(NodeImport &n, ShapeRef axes, int64_t rank) {
  auto given = n.constantFloats(1);
  if (!given)
    return {};
  if (given->size() != 2 * axes.size() ||
      !llvm::all_of(*given, [](double v) { return std::abs(v) < 1e9; })) {
    n.error(Code::T0111) << "found " << given->size() << " numbers in roi, expected "
                         << 2 * axes.size() << " finite ones";
    return {};
  }
  llvm::SmallVector<double> roi(2 * rank, 0);
  for (int64_t dim = 0; dim < rank; ++dim)
    roi[dim + rank] = 1;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    roi[axis] = (*given)[i];
    roi[axis + rank] = (*given)[i + axes.size()];
  }
  return roi;
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
    s.fromSizes = true;
    s.keepsAspect = policy != "stretch";
    double common = 0;
    for (auto [axis, size] : llvm::zip(axes, *given)) {
      sizes[axis] = size;
      scales[axis] = static_cast<double>(size) / static_cast<double>(e.size(x, axis));
      bool larger = policy == "not_larger" ? scales[axis] < common : scales[axis] > common;
      if (common == 0 || larger)
        common = scales[axis];
    }
    if (s.keepsAspect)
      for (int64_t axis : axes) {
        scales[axis] = common;
        sizes[axis] = std::llround(common * static_cast<double>(e.size(x, axis)));
      }
  }
  if (s.coordinates == "tf_crop_and_resize" && isGiven(1))
    roi = readRegion(n, axes, rank);
  if (!n.failed())
    n.result(resize(n, x, s, sizes, scales, roi));
}

void tw::onnx::addImages(Registry &r) {
  r.add("Resize", 10, {2, 2}, importResize);
  r.add("Resize", 11, {1, 4}, importResize);
  r.add("Upsample", 1, {1, 2}, importUpsample);
}
