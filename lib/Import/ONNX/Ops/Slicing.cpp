// Operators that cut, split, pad and mask.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

/// x[start : end : step] along one dimension, with the clamping that ONNX defines: numpy's, but
/// that steps backward which would start before the first element start there.
static Value sliceAxis(Emitter &e, Value x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  int64_t size = e.size(x, dim);
  if (start < 0)
    start = start < -size ? -1 : start + size;
  if (end < 0)
    end = end < -size ? -1 : end + size;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, 0, size);
    int64_t count = end > start ? (end - start - 1) / step + 1 : 0;
    // Where there are none at a sample there may be some at other sizes.
    return e.sliceDim(x, dim, count || e.keepsWholeSlices ? start : 0, count,
                      std::min(step, std::max<int64_t>(size, 1)));
  }
  start = std::min(std::max<int64_t>(start, 0), size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  int64_t stride = std::min(-step, std::max<int64_t>(size, 1));
  int64_t count = std::max<int64_t>((start - end + stride - 1) / stride, 0);
  Value flipped = e.flip(x, {dim});
  bool isPlaced = count != 0 || (e.keepsWholeSlices && size > 0);
  return e.sliceDim(flipped, dim, isPlaced ? size - 1 - start : 0, count, stride);
}

constexpr int64_t kMostStep = int64_t(1) << 40;

namespace {

/// Where a slice begins, in the flipped dimension for negative steps, and how many elements it has.
struct Places {
  Value begin, count;
};

} // namespace

/// Computes what `sliceAxis` does.
static Places placeSlice(NodeImport &n, Value x, int64_t dim, Value start, Value end,
                         int64_t step) {
  Emitter &e = n.emit;
  Value size = n.followSize(x, dim);
  auto place = [&](Value at, double least, Value most) {
    Value counted = e.select(e.compare(ComparePredicate::Lt, at, 0.0), e.add(at, size), at);
    return e.minimum(e.maximum(counted, least), most);
  };
  Value begin, count;
  if (step > 0) {
    begin = place(start, 0, size);
    count = e.sub(place(end, 0, size), begin);
  } else {
    // The dimension is flipped, in which the place is counted from the last element.
    Value last = e.sub(size, 1.0), first = place(start, 0, last);
    begin = e.sub(last, first);
    count = e.sub(first, place(end, -1, last));
  }
  count = e.maximum(count, 0.0);
  // A step beyond all that a dimension may have is another number in a double.
  double stride = std::abs(double(std::clamp<int64_t>(step, -kMostStep, kMostStep)));
  if (stride != 1)
    count = e.div(e.add(count, stride - 1), stride);
  return {begin, count};
}

/// The places are known at sizes that no sample is made at.
static void followSlice(NodeImport &n, Value x, int64_t dim, Value start, Value end, int64_t step) {
  Places places = placeSlice(n, x, dim, start, end, step);
  n.known(places.count);
  n.known(places.begin);
}

/// One number of an input, as a scalar of i64.
static Value numberOf(NodeImport &n, size_t input, size_t i) {
  Emitter &e = n.emit;
  return e.cast(e.reshape(e.sliceDim(n.input(input), 0, int64_t(i), 1), {}), e.i64());
}

/// A slice along one dimension whose ends data decide: from the first element on as many as there
/// may be, of which so many are counted.
static Value sliceCounted(NodeImport &n, Value x, int64_t dim, Value start, Value end,
                          int64_t step) {
  Emitter &e = n.emit;
  int64_t size = e.size(x, dim), stride = std::min(std::abs(step), kMostStep);
  if (size == 0)
    return x;
  int64_t most = (size + stride - 1) / stride;
  Places places = placeSlice(n, x, dim, start, end, step);
  Value at = e.add(e.mul(e.iota({most}, 0, e.i64()), double(stride)), places.begin);
  // Those behind what is counted may lie anywhere.
  at = e.minimum(at, e.sub(n.followSize(x, dim), 1.0));
  std::optional<int64_t> taken = n.countedSizeOf(dim, most);
  x = e.gather(step < 0 ? e.flip(x, {dim}) : x, {at}, dim);
  return taken ? e.prefix(x, places.count, dim, *taken) : Value();
}

