// Windows as columns, back to an image.
#include "../Registry.h"
#include "../Spatial.h"

using namespace tw;
using namespace tw::onnx;

/// `x` with dimension `dim` of `size` elements, of which element `i` is that at `i - offset`, or 0.
static Value moveBy(Emitter &e, Value x, int64_t dim, int64_t offset, int64_t size) {
  if (!x)
    return x;
  Shape low(e.rank(x), 0), high(e.rank(x), 0);
  low[dim] = std::max<int64_t>(offset, 0);
  int64_t first = std::max<int64_t>(-offset, 0);
  high[dim] = std::max<int64_t>(first + size - low[dim] - e.size(x, dim), 0);
  return e.sliceDim(e.pad(x, low, high), dim, first, size);
}

/// The sum of what lies at one place of the image, one dimension after another: elements of the
/// columns are spread by the stride, and moved to where their window has them.
static void importCol2Im(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<Shape> image = n.constantIntegers(1), block = n.constantIntegers(2);
  if (!image || !block)
    return;
  size_t rank = image->size();
  if (rank < 1 || llvm::any_of(*image, [](int64_t v) { return v < 1; })) {
    n.error(Code::T0111) << "image_shape is " << shapeText(*image)
                         << ", expected one size of 1 or more for each dimension";
    return;
  }
  std::optional<Spatial> s = readSpatialAttributes(n, rank, *block);
  if (!s)
    return;
  Shape windows;
  for (size_t i = 0; i < rank; ++i)
    windows.push_back(countWindows(*s, i, (*image)[i]));
  int64_t points = elementCount(s->kernel), count = elementCount(windows);
  if (e.rank(x) != 3 || e.size(x, 1) % points || e.size(x, 2) != count) {
    n.error(Code::T0111) << "the input has the shape " << shapeText(e.shape(x))
                         << ", expected [N, C * " << points << ", " << count << "] for windows of "
                         << shapeText(s->kernel) << " in an image of " << shapeText(*image);
    return;
  }
  int64_t channels = e.size(x, 1) / points;
  Shape shape{e.size(x, 0) * channels};
  llvm::append_range(shape, s->kernel);
  llvm::append_range(shape, windows);
  x = e.reshape(x, shape);
  // Points of windows that are left, then dimensions of which the first `i` are the image's.
  auto dim = static_cast<int64_t>(rank) + 1;
  for (size_t i = 0; i < rank; ++i) {
    if (int64_t stride = s->strides[i]; stride > 1) {
      Shape low(e.rank(x) + 1, 0), high(low), spread(e.shape(x));
      high[dim + 1] = stride - 1;
      spread[dim] *= stride;
      x = e.reshape(e.pad(e.unsqueeze(x, dim + 1), low, high), spread);
    }
    Value sum;
    for (int64_t point = 0; point < s->kernel[i]; ++point) {
      Value part = moveBy(e, e.squeeze(e.sliceDim(x, 1, point, 1), 1), dim - 1,
                          point * s->dilations[i] - s->low[i], (*image)[i]);
      sum = sum ? e.add(sum, part) : part;
    }
    x = sum;
    if (!x)
      return;
  }
  Shape result{e.size(n.input(0), 0), channels};
  llvm::append_range(result, *image);
  n.result(e.reshape(x, result));
}

void tw::onnx::addColumns(Registry &r) { r.add("Col2Im", 18, {3, 3}, importCol2Im); }
