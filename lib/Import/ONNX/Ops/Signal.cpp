// Windows, Fourier transforms and mel filters: matrices that are known, products with them.
#include "../Registry.h"
#include "../TensorData.h"

using namespace tw;
using namespace tw::onnx;

/// Larger constants make programs that are too large.
static constexpr int64_t maxMatrix = int64_t(1) << 22;

static mlir::Type outputElement(NodeImport &n) {
  return elementType(n.emit.ops().getContext(),
                     static_cast<int32_t>(n.integer("output_datatype", 1)));
}

/// Windows of signal processing: a sum of cosines over a number of points that is known.
static Value cosineWindow(NodeImport &n, llvm::ArrayRef<double> weights) {
  Emitter &e = n.emit;
  std::optional<int64_t> size = n.constantInteger(0);
  if (!size)
    return {};
  if (*size < 1 || *size > (1 << 24)) {
    n.error(Code::T0108) << "a window of " << *size << " points is out of range";
    return {};
  }
  double period = static_cast<double>(n.integer("periodic", 1) ? *size : *size - 1);
  std::vector<double> points;
  for (int64_t i = 0; i < *size; ++i) {
    double sum = 0;
    for (auto [k, weight] : llvm::enumerate(weights))
      sum += weight * std::cos(2 * M_PI * static_cast<double>(k) * static_cast<double>(i) / period);
    points.push_back(sum);
  }
  return e.floats(*size, outputElement(n), points);
}

static void importHann(NodeImport &n) { n.result(cosineWindow(n, {0.5, -0.5})); }
static void importHamming(NodeImport &n) {
  n.result(cosineWindow(n, {25.0 / 46, -(1 - 25.0 / 46)}));
}
static void importBlackman(NodeImport &n) { n.result(cosineWindow(n, {0.42, -0.5, 0.08})); }

/// The Fourier transform of `x` [..., 1 or 2] along `axis`, which is cut or filled with zeros to
/// `length`: the product with a matrix of cosines and one of sines.
static Value fourier(NodeImport &n, Value x, int64_t axis, int64_t length, bool inverse,
                     bool oneSided) {
  Emitter &e = n.emit;
  int64_t rank = e.rank(x), parts = e.size(x, rank - 1);
  if (rank < 2 || rank > 20 || axis == rank - 1 || (parts != 1 && parts != 2) || length < 1) {
    n.error(Code::T0111) << "cannot transform dimension " << axis << " of " << shapeText(e.shape(x))
                         << " to " << length << " elements; expected [..., 1 or 2] and 1 or more";
    return {};
  }
  if (n.failed())
    return {};
  int64_t kept = oneSided ? length / 2 + 1 : length;
  if (length > maxMatrix / kept) {
    n.unsupported("a length of " + llvm::Twine(length), "a fast Fourier transform", "2048 or less");
    return {};
  }
  std::vector<double> cosines, sines;
  double scale = inverse ? 1.0 / static_cast<double>(length) : 1;
  for (int64_t i = 0; i < length; ++i)
    for (int64_t k = 0; k < kept; ++k) {
      double angle = 2 * M_PI * static_cast<double>(i * k % length) / static_cast<double>(length);
      cosines.push_back(scale * std::cos(angle));
      sines.push_back(scale * (inverse ? 1 : -1) * std::sin(angle));
    }
  Value cosine = e.floats({length, kept}, e.element(x), cosines);
  Value sine = e.floats({length, kept}, e.element(x), sines);
  int64_t size = e.size(x, axis);
  Shape none(rank, 0), high(rank, 0);
  high[axis] = std::max<int64_t>(length - size, 0);
  x = e.pad(e.sliceDim(x, axis, 0, std::min(size, length)), none, high);
  std::string letters;
  for (int64_t d = 0; d < rank - 1; ++d)
    letters += d == axis ? 'y' : static_cast<char>('a' + d);
  std::string result = letters;
  result[static_cast<size_t>(axis)] = 'z';
  auto part = [&](int64_t i) { return e.squeeze(e.sliceDim(x, rank - 1, i, 1), rank - 1); };
  auto times = [&](Value v, Value matrix) {
    return e.contract(letters + ",yz->" + result, v, matrix);
  };
  Value real = times(part(0), cosine), imaginary = times(part(0), sine);
  if (parts == 2) {
    real = e.sub(real, times(part(1), sine));
    imaginary = e.add(imaginary, times(part(1), cosine));
  }
  return e.concat({e.unsqueeze(real, rank - 1), e.unsqueeze(imaginary, rank - 1)}, rank - 1);
}

