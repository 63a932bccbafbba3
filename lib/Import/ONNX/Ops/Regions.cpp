// Operators that read regions of images, at places that boxes say.
#include "../Registry.h"
#include "../Spatial.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;

namespace {

/// One dimension of the boxes: their samples as tensors [boxes, bins, samples].
struct Samples {
  Value low, high;             ///< neighbours of each sample, as indices
  Value lowWeight, highWeight; ///< 0 outside of the image
  Value taken; ///< bools [boxes, 1, samples]; null where all boxes have as many samples
  int64_t bins = 0, most = 0;
};

struct RoiAlign {
  NodeImport &n;
  Value boxes; ///< [boxes, 4] of floats
  double scale;
  bool isShifted; ///< by half a pixel
  int64_t ratio;
};

} // namespace

/// 0, 1, ... n - 1 along `dim` of a tensor of rank 3.
static Value countAlong(Emitter &e, int64_t n, int64_t dim, mlir::Type element) {
  return e.along(e.iota({n}, 0, element), dim, 3);
}

/// Checks images [N, C, H, W] and boxes [R, width]; false, and an error, for other shapes.
static bool checkRegions(NodeImport &n, Value x, Value boxes, int64_t width) {
  if (Emitter::rank(x) == 4 && Emitter::size(x, 2) > 0 && Emitter::size(x, 3) > 0 &&
      Emitter::rank(boxes) == 2 && Emitter::size(boxes, 1) == width)
    return true;
  n.error(Code::T0111) << "images and boxes have the shapes " << shapeText(Emitter::shape(x))
                       << " and " << shapeText(Emitter::shape(boxes))
                       << ", expected images [N, C, H, W] of one pixel or more and boxes [boxes, "
                       << width << "]";
  return false;
}

/// How many samples along one dimension the bins of each box have, where boxes are known: as many
/// as a bin has pixels, rounded up.
static std::optional<Shape> countSamples(const RoiAlign &r, int64_t first, int64_t bins) {
  mlir::DenseElementsAttr value = r.n.known(r.n.input(1));
  if (!value) {
    r.n.unsupported("sampling_ratio 0 with boxes that are computed",
                    "as many samples as data decide",
                    "a sampling_ratio of 1 or more (detectors have 2), or boxes that are constants "
                    "or given by --assume");
    return std::nullopt;
  }
  llvm::SmallVector<double> ends;
  for (const llvm::APFloat &element : value.getValues<llvm::APFloat>()) {
    llvm::APFloat wide = element;
    bool isInexact = false;
    wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    ends.push_back(wide.convertToDouble());
  }
  // As the program computes it, in floats.
  auto scale = static_cast<float>(r.scale);
  float shift = r.isShifted ? 0.5F : 0.0F;
  Shape counts;
  for (size_t box = 0; box + 4 <= ends.size(); box += 4) {
    float begin = static_cast<float>(ends[box + first]) * scale - shift,
          end = static_cast<float>(ends[box + first + 2]) * scale - shift, length = end - begin;
    if (!r.isShifted)
      length = std::max(length, 1.0F);
    float count = std::ceil(length / static_cast<float>(bins));
    if (!(count <= 1024)) {
      r.n.error(Code::T0111) << "box " << box / 4
                             << " has bins of more than 1024 pixels: give a sampling_ratio above 0";
      return std::nullopt;
    }
    counts.push_back(static_cast<int64_t>(std::max(count, 0.0F)));
  }
  return counts;
}

/// The samples along one dimension of `extent` pixels, of which boxes have coordinates `first` and
/// `first + 2`.
static std::optional<Samples> sampleAlong(const RoiAlign &r, int64_t first, int64_t bins,
                                          int64_t extent) {
  Emitter &e = r.n.emit;
  mlir::Type element = e.element(r.boxes);
  auto coordinate = [&](int64_t which) {
    Value at = e.mul(e.unsqueeze(e.sliceDim(r.boxes, 1, which, 1), 2), r.scale);
    return r.isShifted ? e.sub(at, 0.5) : at;
  };
  Value begin = coordinate(first), length = e.sub(coordinate(first + 2), begin);
  if (!r.isShifted)
    length = e.maximum(length, 1);
  Samples s;
  s.bins = bins;
  s.most = r.ratio;
  Value count = e.splat({1, 1, 1}, element, static_cast<double>(r.ratio));
  if (r.ratio == 0) {
    std::optional<Shape> counts = countSamples(r, first, bins);
    if (!counts)
      return std::nullopt;
    s.most = 1;
    for (int64_t each : *counts)
      s.most = std::max(s.most, each);
    count =
        e.along(e.vector(element, llvm::SmallVector<double>(counts->begin(), counts->end())), 0, 3);
  }
  Value bin = e.div(length, static_cast<double>(bins)), sample = countAlong(e, s.most, 2, element);
  if (r.ratio == 0)
    s.taken = e.compare(ComparePredicate::Lt, sample, count);
  Value at = e.add(e.add(begin, e.mul(countAlong(e, bins, 1, element), bin)),
                   e.div(e.mul(e.add(sample, 0.5), bin), e.maximum(count, 1)));
  double size = static_cast<double>(extent);
  Value inside = e.binary<graph::AndOp>(e.compare(ComparePredicate::Ge, at, -1),
                                        e.compare(ComparePredicate::Le, at, size));
  if (s.taken)
    inside = e.binary<graph::AndOp>(inside, s.taken);
  at = e.clamp(at, 0, size - 1);
  Value low = e.floor(at), part = e.sub(at, low), zero = e.splatLike(part, 0);
  s.lowWeight = e.select(inside, e.sub(e.splatLike(part, 1), part), zero);
  s.highWeight = e.select(inside, part, zero);
  s.low = e.cast(low, e.i64());
  s.high = e.minimum(e.add(s.low, 1), size - 1);
  return s;
}