/// Some of the ends are not known.
static void importOpenSlice(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t count = e.rank(n.input(1)) == 1 ? e.size(n.input(1), 0) : 0;
  std::optional<Shape> list, steps;
  if (n.has(3))
    list = n.constantIntegers(3);
  if (n.has(4))
    steps = n.constantIntegers(4);
  if (n.failed())
    return;
  Shape axes = n.axes(list ? *list : indices(count), e.rank(x));
  if (!steps)
    steps = Shape(count, 1);
  if (n.failed())
    return;
  bool fits = int64_t(axes.size()) == count && int64_t(steps->size()) == count &&
              e.rank(n.input(2)) == 1 && e.size(n.input(2), 0) == count;
  if (!fits || count == 0) {
    n.error(Code::T0111) << "starts and ends have the shapes " << shapeText(e.shape(n.input(1)))
                         << " and " << shapeText(e.shape(n.input(2))) << ", expected "
                         << axes.size() << " elements of each";
    return;
  }
  for (size_t i = 0; i < axes.size() && x && !n.failed(); ++i) {
    int64_t step = (*steps)[i];
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) {
      n.error(Code::T0108) << "step " << step << " is out of range";
      return;
    }
    Value ends[] = {numberOf(n, 1, i), numberOf(n, 2, i)};
    auto start = n.known(ends[0]), end = start ? n.known(ends[1]) : start;
    if (!end) {
      x = sliceCounted(n, x, axes[i], ends[0], ends[1], step);
      continue;
    }
    if (n.isFollowed())
      followSlice(n, x, axes[i], ends[0], ends[1], step);
    auto number = [](mlir::DenseElementsAttr value) {
      return (*value.value_begin<llvm::APInt>()).getSExtValue();
    };
    x = sliceAxis(e, x, axes[i], number(start), number(end), step);
  }
  n.result(x);
}

static void importSlice(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<Shape> starts, ends, list, steps;
  if (n.opset < 10) {
    starts = n.integers("starts");
    ends = n.integers("ends");
    list = n.integers("axes");
    if (!starts || !ends)
      return n.failed() ? void() : n.missing(starts ? "ends" : "starts");
  } else if (!n.known(n.input(1)) || !n.known(n.input(2))) {
    return importOpenSlice(n);
  } else {
    starts = n.constantIntegers(1);
    ends = n.constantIntegers(2);
    if (n.has(3))
      list = n.constantIntegers(3);
    if (n.has(4))
      steps = n.constantIntegers(4);
  }
  if (n.failed() || !starts || !ends)
    return;
  Shape axes = n.axes(list ? *list : indices(static_cast<int64_t>(starts->size())), e.rank(x));
  if (n.failed())
    return;
  if (!steps)
    steps = Shape(starts->size(), 1);
  if (ends->size() != starts->size() || axes.size() != starts->size() ||
      steps->size() != starts->size()) {
    n.error(Code::T0111) << "found " << starts->size() << " starts, " << ends->size() << " ends, "
                         << axes.size() << " axes and " << steps->size()
                         << " steps, expected equal numbers";
    return;
  }
  for (size_t i = 0; i < starts->size() && x; ++i) {
    int64_t step = (*steps)[i];
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      n.error(Code::T0108) << "step " << step << " is out of range";
    if (n.failed())
      return;
    int64_t size = e.size(x, axes[i]), start = (*starts)[i], end = (*ends)[i];
    if (step == 1 && start < 0 && end >= size) {
      // The last ones, as many as there are.
      int64_t taken = start < -size ? size : -start;
      if (std::optional<CountedSizes::Part> part = n.takesFirst(axes[i], size, taken)) {
        Value before = e.sub(e.splat({}, e.i64(), double(size)), double(part->most));
        Value at = e.add(e.iota({part->most}, 0, e.i64()), e.maximum(before, 0.0));
        x = n.countFirst(*part, e.gather(x, {at}, axes[i]), axes[i], size);
        continue;
      }
    } else if (step == 1 && (start == 0 || start <= -size)) {
      int64_t taken = std::clamp<int64_t>(end < 0 ? end + size : end, 0, size);
      if (std::optional<CountedSizes::Part> part = n.takesFirst(axes[i], size, taken)) {
        Value rows = e.gather(x, {e.iota({part->most}, 0, e.i64())}, axes[i]);
        x = n.countFirst(*part, rows, axes[i], size);
        continue;
      }
    }
    auto bound = [&](size_t input, int64_t number) {
      return n.opset < 10 ? e.splat({}, e.i64(), double(number)) : numberOf(n, input, i);
    };
    if (n.isFollowed())
      followSlice(n, x, axes[i], bound(1, start), bound(2, (*ends)[i]), step);
    x = sliceAxis(e, x, axes[i], (*starts)[i], end, step);
  }
  n.result(x);
}

