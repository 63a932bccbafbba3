// Sampling an image at computed places, and the places that matrices move pixels to.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

namespace {

struct Sampler {
  NodeImport &n;
  Value image; ///< [N, H, W, C]
  llvm::StringRef padding;
  bool alignCorners;
  int64_t batch, pixels;

  /// Places outside the image, reflected at its borders.
  Value reflected(Value x, int64_t size) const {
    Emitter &e = n.emit;
    double low = alignCorners ? 0 : -0.5,
           span = static_cast<double>(alignCorners ? size - 1 : size);
    if (span == 0)
      return e.splatLike(x, 0);
    Value away = e.binary<graph::ModOp>(e.sub(x, low), 2 * span);
    Value back = e.sub(e.splatLike(away, 2 * span), away);
    Value folded = e.select(e.compare(ComparePredicate::Gt, away, span), back, away);
    return e.add(folded, low);
  }

  /// Whole places (floats) [N, P] as indices that lie inside, and whether they did before.
  std::pair<Value, Value> index(Value place, int64_t size) const {
    Emitter &e = n.emit;
    double last = static_cast<double>(size - 1);
    Value inside = e.binary<graph::AndOp>(e.compare(ComparePredicate::Ge, place, 0),
                                          e.compare(ComparePredicate::Le, place, last));
    if (padding == "reflection")
      place = reflected(place, size);
    return {e.cast(e.clamp(place, 0, last), e.i64()), inside};
  }

  /// The image's pixels [N, P, C] at whole places; outside, what `padding_mode` says.
  Value pixel(Value y, Value x) const {
    Emitter &e = n.emit;
    auto [row, rowInside] = index(y, e.size(image, 1));
    auto [column, columnInside] = index(x, e.size(image, 2));
    Value found = e.gather(image, {row, column}, 1, 1);
    if (padding != "zeros")
      return found;
    Value inside = e.unsqueeze(e.binary<graph::AndOp>(rowInside, columnInside), 2);
    return e.select(inside, found, e.splatLike(found, 0));
  }
};

} // namespace

/// Weight of a tap of cubic interpolation at this distance (Keys, a = -0.75).
static Value cubicWeight(Emitter &e, Value distance, bool near) {
  constexpr double a = -0.75;
  Value d = e.abs(distance);
  if (near)
    return e.add(e.mul(e.mul(e.sub(e.mul(d, a + 2), a + 3), d), d), 1);
  return e.sub(e.mul(e.add(e.mul(e.sub(e.mul(d, a), 5 * a), d), 8 * a), d), 4 * a);
}

