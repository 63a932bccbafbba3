// Attributes of windows over spatial dimensions.
#include "Spatial.h"

using namespace tw;
using namespace tw::onnx;

/// Sizes, steps and pads stay below this, so that sums and products of them do not overflow.
static constexpr int64_t maxEntry = int64_t(1) << 30;

bool tw::onnx::checkEntries(NodeImport &n, llvm::StringRef name, ShapeRef values, size_t count,
                            int64_t least) {
  if (values.size() == count &&
      llvm::all_of(values, [&](int64_t v) { return v >= least && v <= maxEntry; }))
    return true;
  n.error(Code::T0108) << "attribute '" << name << "' is " << shapeText(values) << ", expected "
                       << count << " numbers of " << least << " or more";
  return false;
}

llvm::StringRef tw::onnx::readAutoPad(NodeImport &n) {
  return n.choice("auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
}

std::optional<Spatial> tw::onnx::readSpatialAttributes(NodeImport &n, size_t rank,
                                                       ShapeRef kernel) {
  Spatial s;
  s.kernel = n.integers("kernel_shape").value_or(Shape(kernel));
  s.strides = n.integers("strides").value_or(Shape(rank, 1));
  s.dilations = n.integers("dilations").value_or(Shape(rank, 1));
  Shape pads = n.integers("pads").value_or(Shape(2 * rank, 0));
  if (!checkEntries(n, "kernel_shape", s.kernel, rank, 1) ||
      !checkEntries(n, "strides", s.strides, rank, 1) ||
      !checkEntries(n, "dilations", s.dilations, rank, 1) ||
      !checkEntries(n, "pads", pads, 2 * rank, 0) || n.failed())
    return std::nullopt;
  s.low.assign(pads.begin(), pads.begin() + rank);
  s.high.assign(pads.begin() + rank, pads.end());
  s.rounded.assign(rank, 0);
  return s;
}

namespace {

/// Of one dimension; what is `rounded` up is part of `high`.
struct Pads {
  int64_t low, high, rounded = 0;
};

} // namespace

static Pads makePads(Pads pads, int64_t size, int64_t extent, int64_t stride, bool upper,
                     bool lower, bool roundUp) {
  if (upper || lower) {
    int64_t windows = (size + stride - 1) / stride;
    int64_t total = std::max<int64_t>((windows - 1) * stride + extent - size, 0);
    pads.low = upper ? total / 2 : total - total / 2;
    pads.high = total - pads.low;
  }
  int64_t span = size + pads.low + pads.high - extent;
  // A first window that does not fit is one, too, if there would be one of less.
  if (roundUp && span < 0 && span > -stride && size + pads.low > 0)
    pads.high += pads.rounded = -span;
  // The last window of ceil_mode must begin inside the input or its low padding.
  if (roundUp && span >= 0 && span % stride) {
    int64_t begin = (span / stride + 1) * stride;
    if (begin < size + pads.low)
      pads.high += pads.rounded = stride - span % stride;
  }
  return pads;
}

std::optional<Spatial> tw::onnx::readSpatial(NodeImport &n, Value x, ShapeRef kernel,
                                             bool roundUp) {
  int64_t inputRank = Emitter::rank(x);
  if (inputRank < 3) {
    n.error(Code::T0111) << "the input has the shape " << shapeText(Emitter::shape(x))
                         << ", expected [N, C, spatial...]";
    return std::nullopt;
  }
  size_t rank = static_cast<size_t>(inputRank) - 2;
  std::optional<Spatial> s = readSpatialAttributes(n, rank, kernel);
  if (!s)
    return s;
  llvm::StringRef autoPad = readAutoPad(n);
  bool upper = autoPad == "SAME_UPPER", lower = autoPad == "SAME_LOWER", valid = autoPad == "VALID";
  if (n.failed())
    return std::nullopt;
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = static_cast<int64_t>(i) + 2, size = Emitter::size(x, dim);
    int64_t extent = (s->kernel[i] - 1) * s->dilations[i] + 1, stride = s->strides[i];
    Pads given{valid ? 0 : s->low[i], valid ? 0 : s->high[i]};
    auto padsOf = [&](int64_t of) {
      return makePads(given, of, extent, stride, upper, lower, roundUp);
    };
    Pads pads = padsOf(size);
    s->low[i] = pads.low;
    s->high[i] = pads.high;
    s->rounded[i] = pads.rounded;
    // Rounded up, there are no windows where one begins a stride before the first.
    int64_t span = size + pads.low + pads.high - extent;
    if (span < 0 && !(roundUp && size > 0 && span > -2 * stride)) {
      n.error(Code::T0111) << "a window of " << extent << " elements does not fit dimension " << dim
                           << " of " << shapeText(Emitter::shape(x)) << " with pads " << s->low[i]
                           << " and " << s->high[i];
      return std::nullopt;
    }
    // One program has the most padding of all samples, and as many windows.
    if (stride > 1 && (upper || lower || roundUp))
      n.tracesSize(x, dim, [&](ShapeRef samples, int64_t of) {
        int64_t most = 0;
        for (int64_t sample : samples)
          most = std::max(most, padsOf(sample).high);
        Pads own = padsOf(of);
        auto count = [&](int64_t high) {
          int64_t room = of + own.low + high - extent;
          return room < 0 ? 0 : room / stride + 1;
        };
        return own.low == pads.low && own.high <= most && count(own.high) == count(most);
      });
  }
  return s;
}

int64_t tw::onnx::countWindows(const Spatial &s, size_t dim, int64_t extent) {
  int64_t room = extent + s.low[dim] + s.high[dim] - (s.kernel[dim] - 1) * s.dilations[dim] - 1;
  return room < 0 ? 0 : room / s.strides[dim] + 1;
}