/// Computes parts of equal sizes, and what is left for the last one, so that they are known at
/// sizes that no sample is made at.
static void followParts(NodeImport &n, Value x, int64_t dim, int64_t parts) {
  Emitter &e = n.emit;
  Value size = n.followSize(x, dim);
  Value chunk = e.div(e.add(size, double(parts - 1)), double(parts));
  for (int64_t i = 1; i < parts; ++i)
    n.known(e.mul(chunk, double(i)));
  n.known(chunk);
  n.known(e.sub(size, e.mul(chunk, double(parts - 1))));
}

static void importSplit(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.axisAttribute("axis", 0, e.rank(x));
  if (n.failed())
    return;
  int64_t size = e.size(x, axis), parts = static_cast<int64_t>(n.node.outputs.size());
  std::optional<Shape> sizes;
  if (n.opset < 13)
    sizes = n.integers("split");
  if (!sizes && n.has(1))
    sizes = n.constantIntegers(1);
  if (n.failed())
    return;
  if (!sizes) {
    if (n.integer("num_outputs", parts) != parts) {
      n.error(Code::T0108) << "attribute 'num_outputs' is " << n.integer("num_outputs", parts)
                           << ", the node has " << parts << " outputs";
      return;
    }
    int64_t chunk = (size + parts - 1) / parts;
    sizes = Shape(parts, chunk);
    sizes->back() = size - chunk * (parts - 1);
    if (n.isFollowed())
      followParts(n, x, axis, parts);
  }
  int64_t total = 0;
  bool valid = static_cast<int64_t>(sizes->size()) == parts;
  for (int64_t part : *sizes) {
    valid &= part >= 0 && part <= size;
    total += valid ? part : 0;
  }
  if (!valid || total != size) {
    n.error(Code::T0111) << "cannot split " << size << " elements into " << parts
                         << " parts of sizes " << shapeText(*sizes);
    return;
  }
  int64_t offset = 0;
  for (auto [i, part] : llvm::enumerate(*sizes)) {
    n.result(i, e.sliceDim(x, axis, offset, part));
    offset += part;
  }
}

/// Source positions of a dimension padded by reflection, edge or wrapping.
static Shape paddedPositions(llvm::StringRef mode, int64_t size, int64_t low, int64_t high) {
  Shape positions;
  for (int64_t i = -low; i < size + high; ++i) {
    int64_t at = i;
    if (mode == "edge") {
      at = std::clamp<int64_t>(i, 0, size - 1);
    } else if (mode == "wrap") {
      at = ((i % size) + size) % size;
    } else if (size > 1) {
      int64_t period = 2 * (size - 1);
      at = ((i % period) + period) % period;
      at = at < size ? at : period - at;
    } else {
      at = 0;
    }
    positions.push_back(at);
  }
  return positions;
}

/// Computes how much is padded and cropped, and what that leaves.
static void followPads(NodeImport &n, Value x, ShapeRef axes) {
  Emitter &e = n.emit;
  Value amounts = e.cast(n.input(1), e.i64());
  Value crops = e.maximum(e.mul(amounts, -1.0), 0.0);
  n.known(e.maximum(amounts, 0.0));
  auto at = [&](size_t i) { return e.reshape(e.sliceDim(crops, 0, int64_t(i), 1), {}); };
  for (auto [i, axis] : llvm::enumerate(axes))
    n.known(e.sub(e.sub(n.followSize(x, axis), at(i)), at(i + axes.size())));
  n.known(crops);
}

