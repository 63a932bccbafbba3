// Operators that write at computed positions, and sorting. Both compare all pairs: what lands at a
// position is a reduction over those updates whose index is that position, so nothing is written
// out of order.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;

/// More pairs than this take too long to compare.
static constexpr int64_t maxPairs = int64_t(1) << 32;

/// Combines `data` [p, i] with those of `updates` [q, i] whose `at` [q, i] (or [q, 1]) is p.
static Value combine(NodeImport &n, Value data, Value at, Value updates) {
  Emitter &e = n.emit;
  if (!data || !at || !updates)
    return {};
  int64_t p = e.size(data, 0), q = e.size(updates, 0), i = e.size(data, 1);
  if (q && i && p > maxPairs / q / i) {
    n.error(Code::T0103) << "a scatter compares more than 2^32 pairs of positions";
    return {};
  }
  llvm::StringRef reduction = n.text("reduction", "none");
  CombineKind kind = CombineKind::Add;
  Value identity;
  mlir::Type element = e.element(data);
  if (reduction == "none" || reduction == "add")
    identity = e.splat({}, element, 0);
  else if (reduction == "mul")
    kind = CombineKind::Mul, identity = e.splat({}, element, 1);
  else if (reduction == "max")
    kind = CombineKind::Max, identity = e.limit({}, element, false);
  else if (reduction == "min")
    kind = CombineKind::Min, identity = e.limit({}, element, true);
  else
    n.error(Code::T0108) << "attribute 'reduction' is '" << reduction
                         << "', expected none, add, mul, max or min";
  if (n.failed())
    return {};
  Shape cube{p, q, i};
  Value hit = e.compare(ComparePredicate::Eq, e.iota(cube, 0, e.i64()),
                        e.expand(e.unsqueeze(e.cast(at, e.i64()), 0), cube));
  Value landed = e.select(hit, e.expand(e.unsqueeze(updates, 0), cube), identity);
  Value combined = e.reduce(kind, landed, {1});
  switch (kind) {
  case CombineKind::Mul:
    return e.mul(data, combined);
  case CombineKind::Max:
    return e.maximum(data, combined);
  case CombineKind::Min:
    return e.minimum(data, combined);
  default:
    if (reduction == "add")
      return e.add(data, combined);
    return e.select(e.reduce(CombineKind::Any, hit, {1}), combined, data);
  }
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
  Value result = combine(n, matrix(x), matrix(at), matrix(updates));
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

/// An element's rank is the number of those before it in the order; ties go to the lower index.
static void importTopK(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x), axis = n.axisAttribute("axis", -1, rank);
  std::optional<int64_t> k = n.opset < 10 ? n.integer("k", 0) : n.constantInteger(1);
  if (!k || n.failed())
    return;
  int64_t size = e.size(x, axis);
  if (*k < 0 || *k > size) {
    n.error(Code::T0108) << "k is " << *k << ", the dimension has " << size << " elements";
    return;
  }
  if (size && elementCount(e.shape(x)) > maxPairs / size) {
    n.error(Code::T0103) << "a sort compares more than 2^32 pairs of elements";
    return;
  }
  // [..., i, j]: does element j come before element i?
  Shape order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  Value last = e.permute(x, order);
  Shape pairs(e.shape(last)), picks(e.shape(last));
  pairs.push_back(size);
  picks.insert(picks.end() - 1, *k);
  Value mine = e.expand(e.unsqueeze(last, rank), pairs);
  Value other = e.expand(e.unsqueeze(last, rank - 1), pairs);
  bool largest = n.integer("largest", 1);
  Value before = e.compare(largest ? ComparePredicate::Gt : ComparePredicate::Lt, other, mine);
  Value tie = e.binary<graph::AndOp>(e.compare(ComparePredicate::Eq, other, mine),
                                     e.compare(ComparePredicate::Lt, e.iota(pairs, rank, e.i64()),
                                               e.iota(pairs, rank - 1, e.i64())));
  Value place = e.sum(e.cast(e.binary<graph::OrOp>(before, tie), e.i64()), {rank});
  // [..., place, i]: the index of the element at each place.
  Value chosen = e.compare(ComparePredicate::Eq, e.expand(e.unsqueeze(place, rank - 1), picks),
                           e.iota(picks, rank - 1, e.i64()));
  Value at = e.sum(e.mul(e.cast(chosen, e.i64()), e.iota(picks, rank, e.i64())), {rank});
  Value values = e.gather(last, {at}, rank - 1, rank - 1);
  Shape back(rank);
  for (int64_t d = 0; d < rank; ++d)
    back[order[d]] = d;
  n.result(0, e.permute(values, back));
  n.result(1, e.permute(at, back));
}

void tw::onnx::addScatters(Registry &r) {
  r.add("Scatter", 9, {3, 3}, importScatterElements);
  r.add("ScatterElements", 11, {3, 3}, importScatterElements);
  r.add("ScatterND", 11, {3, 3}, importScatterNd);
  r.add("TopK", 1, {1, 1}, importTopK, {2, 2});
  r.add("TopK", 10, {2, 2}, importTopK, {2, 2});
}