/// [boxes, bins, samples] among the dimensions of all samples, [boxes, rows, samples of rows,
/// columns, samples of columns].
static Value alongRows(Emitter &e, Value x) { return e.unsqueeze(e.unsqueeze(x, 3), 4); }
static Value alongColumns(Emitter &e, Value x) { return e.unsqueeze(e.unsqueeze(x, 1), 1); }

/// The pool over the samples of each bin, [boxes, C, rows, columns]. The maximum is one of weighted
/// neighbours, as ONNX's own cases have it.
static Value poolSamples(NodeImport &n, Value x, Value image, const Samples &y, const Samples &z,
                         bool isMaximum) {
  Emitter &e = n.emit;
  Value pixels = e.permute(x, {0, 2, 3, 1}), pooled;
  Shape all{e.size(image, 0), y.bins, y.most, z.bins, z.most};
  image = e.expand(e.reshape(image, {e.size(image, 0), 1, 1, 1, 1}), all);
  for (auto [row, rowWeight] : {std::pair(y.low, y.lowWeight), std::pair(y.high, y.highWeight)})
    for (auto [column, weight] : {std::pair(z.low, z.lowWeight), std::pair(z.high, z.highWeight)}) {
      Value found = e.gather(
          pixels, {image, e.expand(alongRows(e, row), all), e.expand(alongColumns(e, column), all)},
          0);
      Value both = e.unsqueeze(e.mul(alongRows(e, rowWeight), alongColumns(e, weight)), 5);
      Value part = e.mul(e.cast(found, e.element(both)), both);
      pooled = !pooled ? part : isMaximum ? e.maximum(pooled, part) : e.add(pooled, part);
    }
  mlir::Type element = e.element(pooled);
  if (y.taken && isMaximum) {
    Value taken =
        e.unsqueeze(e.binary<graph::AndOp>(alongRows(e, y.taken), alongColumns(e, z.taken)), 5);
    pooled = e.select(taken, pooled, e.limit({}, element, /*greatest=*/false));
  }
  pooled = e.permute(e.reduce(isMaximum ? CombineKind::Max : CombineKind::Add, pooled, {2, 4}),
                     {0, 3, 1, 2});
  if (!y.taken)
    return isMaximum ? pooled : e.div(pooled, static_cast<double>(y.most * z.most));
  auto count = [&](Value taken) { return e.sum(e.cast(taken, element), {1, 2}, /*keep=*/true); };
  Value samples = e.unsqueeze(e.mul(count(y.taken), count(z.taken)), 3);
  return isMaximum
             ? e.select(e.compare(ComparePredicate::Gt, samples, 0), pooled, e.splatLike(pooled, 0))
             : e.div(pooled, e.maximum(samples, 1));
}

