// Operators that write at computed positions.
#include "../Registry.h"
#include "../Spatial.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;

/// Combines `data` with the updates at the indices of its first dimensions, one tensor each.
static Value scatter(NodeImport &n, Value data, Value updates, llvm::ArrayRef<Value> at) {
  if (!data || !updates || !llvm::all_of(at, [](Value v) { return bool(v); }))
    return {};
  llvm::StringRef reduction = n.choice("reduction", "none", {"none", "add", "mul", "max", "min"});
  if (n.failed())
    return {};
  return n.emit.scatter(data, updates, at, /*axis=*/0, graph::symbolizeCombineKind(reduction));
}

static void importScatterElements(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), at = n.input(1), updates = n.input(2);
  int64_t rank = e.rank(x), axis = n.axisAttribute("axis", 0, rank);
  if (e.rank(at) != rank || e.shape(at) != e.shape(updates))
    n.error(Code::T0111) << "input, indices and updates have the shapes " << shapeText(e.shape(x))
                         << ", " << shapeText(e.shape(at)) << " and " << shapeText(e.shape(updates))
                         << ", which do not fit";
  if (n.failed())
    return;
  at = n.positions(at, e.size(x, axis));
  if (!at)
    return;
  llvm::SmallVector<Value> places;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis && e.size(at, d) > e.size(x, d)) {
      n.error(Code::T0111) << "dimension " << d << " of the indices is larger than the input's";
      return;
    }
    places.push_back(d == axis ? at : e.iota(e.shape(at), d, e.element(at)));
  }
  n.result(scatter(n, x, updates, places));
}

static void importScatterNd(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), at = n.input(1), updates = n.input(2);
  int64_t rank = e.rank(at), depth = rank ? e.size(at, rank - 1) : 0;
  ShapeRef shape = e.shape(x);
  Shape expected(rank ? e.shape(at).drop_back() : ShapeRef());
  if (depth >= 1 && depth <= e.rank(x))
    llvm::append_range(expected, shape.drop_front(depth));
  if (depth < 1 || depth > e.rank(x) || e.shape(updates) != ShapeRef(expected)) {
    n.error(Code::T0111) << "input, indices and updates have the shapes " << shapeText(shape)
                         << ", " << shapeText(e.shape(at)) << " and " << shapeText(e.shape(updates))
                         << ", which do not fit";
    return;
  }
  llvm::SmallVector<Value> places;
  Shape points(e.shape(at).drop_back());
  for (int64_t d = 0; d < depth; ++d)
    places.push_back(n.positions(e.reshape(e.sliceDim(at, rank - 1, d, 1), points), shape[d]));
  n.result(scatter(n, x, updates, places));
}

/// The elements of a pool back at the positions that they come from, in the input's flat order.
static void importMaxUnpool(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), at = n.input(1);
  int64_t rank = e.rank(x);
  if (!n.hasAttribute("kernel_shape"))
    return n.missing("kernel_shape");
  if (rank < 3 || e.shape(at) != e.shape(x)) {
    n.error(Code::T0111) << "input and indices have the shapes " << shapeText(e.shape(x)) << " and "
                         << shapeText(e.shape(at)) << ", expected equal ones [N, C, spatial...]";
    return;
  }
  std::optional<Spatial> s = readSpatialAttributes(n, static_cast<size_t>(rank) - 2, {});
  if (!s)
    return;
  Shape shape{e.size(x, 0), e.size(x, 1)}, none(rank, 0), high(rank, 0);
  for (size_t i = 0; i < s->rank(); ++i)
    shape.push_back((e.size(x, static_cast<int64_t>(i) + 2) - 1) * s->strides[i] + s->kernel[i] -
                    s->low[i] - s->high[i]);
  if (n.has(2)) {
    std::optional<Shape> wanted = n.constantIntegers(2);
    if (!wanted)
      return;
    bool fits = wanted->size() == shape.size();
    for (size_t i = 0; i < shape.size() && fits; ++i) {
      high[i] = (*wanted)[i] - shape[i];
      fits = high[i] >= 0;
    }
    if (!fits) {
      n.error(Code::T0111) << "output_shape is " << shapeText(*wanted) << ", expected at least "
                           << shapeText(shape);
      return;
    }
  }
  if (!e.checkShape(shape))
    return;
  int64_t size = elementCount(shape), count = elementCount(e.shape(x));
  Value flat = scatter(n, e.splat({size}, e.element(x), 0), e.reshape(x, {count}),
                       n.positions(e.reshape(at, {count}), size));
  n.result(e.pad(e.reshape(flat, shape), none, high));
}

void tw::onnx::addScatters(Registry &r) {
  r.add("MaxUnpool", 9, {2, 3}, importMaxUnpool);
  r.add("Scatter", 9, {3, 3}, importScatterElements);
  r.add("ScatterElements", 11, {3, 3}, importScatterElements);
  r.add("ScatterND", 11, {3, 3}, importScatterNd);
}
