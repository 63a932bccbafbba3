// Operators that write at computed positions. What lands at a position is found from there: the
// last update whose index is that position, or a reduction over all of them. Indices are sorted or
// compared in pairs with positions, so nothing is written out of order.
#include "../Order.h"
#include "../Registry.h"
#include "../Spatial.h"

#include <limits>

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;

/// `at` as i32 if all positions of a dimension of `size` fit; what lies outside stays outside.
static Value narrowed(Emitter &e, Value at, int64_t size) {
  if (size > std::numeric_limits<int32_t>::max())
    return e.cast(at, e.i64());
  return e.cast(e.clamp(at, -1, static_cast<double>(size)), e.ops().getI32Type());
}

/// Which of the updates comes last among those whose index `at` [c, q] is p, or -1: [c, p]. All
/// pairs are compared.
static Value lastByPairs(Emitter &e, Value at, int64_t p) {
  mlir::Type order = e.ops().getI32Type();
  Shape pairs{e.size(at, 0), p, e.size(at, 1)};
  Value hit = e.compare(ComparePredicate::Eq, e.iota(pairs, 1, e.element(at)),
                        e.expand(e.unsqueeze(at, 1), pairs));
  return e.reduce(CombineKind::Max, e.select(hit, e.iota(pairs, 2, order), e.splat({}, order, -1)),
                  {2});
}

/// The same by bisection: the indices are sorted, and each position finds the last one that is not
/// above it.
static Value lastByBisection(Emitter &e, Value at, int64_t p) {
  mlir::Type order = e.ops().getI32Type();
  int64_t q = e.size(at, 1);
  Order ascending(e, /*largest=*/false);
  Value permutation = ascending.first(at, q);
  Value sorted = ascending.take(at, permutation);
  Shape shape{e.size(at, 0), p};
  Value wanted = e.iota(shape, 1, e.element(at)), count = e.splat(shape, order, 0);
  auto before = [&](Value count) {
    return e.clamp(e.sub(count, 1), 0, static_cast<double>(q - 1));
  };
  for (int64_t step = llvm::PowerOf2Ceil(q + 1) / 2; step; step /= 2) {
    Value next = e.add(count, static_cast<double>(step));
    Value isBelow = e.binary<graph::AndOp>(
        e.compare(ComparePredicate::Le, next, static_cast<double>(q)),
        e.compare(ComparePredicate::Le, ascending.take(sorted, before(next)), wanted));
    count = e.select(isBelow, next, count);
  }
  Value found = e.binary<graph::AndOp>(
      e.compare(ComparePredicate::Gt, count, 0),
      e.compare(ComparePredicate::Eq, ascending.take(sorted, before(count)), wanted));
  return e.select(found, ascending.take(permutation, before(count)), e.splat({}, order, -1));
}

/// Pairs of a scatter of q updates to p positions, in each of `columns`, by the cheaper way.
static double replaceCost(int64_t p, int64_t q, int64_t columns, bool &bisects) {
  double pairs = static_cast<double>(p) * static_cast<double>(q);
  double sorted = 2 * static_cast<double>(q) * static_cast<double>(q) +
                  static_cast<double>(p) * static_cast<double>(llvm::Log2_64_Ceil(q + 1));
  bisects = sorted < pairs;
  return static_cast<double>(columns) * std::min(sorted, pairs);
}

/// Of each position p the last of the `updates` [q, i] whose index in `at` [q, i] (or [q, 1], where
/// rows move whole) is p, else `data` [p, i].
static Value replace(Emitter &e, Value data, Value at, Value updates, bool bisects) {
  int64_t p = e.size(data, 0);
  Value columns = e.permute(at, {1, 0});
  Value last =
      e.permute(bisects ? lastByBisection(e, columns, p) : lastByPairs(e, columns, p), {1, 0});
  Value found = e.compare(ComparePredicate::Ge, last, 0);
  Value source = e.maximum(last, 0); // [p, i], or [p, 1] for whole rows
  Value landed =
      e.size(at, 1) == 1
          ? e.gather(updates, {e.squeeze(source, 1)}, 0)
          : e.gather(updates, {source, e.iota(e.shape(source), 1, e.element(source))}, 0);
  return e.select(found, landed, data);
}