static void importPad(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x);
  std::optional<Shape> pads =
      n.opset < 11 ? n.integers(n.opset < 2 ? "paddings" : "pads") : n.constantIntegers(1);
  if (!pads)
    return n.failed() ? void() : n.missing("pads");
  Shape axes = indices(rank);
  if (n.opset >= 18 && n.has(3)) {
    std::optional<Shape> list = n.constantIntegers(3);
    if (!list)
      return;
    axes = n.axes(*list, rank);
  }
  if (pads->size() != 2 * axes.size())
    n.error(Code::T0111) << "found " << pads->size() << " pads, expected " << 2 * axes.size();
  for (int64_t pad : *pads)
    if (pad < -(int64_t(1) << 40) || pad > (int64_t(1) << 40))
      n.error(Code::T0103) << "pad " << pad << " is out of range";
  if (n.failed())
    return;
  if (n.isFollowed() && n.opset >= 11 && !pads->empty())
    followPads(n, x, axes);
  Shape low(rank, 0), high(rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[i + axes.size()];
  }
  // Negative pads crop.
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t from = std::max<int64_t>(-low[dim], 0), to = std::max<int64_t>(-high[dim], 0);
    if (from + to > e.size(x, dim)) {
      n.error(Code::T0111) << "pads crop more than dimension " << dim << " of "
                           << shapeText(e.shape(x)) << " has";
      return;
    }
    x = e.sliceDim(x, dim, from, e.size(x, dim) - from - to);
    low[dim] = std::max<int64_t>(low[dim], 0);
    high[dim] = std::max<int64_t>(high[dim], 0);
  }
  llvm::StringRef mode = n.choice("mode", "constant", {"constant", "reflect", "edge", "wrap"});
  if (n.failed())
    return;
  if (mode == "constant") {
    double value = n.opset < 11 ? n.floating("value", 0) : 0;
    if (n.opset >= 11 && n.has(2)) {
      std::optional<double> given = n.constantFloat(2);
      if (!given)
        return;
      value = *given;
    }
    return n.result(e.pad(x, low, high, value));
  }
  for (int64_t dim = 0; dim < rank && x; ++dim) {
    if (!low[dim] && !high[dim])
      continue;
    if (e.size(x, dim) == 0 || low[dim] + high[dim] > (int64_t(1) << 24)) {
      n.error(Code::T0111) << "dimension " << dim << " of " << shapeText(e.shape(x))
                           << " cannot be padded by " << low[dim] << " and " << high[dim];
      return;
    }
    Value at = e.integers(paddedPositions(mode, e.size(x, dim), low[dim], high[dim]));
    x = e.gather(x, {at}, dim);
  }
  n.result(x);
}

static void importTrilu(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x), k = 0;
  if (rank < 2) {
    n.error(Code::T0111) << "the input has rank " << rank << ", expected 2 or more";
    return;
  }
  if (n.has(1)) {
    std::optional<int64_t> given = n.constantInteger(1);
    if (!given)
      return;
    k = std::clamp<int64_t>(*given, -e.size(x, rank - 2) - 1, e.size(x, rank - 1) + 1);
  }
  Shape matrix{e.size(x, rank - 2), e.size(x, rank - 1)};
  Value row = e.add(e.iota(matrix, 0, e.i64()), static_cast<double>(k));
  Value column = e.iota(matrix, 1, e.i64());
  bool upper = n.integer("upper", 1);
  Value keep = e.compare(upper ? ComparePredicate::Ge : ComparePredicate::Le, column, row);
  n.result(e.select(keep, x, e.splatLike(x, 0)));
}

static void importReverseSequence(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t batch = n.axisAttribute("batch_axis", 1, e.rank(x));
  int64_t time = n.axisAttribute("time_axis", 0, e.rank(x));
  if (n.failed())
    return;
  // Position t of a sequence of length l comes from l - 1 - t if t < l.
  Value length = e.along(e.cast(n.input(1), e.i64()), batch, e.rank(x));
  Value t = e.iota(e.shape(x), time, e.i64());
  Value reversed = e.sub(e.sub(length, 1), t);
  Value from = e.select(e.compare(ComparePredicate::Lt, t, length), reversed, t);
  llvm::SmallVector<Value> at;
  for (int64_t dim = 0; dim < e.rank(x); ++dim)
    at.push_back(dim == time ? from : e.iota(e.shape(x), dim, e.i64()));
  n.result(e.gather(x, at, 0));
}

void tw::onnx::addSlicing(Registry &r) {
  r.add("Pad", 1, {1, 1}, importPad);
  r.add("Pad", 11, {2, 4}, importPad);
  r.add("ReverseSequence", 10, {2, 2}, importReverseSequence);
  r.add("Slice", 1, {1, 1}, importSlice);
  r.add("Slice", 10, {3, 5}, importSlice);
  r.add("Split", 1, {1, 2}, importSplit, {1, anyNumber});
  r.add("Trilu", 14, {1, 2}, importTrilu);
}
