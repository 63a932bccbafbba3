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

/// `cache` with `update` from row `first` on along `axis`, null for 0. What would lie outside is
/// dropped.
static Value storeRows(Emitter &e, Value cache, Value update, Value first, int64_t axis) {
  if (!cache || !update)
    return {};
  llvm::SmallVector<Value> operands{cache, update};
  llvm::SmallVector<int64_t> along;
  if (first) {
    operands.push_back(e.reshape(first, {}));
    along.push_back(axis);
  }
  llvm::SmallVector<tw::Dim> offsets(static_cast<size_t>(e.rank(cache)), tw::Dim(0));
  mlir::OpBuilder &ops = e.ops();
  auto attribute = graph::DimsAttr::get(ops.getContext(), offsets);
  return e.make<graph::UpdateSliceOp>(
      mlir::TypeRange(cache.getType()), mlir::ValueRange(operands),
      llvm::ArrayRef<mlir::NamedAttribute>{
          ops.getNamedAttr("offsets", attribute),
          ops.getNamedAttr("along", ops.getDenseI64ArrayAttr(along))});
}

/// The same from a row of each sequence on, `first` [batch]; behind the last row comes the first
/// one if `isCircular`.
static Value storeRowsOfEach(Emitter &e, Value cache, Value update, Value first, int64_t axis,
                             bool isCircular) {
  Shape shape(e.shape(update).take_front(axis + 1)), each(axis + 1, 1);
  each[0] = e.size(cache, 0);
  Value at = e.add(e.expand(e.reshape(first, each), shape), e.iota(shape, axis, e.i64()));
  if (isCircular)
    at = e.binary<graph::ModOp>(at, static_cast<double>(e.size(cache, axis)));
  if (!at)
    return {};
  return e.make<graph::ScatterOp>(cache.getType(), /*kind=*/nullptr, cache, update,
                                  mlir::ValueRange(at), axis, /*batch_dims=*/axis);
}

/// Whether the rows from `write_indices` on lie in the cache, where they are known; reports if not.
static bool checkRows(NodeImport &n, int64_t length, int64_t room) {
  mlir::DenseElementsAttr value = n.known(n.input(2));
  if (!value || !llvm::isa<mlir::IntegerType>(value.getElementType()))
    return true;
  for (const llvm::APInt &element : value.getValues<llvm::APInt>())
    if (int64_t row = element.getSExtValue(); row < 0 || row > room - length) {
      n.error(Code::T0111) << "write_indices holds " << row << ", expected 0 to " << room - length
                           << ", so that " << length << " rows fit in a cache of " << room
                           << "; mode circular goes on at its first row";
      return false;
    }
  return true;
}

/// A cache with new rows.
static void importTensorScatter(NodeImport &n) {
  Emitter &e = n.emit;
  Value cache = n.input(0), update = n.input(1), rows = n.input(2);
  int64_t axis = n.axisAttribute("axis", -2, e.rank(cache));
  bool isCircular = n.choice("mode", "linear", {"linear", "circular"}) == "circular";
  if (n.failed())
    return;
  if (axis == 0) {
    n.error(Code::T0108) << "attribute 'axis' names dimension 0 of the cache "
                         << shapeText(e.shape(cache))
                         << ", which is the batch; expected the dimension of the sequence";
    return;
  }
  int64_t room = e.size(cache, axis), length = e.size(update, axis);
  Shape expected(e.shape(cache));
  expected[axis] = length;
  if (e.shape(update) != ShapeRef(expected) || length > room) {
    n.error(Code::T0111) << "cache and update have the shapes " << shapeText(e.shape(cache))
                         << " and " << shapeText(e.shape(update))
                         << ", expected equal ones but for at most as many rows along dimension "
                         << axis;
    return;
  }
  if (rows && (e.rank(rows) != 1 || e.size(rows, 0) != e.size(cache, 0))) {
    n.error(Code::T0111) << "write_indices has the shape " << shapeText(e.shape(rows))
                         << ", expected one index for each of the batch, [" << e.size(cache, 0)
                         << "]";
    return;
  }
  if (rows && !isCircular && !checkRows(n, length, room))
    return;
  // A cache without rows has no remainder, and nothing to store.
  isCircular &= room > 0;
  rows = e.cast(rows, e.i64());
  if (rows && e.size(cache, 0) != 1)
    return n.result(storeRowsOfEach(e, cache, update, rows, axis, isCircular));
  if (!rows || !isCircular)
    return n.result(storeRows(e, cache, update, rows, axis));
  // What is behind the last row is stored by an update that begins before the first one; each drops
  // what the other stores.
  rows = e.binary<graph::ModOp>(rows, static_cast<double>(room));
  Value stored = storeRows(e, cache, update, rows, axis);
  if (length != 1)
    stored = storeRows(e, stored, update, e.sub(rows, static_cast<double>(room)), axis);
  n.result(stored);
}

void tw::onnx::addScatters(Registry &r) {
  r.add("MaxUnpool", 9, {2, 3}, importMaxUnpool);
  r.add("Scatter", 9, {3, 3}, importScatterElements);
  r.add("ScatterElements", 11, {3, 3}, importScatterElements);
  r.add("ScatterND", 11, {3, 3}, importScatterNd);
  r.add("TensorScatter", 24, {2, 3}, importTensorScatter);
}