static void importGridSample(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), grid = n.input(1);
  if (e.rank(x) != 4)
    return n.unsupported("an input of rank " + llvm::Twine(e.rank(x)), "volumes to be sampled",
                         "images [N, C, H, W]");
  if (e.rank(grid) != 4 || e.size(grid, 3) != 2 || e.size(grid, 0) != e.size(x, 0) ||
      !elementCount(e.shape(x))) {
    n.error(Code::T0111) << "image and grid have the shapes " << shapeText(e.shape(x)) << " and "
                         << shapeText(e.shape(grid)) << ", expected [N, C, H, W] and [N, h, w, 2]";
    return;
  }
  llvm::StringRef mode = n.opset < 20
                             ? n.choice("mode", "bilinear", {"bilinear", "nearest", "bicubic"})
                             : n.choice("mode", "linear", {"linear", "nearest", "cubic"});
  bool linear = mode == "bilinear" || mode == "linear",
       cubic = mode == "bicubic" || mode == "cubic";
  int64_t height = e.size(grid, 1), width = e.size(grid, 2);
  Sampler s{n,
            e.permute(x, {0, 2, 3, 1}),
            n.choice("padding_mode", "zeros", {"zeros", "border", "reflection"}),
            n.integer("align_corners", 0) != 0,
            e.size(x, 0),
            height * width};
  // From [-1, 1] to pixels.
  auto place = [&](int64_t which, int64_t size) {
    Value g = e.reshape(e.sliceDim(grid, 3, which, 1), {s.batch, s.pixels});
    double extent = static_cast<double>(size);
    Value at = s.alignCorners ? e.mul(e.add(g, 1), (extent - 1) / 2)
                              : e.div(e.sub(e.mul(e.add(g, 1), extent), 1), 2);
    // Cubic taps are brought inside one by one, the place itself is not.
    if (!cubic && s.padding == "border")
      at = e.clamp(at, 0, extent - 1);
    return !cubic && s.padding == "reflection" ? s.reflected(at, size) : at;
  };
  Value px = place(0, e.size(x, 3)), py = place(1, e.size(x, 2)), result;
  if (!linear && !cubic) {
    result = s.pixel(e.round(py), e.round(px));
  } else {
    Value fx = e.floor(px), fy = e.floor(py);
    int first = cubic ? -1 : 0, last = cubic ? 2 : 1;
    auto weight = [&](Value at, Value base, int tap) {
      Value distance = e.sub(at, e.add(base, tap));
      return cubic ? cubicWeight(e, distance, tap == 0 || tap == 1)
                   : e.sub(e.splatLike(distance, 1), e.abs(distance));
    };
    for (int i = first; i <= last; ++i)
      for (int j = first; j <= last; ++j) {
        Value both = e.unsqueeze(e.mul(weight(py, fy, i), weight(px, fx, j)), 2);
        Value part = e.mul(s.pixel(e.add(fy, i), e.add(fx, j)), both);
        result = result ? e.add(result, part) : part;
      }
  }
  result = e.reshape(result, {s.batch, height, width, e.size(x, 1)});
  n.result(e.permute(result, {0, 3, 1, 2}));
}

/// Places in images that matrices [N, 2, 3] or [N, 3, 4] move the pixels of a grid to: the last
/// dimension goes from the last spatial one to the first, as that of the matrices' columns does.
static void importAffineGrid(NodeImport &n) {
  Emitter &e = n.emit;
  Value matrices = n.input(0);
  std::optional<Shape> size = n.constantIntegers(1);
  if (!size)
    return;
  int64_t rank = static_cast<int64_t>(size->size()) - 2;
  if ((rank != 2 && rank != 3) || llvm::any_of(*size, [](int64_t v) { return v < 0; })) {
    n.error(Code::T0111) << "size is " << shapeText(*size)
                         << ", expected [N, C, H, W] or [N, C, D, H, W]";
    return;
  }
  if (e.shape(matrices) != ShapeRef({(*size)[0], rank, rank + 1})) {
    n.error(Code::T0111) << "theta has the shape " << shapeText(e.shape(matrices)) << ", expected "
                         << shapeText({(*size)[0], rank, rank + 1}) << " for size "
                         << shapeText(*size);
    return;
  }
  bool alignCorners = n.integer("align_corners", 0) != 0;
  mlir::Type element = e.element(matrices), wide = element.isF64() ? element : e.f32();
  matrices = e.cast(matrices, wide);
  auto column = [&](int64_t which) {
    Shape shape(rank + 2, 1);
    shape.front() = (*size)[0];
    shape.back() = rank;
    return e.reshape(e.sliceDim(matrices, 2, which, 1), shape);
  };
  Value grid = column(rank);
  for (int64_t which = 0; which < rank; ++which) {
    int64_t dim = rank - which, extent = (*size)[dim + 1]; // of [N, spatial..., rank]
    Value pixel = e.mul(e.along(e.iota({extent}, 0, wide), dim, rank + 2), 2);
    Value at = alignCorners
                   ? e.sub(e.div(pixel, static_cast<double>(std::max<int64_t>(extent - 1, 1))), 1)
                   : e.sub(e.div(e.add(pixel, 1), static_cast<double>(extent)), 1);
    grid = e.add(e.mul(column(which), at), grid);
  }
  n.result(e.cast(grid, element));
}

void tw::onnx::addGridSample(Registry &r) {
  r.add("AffineGrid", 20, {2, 2}, importAffineGrid);
  r.add("GridSample", 16, {2, 2}, importGridSample);
}