/// Combines `data` [p, i] with those of `updates` [q, i] whose `at` [q, i] (or [q, 1]) is p.
static Value combine(NodeImport &n, Value data, Value at, Value updates) {
  Emitter &e = n.emit;
  if (!data || !at || !updates)
    return {};
  llvm::StringRef reduction = n.choice("reduction", "none", {"none", "add", "mul", "max", "min"});
  bool replaces = reduction == "none";
  int64_t p = e.size(data, 0), q = e.size(updates, 0), i = e.size(data, 1);
  bool bisects = false;
  double cost = replaces ? replaceCost(p, q, e.size(at, 1), bisects)
                         : static_cast<double>(p) * static_cast<double>(q) * static_cast<double>(i);
  if (cost > maxPairs) {
    n.error(Code::T0103) << "a scatter compares more than 2^32 pairs of positions";
    return {};
  }
  if (!p || !q || !i)
    return data;
  CombineKind kind = CombineKind::Add;
  Value identity;
  mlir::Type element = e.element(data);
  if (reduction == "add")
    identity = e.splat({}, element, 0);
  else if (reduction == "mul")
    kind = CombineKind::Mul, identity = e.splat({}, element, 1);
  else if (reduction == "max")
    kind = CombineKind::Max, identity = e.limit({}, element, false);
  else if (reduction == "min")
    kind = CombineKind::Min, identity = e.limit({}, element, true);
  if (n.failed())
    return {};
  at = narrowed(e, at, p);
  if (replaces)
    return replace(e, data, at, updates, bisects);
  Shape pairs{p, q, i};
  Value hit = e.compare(ComparePredicate::Eq, e.iota(pairs, 0, e.element(at)),
                        e.expand(e.unsqueeze(at, 0), pairs));
  Value landed = e.select(hit, e.expand(e.unsqueeze(updates, 0), pairs), identity);
  Value combined = e.reduce(kind, landed, {1});
  switch (kind) {
  case CombineKind::Mul:
    return e.mul(data, combined);
  case CombineKind::Max:
    return e.maximum(data, combined);
  case CombineKind::Min:
    return e.minimum(data, combined);
  default:
    return e.add(data, combined);
  }
}

/// The one index a row of `at` has if it is the same all along the row, as [q, 1].
static Value asColumn(Emitter &e, Value at, int64_t axis) {
  auto expand = at ? at.getDefiningOp<graph::ExpandOp>() : graph::ExpandOp();
  if (!expand)
    return {};
  Value source = expand.getOperand();
  for (int64_t d = 0; d < e.rank(source); ++d)
    if (d != axis && e.size(source, d) != 1)
      return {};
  return e.size(source, axis) == e.size(at, axis) ? e.reshape(source, {e.size(at, axis), 1})
                                                  : Value();
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
  Value column = asColumn(e, at, axis);
  if (column)
    column = n.positions(column, e.size(x, axis));
  // Elsewhere than along the axis, missing positions get the index -1, which is nowhere.
  at = n.positions(at, e.size(x, axis));
  Shape high(rank, 0), order{axis};
  for (int64_t d = 0; d < rank; ++d) {
    if (d == axis)
      continue;
    high[d] = e.size(x, d) - e.size(at, d);
    order.push_back(d);
    if (high[d] < 0) {
      n.error(Code::T0111) << "dimension " << d << " of the indices is larger than the input's";
      return;
    }
  }
  if (llvm::any_of(high, [](int64_t missing) { return missing != 0; }))
    column = {};
  Shape none(rank, 0), back(rank);
  at = e.pad(at, none, high, -1);
  updates = e.pad(updates, none, high);
  for (int64_t d = 0; d < rank; ++d)
    back[order[d]] = d;
  auto matrix = [&](Value v) {
    Value moved = e.permute(v, order);
    return e.reshape(moved, {e.size(v, axis), elementCount(e.shape(moved).drop_front())});
  };
  if (n.failed())
    return;
  Value moved = e.permute(x, order);
  Value result = combine(n, matrix(x), column ? column : matrix(at), matrix(updates));
  n.result(e.permute(e.reshape(result, e.shape(moved)), back));
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
  int64_t outer = elementCount(shape.take_front(depth));
  int64_t inner = elementCount(shape.drop_front(depth));
  int64_t count = elementCount(e.shape(at).drop_back());
  Value position;
  for (int64_t d = 0; d < depth; ++d) {
    Value part = n.positions(e.reshape(e.sliceDim(at, rank - 1, d, 1), {count, 1}), shape[d]);
    position = position ? e.add(e.mul(position, static_cast<double>(shape[d])), part) : part;
  }
  Value result =
      combine(n, e.reshape(x, {outer, inner}), position, e.reshape(updates, {count, inner}));
  n.result(e.reshape(result, shape));
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
  Value flat = combine(n, e.splat({size, 1}, e.element(x), 0),
                       n.positions(e.reshape(at, {count, 1}), size), e.reshape(x, {count, 1}));
  n.result(e.pad(e.reshape(flat, shape), none, high));
}

void tw::onnx::addScatters(Registry &r) {
  r.add("MaxUnpool", 9, {2, 3}, importMaxUnpool);
  r.add("Scatter", 9, {3, 3}, importScatterElements);
  r.add("ScatterElements", 11, {3, 3}, importScatterElements);
  r.add("ScatterND", 11, {3, 3}, importScatterNd);
}