static void importRoiAlign(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), boxes = n.input(1), image = n.input(2);
  if (!checkRegions(n, x, boxes, 4))
    return;
  if (e.rank(image) != 1 || e.size(image, 0) != e.size(boxes, 0)) {
    n.error(Code::T0111) << "batch_indices has the shape " << shapeText(e.shape(image))
                         << ", expected one index for each box, [" << e.size(boxes, 0) << "]";
    return;
  }
  llvm::StringRef mode = n.choice("mode", "avg", {"avg", "max"});
  llvm::StringRef coordinates = n.opset < 16
                                    ? "output_half_pixel"
                                    : n.choice("coordinate_transformation_mode", "half_pixel",
                                               {"half_pixel", "output_half_pixel"});
  int64_t height = n.integer("output_height", 1), width = n.integer("output_width", 1),
          ratio = n.integer("sampling_ratio", 0);
  if (!checkEntries(n, "output_height", height, 1, 1) ||
      !checkEntries(n, "output_width", width, 1, 1) ||
      !checkEntries(n, "sampling_ratio", ratio, 1, 0))
    return;
  // Places need more digits than pixels.
  mlir::Type element = e.element(x), wide = element.isF64() ? element : e.f32();
  RoiAlign r{n, e.cast(boxes, wide), n.floating("spatial_scale", 1), coordinates == "half_pixel",
             ratio};
  if (n.failed())
    return;
  std::optional<Samples> columns = sampleAlong(r, 0, width, e.size(x, 3));
  std::optional<Samples> rows =
      columns ? sampleAlong(r, 1, height, e.size(x, 2)) : std::optional<Samples>();
  if (!rows)
    return;
  image = e.cast(n.positions(image, e.size(x, 0)), e.i64());
  n.result(e.cast(poolSamples(n, x, image, *rows, *columns, mode == "max"), element));
}

/// The nearest integer, of two the one further from 0.
static Value roundAway(Emitter &e, Value x) {
  Value up = e.floor(e.add(x, 0.5)), down = e.unary<graph::CeilOp>(e.sub(x, 0.5));
  return e.select(e.compare(ComparePredicate::Lt, x, 0), down, up);
}

/// The largest pixel along the last dimension of `x` in each bin, 5 dimensions of which the last
/// but one of `inside` are bins.
static Value poolBins(Emitter &e, Value x, Value inside) {
  Value least = e.limit({}, e.element(x), /*greatest=*/false);
  return e.reduce(CombineKind::Max, e.select(inside, x, least), {4});
}

/// Bins begin and end at whole pixels, so that those along rows and along columns are pooled one
/// after another. A bin without pixels is 0.
static void importMaxRoiPool(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), boxes = n.input(1);
  if (!checkRegions(n, x, boxes, 5))
    return;
  std::optional<Shape> bins = n.integers("pooled_shape");
  if (!bins)
    return n.failed() ? void() : n.missing("pooled_shape");
  if (!checkEntries(n, "pooled_shape", *bins, 2, 1))
    return;
  mlir::Type element = e.element(x), wide = element.isF64() ? element : e.f32();
  double scale = n.floating("spatial_scale", 1);
  boxes = e.cast(boxes, wide);
  // Bools [boxes, bins, pixels], and whether bins have no pixels, [boxes, bins, 1].
  auto findInside = [&](int64_t which, int64_t count, int64_t extent) {
    auto coordinate = [&](int64_t column) {
      return roundAway(e, e.mul(e.unsqueeze(e.sliceDim(boxes, 1, column, 1), 2), scale));
    };
    Value begin = coordinate(which), end = coordinate(which + 2);
    Value length = e.maximum(e.add(e.sub(end, begin), 1), 1);
    Value bin = e.div(length, static_cast<double>(count)), at = countAlong(e, count, 1, wide);
    Value low = e.add(e.floor(e.mul(at, bin)), begin),
          high = e.add(e.unary<graph::CeilOp>(e.mul(e.add(at, 1), bin)), begin);
    double size = static_cast<double>(extent);
    low = e.clamp(low, 0, size);
    high = e.clamp(high, 0, size);
    Value pixel = countAlong(e, extent, 2, wide);
    return std::pair(e.binary<graph::AndOp>(e.compare(ComparePredicate::Ge, pixel, low),
                                            e.compare(ComparePredicate::Lt, pixel, high)),
                     e.compare(ComparePredicate::Le, high, low));
  };
  auto [rows, noRows] = findInside(2, (*bins)[0], e.size(x, 2));
  auto [columns, noColumns] = findInside(1, (*bins)[1], e.size(x, 3));
  Value image = e.cast(e.squeeze(e.sliceDim(boxes, 1, 0, 1), 1), e.i64());
  Value found = e.gather(x, {image}, 0); // [boxes, C, H, W]
  Value pooled = poolBins(e, e.unsqueeze(found, 3), e.unsqueeze(e.unsqueeze(columns, 1), 1));
  pooled = poolBins(e, e.unsqueeze(e.permute(pooled, {0, 1, 3, 2}), 3),
                    e.unsqueeze(e.unsqueeze(rows, 1), 1));
  pooled = e.permute(pooled, {0, 1, 3, 2});
  Value isEmpty = e.binary<graph::OrOp>(noRows, e.permute(noColumns, {0, 2, 1}));
  n.result(e.select(e.unsqueeze(isEmpty, 1), e.splatLike(pooled, 0), pooled));
}

void tw::onnx::addRegions(Registry &r) {
  r.add("MaxRoiPool", 1, {2, 2}, importMaxRoiPool);
  r.add("RoiAlign", 10, {3, 3}, importRoiAlign);
}