static void importDft(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<int64_t> axis = n.opset < 20 ? n.integer("axis", 1) : -2;
  if (n.opset >= 20 && n.has(2))
    axis = n.constantInteger(2);
  if (!axis)
    return;
  int64_t dim = n.axis(*axis, e.rank(x));
  std::optional<int64_t> length = n.has(1) ? n.constantInteger(1) : e.size(x, dim);
  if (length)
    n.result(fourier(n, x, dim, *length, n.integer("inverse", 0), n.integer("onesided", 0)));
}

/// Frames of the signal [batch, length, 1 or 2], each times the window, transformed.
static void importStft(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), window = n.input(2);
  std::optional<int64_t> step = n.constantInteger(1), length;
  if (n.has(3))
    length = n.constantInteger(3);
  else if (window)
    length = e.size(window, 0);
  if (!step || n.failed())
    return;
  if (!length) {
    n.error(Code::T0104) << "neither a window nor a frame length is given";
    return;
  }
  if (e.rank(x) != 3 || *step < 1 || *length < 1 || *length > e.size(x, 1)) {
    n.error(Code::T0111) << "frames of " << *length << " elements every " << *step
                         << " do not fit the signal " << shapeText(e.shape(x));
    return;
  }
  int64_t frames = (e.size(x, 1) - *length) / *step + 1;
  Shape starts, places;
  for (int64_t i = 0; i < frames; ++i)
    starts.push_back(i * *step);
  Value at = e.add(e.unsqueeze(e.integers(starts), 1), e.iota({1, *length}, 1, e.i64()));
  Value framed = e.gather(x, {at}, 1); // [batch, frames, length, 1 or 2]
  if (window) {
    if (e.shape(window) != ShapeRef(*length)) {
      n.error(Code::T0111) << "the window has the shape " << shapeText(e.shape(window))
                           << ", expected [" << *length << "]";
      return;
    }
    framed = e.mul(framed, e.along(window, 2, 4));
  }
  n.result(fourier(n, framed, 2, *length, false, n.integer("onesided", 1)));
}

/// Triangles over the bins of a spectrum, evenly spaced by pitch.
static void importMelWeightMatrix(NodeImport &n) {
  std::optional<int64_t> bands = n.constantInteger(0), length = n.constantInteger(1),
                         rate = n.constantInteger(2);
  std::optional<double> lower = n.constantFloat(3), upper = n.constantFloat(4);
  if (!bands || !length || !rate || !lower || !upper)
    return;
  int64_t bins = *length / 2 + 1;
  if (*bands < 1 || *length < 1 || *rate < 1 || *lower < 0 || !(*lower <= *upper) ||
      *bands > maxMatrix / bins) {
    n.error(Code::T0111) << *bands << " bands of a spectrum of " << *length << " points from "
                         << *lower << " to " << *upper << " Hz are out of range";
    return;
  }
  auto pitch = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double step = (pitch(*upper) - pitch(*lower)) / static_cast<double>(*bands + 2);
  Shape edges;
  for (int64_t i = 0; i < *bands + 2; ++i) {
    double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + pitch(*lower)) / 2595) - 1);
    double bin = std::floor(static_cast<double>(*length + 1) * hertz / static_cast<double>(*rate));
    if (!(bin < static_cast<double>(bins))) {
      n.error(Code::T0111) << *upper << " Hz are more than the spectrum of a rate of " << *rate
                           << " has";
      return;
    }
    edges.push_back(static_cast<int64_t>(bin));
  }
  std::vector<double> weights(static_cast<size_t>(bins * *bands), 0);
  for (int64_t band = 0; band < *bands; ++band) {
    int64_t left = edges[band], centre = edges[band + 1], right = edges[band + 2];
    for (int64_t bin = left; bin < std::max(right, centre + 1); ++bin) {
      double rise = static_cast<double>(bin - left) / static_cast<double>(centre - left);
      double fall = static_cast<double>(right - bin) / static_cast<double>(right - centre);
      weights[static_cast<size_t>(bin * *bands + band)] = bin == centre  ? 1
                                                          : bin < centre ? rise
                                                                         : fall;
    }
  }
  n.result(n.emit.floats({bins, *bands}, outputElement(n), weights));
}

void tw::onnx::addSignal(Registry &r) {
  r.add("BlackmanWindow", 17, {1, 1}, importBlackman);
  r.add("DFT", 17, {1, 2}, importDft);
  r.add("DFT", 20, {1, 3}, importDft);
  r.add("HammingWindow", 17, {1, 1}, importHamming);
  r.add("HannWindow", 17, {1, 1}, importHann);
  r.add("MelWeightMatrix", 17, {5, 5}, importMelWeightMatrix);
  r.add("STFT", 17, {2, 4}, importStft);
}
