// Operators of whose results data decide the size: elements that are found, chosen or distinct.
// Each is made in the largest size, what was found in front, and the count says how much of it
// there is.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;

namespace {

/// Where the elements of a vector of bools that are true go, one behind the other: i64, below 0 for
/// others; and how many there are.
struct Packing {
  Value places, count;
};

} // namespace

static Packing pack(Emitter &e, Value mask) {
  Value ones = e.cast(mask, e.i64());
  Value ends = e.scan(CombineKind::Add, ones, 0, /*exclusive=*/false, /*reverse=*/false);
  Value nowhere = e.splatLike(ends, -1);
  return {e.select(mask, e.sub(ends, 1), nowhere), e.sum(ones, {0})};
}

/// Of rows [n, ...] those that were packed; zeros behind them, up to `most`.
static Value take(Emitter &e, Value rows, Value places, int64_t most) {
  if (!rows)
    return {};
  Shape shape(e.shape(rows));
  shape[0] = most;
  return e.scatter(e.splat(shape, e.element(rows), 0), rows, {places}, 0, std::nullopt);
}
static Value take(Emitter &e, Value rows, Value places) {
  return take(e, rows, places, e.size(rows, 0));
}

/// The rows [n, columns] that these vectors of [n] are the columns of.
static Value asRows(Emitter &e, llvm::ArrayRef<Value> columns) {
  llvm::SmallVector<Value> parts;
  for (Value column : columns)
    parts.push_back(e.unsqueeze(column, 1));
  return e.concat(parts, 1);
}

static Value flatten(Emitter &e, Value x) { return e.reshape(x, {elementCount(e.shape(x))}); }

/// [rank, N]: a column of coordinates for each element that is not zero, in their order.
static void importNonZero(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x), elements = elementCount(e.shape(x));
  if (elements == 0)
    return n.result(e.splat({rank, 0}, e.i64(), 0));
  Value isFound = e.isBool(x) ? x : e.compare(ComparePredicate::Ne, x, 0);
  llvm::SmallVector<Value> coordinates;
  for (int64_t d = 0; d < rank; ++d)
    coordinates.push_back(flatten(e, e.iota(e.shape(x), d, e.i64())));
  // A scalar has no coordinates.
  Value rows = rank == 0 ? e.splat({1, 0}, e.i64(), 0) : asRows(e, coordinates);
  // What follows from constants has its size now.
  if (mlir::DenseElementsAttr known = n.known(isFound)) {
    Shape found;
    for (auto [i, each] : llvm::enumerate(known.getValues<bool>()))
      if (each)
        found.push_back(int64_t(i));
    bool areAll = int64_t(found.size()) == elements;
    return n.result(e.permute(areAll ? rows : e.gather(rows, {e.integers(found)}, 0), {1, 0}));
  }
  Packing packing = pack(e, flatten(e, isFound));
  Value packed = e.permute(rank == 0 ? rows : take(e, rows, packing.places), {1, 0});
  if (std::optional<int64_t> size = n.countedSize(elements))
    n.result(e.prefix(packed, packing.count, 1, *size));
}

/// The attribute `axis` of x, or of its elements in a row where there is none.
static int64_t takeAxis(NodeImport &n, Value &x) {
  if (n.hasAttribute("axis"))
    return n.axisAttribute("axis", 0, n.emit.rank(x));
  x = flatten(n.emit, x);
  return 0;
}

static void importCompress(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), condition = n.input(1);
  n.requireBool(1);
  if (e.rank(condition) != 1)
    n.error(Code::T0111) << "the condition has rank " << e.rank(condition) << ", expected 1";
  int64_t axis = takeAxis(n, x);
  if (n.failed())
    return;
  int64_t size = std::min(e.size(condition, 0), e.size(x, axis));
  condition = e.sliceDim(condition, 0, 0, size);
  if (mlir::DenseElementsAttr known = n.known(condition)) {
    Shape kept;
    for (auto [i, keep] : llvm::enumerate(known.getValues<bool>()))
      if (keep)
        kept.push_back(int64_t(i));
    return n.result(e.gather(x, {e.integers(kept)}, axis));
  }
  Packing packing = pack(e, condition);
  Value from = take(e, e.iota({size}, 0, e.i64()), packing.places);
  if (std::optional<int64_t> kept = n.countedSize(size))
    n.result(e.prefix(e.gather(x, {from}, axis), packing.count, axis, *kept));
}

/// The order of the rows [n, m]: by their first elements, where these are equal by the next ones,
/// at last by their places.
static Value sortRows(Emitter &e, Value rows) {
  int64_t count = e.size(rows, 0), columns = e.size(rows, 1);
  auto sort = [&](Value keys) { return e.argSort(keys, 0, /*descending=*/false, count); };
  if (columns == 1)
    return sort(e.reshape(rows, {count}));
  // Sorts that keep the order of equal elements, the last column first.
  Emitter::Values sorted =
      e.repeat(columns, /*reverse=*/true, {e.iota({count}, 0, e.i64())}, {e.permute(rows, {1, 0})},
               [&](llvm::ArrayRef<Value> carried, llvm::ArrayRef<Value> slices) {
                 Value order = carried.front();
                 Value next = sort(e.gather(slices.front(), {order}, 0));
                 return Emitter::Values{e.gather(order, {next}, 0)};
               });
  return sorted.empty() ? Value() : sorted.front();
}

/// Whether each row [n, m] differs from the one before it; the first one does. NaN is as great as
/// itself. There may be no row.
static Value beginsGroup(Emitter &e, Value rows) {
  Value number = e.iota({e.size(rows, 0)}, 0, e.i64());
  Value own = rows, before = e.gather(rows, {e.maximum(e.sub(number, 1), 0)}, 0);
  Value same = e.compare(ComparePredicate::Eq, own, before);
  if (e.isFloat(rows)) {
    Value areNan = e.binary<graph::AndOp>(e.compare(ComparePredicate::Ne, own, own),
                                          e.compare(ComparePredicate::Ne, before, before));
    same = e.binary<graph::OrOp>(same, areNan);
  }
  same = e.reduce(CombineKind::All, same, {1});
  return e.binary<graph::OrOp>(e.compare(ComparePredicate::Eq, same, 0),
                               e.compare(ComparePredicate::Eq, number, 0));
}

static void importUnique(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = takeAxis(n, x);
  if (n.failed())
    return;
  int64_t count = e.size(x, axis);
  if (count == 0) {
    n.result(0, x);
    for (size_t i = 1; i < 4; ++i)
      n.result(i, e.splat({0}, e.i64(), 0));
    return;
  }
  if (elementCount(e.shape(x)) == 0)
    return n.unsupported("rows without elements", "tensors without columns to compare",
                         "rows with elements");
  Shape order = indices(e.rank(x));
  order.erase(order.begin() + axis);
  order.insert(order.begin(), axis);
  Value rows = e.reshape(e.permute(x, order), {count, elementCount(e.shape(x)) / count});
  Value sorted = sortRows(e, rows);
  Value isFirst = beginsGroup(e, e.gather(rows, {sorted}, 0));
  // Groups of equal rows by their numbers, in the order of the rows.
  Packing packing = pack(e, isFirst);
  Value ends = e.scan(CombineKind::Add, e.cast(isFirst, e.i64()), 0, false, false);
  Value group = e.sub(ends, 1), zeros = e.splat({count}, e.i64(), 0);
  Value first = take(e, sorted, packing.places);
  Value members = e.scatter(zeros, e.splat({count}, e.i64(), 1), {group}, 0, CombineKind::Add);
  Value inverse = e.scatter(zeros, group, {sorted}, 0, std::nullopt);
  if (!n.integer("sorted", 1)) {
    // By where they begin; those that are none come last.
    Value number = e.iota({count}, 0, e.i64());
    Value isGroup = e.compare(ComparePredicate::Lt, number, packing.count);
    Value key = e.select(isGroup, first, e.splat({count}, e.i64(), double(count)));
    Value from = e.argSort(key, 0, /*descending=*/false, count);
    Value rank = e.scatter(zeros, number, {from}, 0, std::nullopt);
    inverse = e.gather(rank, {inverse}, 0);
    first = e.gather(first, {from}, 0);
    members = e.gather(members, {from}, 0);
  }
  std::optional<int64_t> size = n.countedSize(count);
  if (!size)
    return;
  n.result(0, e.prefix(e.gather(x, {first}, axis), packing.count, axis, *size));
  if (n.wants(1))
    n.result(1, e.prefix(first, packing.count, 0, *size));
  n.result(2, inverse);
  if (n.wants(3))
    n.result(3, e.prefix(members, packing.count, 0, *size));
}

namespace {

/// The sides of boxes and what lies between them, all of one shape.
struct Boxes {
  Value top, left, bottom, right, area;

  llvm::SmallVector<Value> list() const { return {top, left, bottom, right, area}; }
  static Boxes from(llvm::ArrayRef<Value> values) {
    return {values[0], values[1], values[2], values[3], values[4]};
  }
};

} // namespace

/// Of boxes [B, S, 4]: corners in any order, or the center and the size.
static Boxes readBoxes(Emitter &e, Value boxes, bool isCenter) {
  Value part[4];
  for (int64_t i = 0; i < 4; ++i)
    part[i] = e.squeeze(e.sliceDim(boxes, 2, i, 1), 2);
  Boxes b;
  if (isCenter) {
    Value width = e.div(part[2], 2), height = e.div(part[3], 2);
    b = {e.sub(part[1], height),
         e.sub(part[0], width),
         e.add(part[1], height),
         e.add(part[0], width),
         {}};
  } else {
    b = {e.minimum(part[0], part[2]),
         e.minimum(part[1], part[3]),
         e.maximum(part[0], part[2]),
         e.maximum(part[1], part[3]),
         {}};
  }
  b.area = e.mul(e.sub(b.bottom, b.top), e.sub(b.right, b.left));
  return b;
}

/// Whether boxes overlap by more than `threshold` of what they cover together.
static Value overlap(Emitter &e, const Boxes &a, const Boxes &b, Value threshold) {
  Value height = e.sub(e.minimum(a.bottom, b.bottom), e.maximum(a.top, b.top));
  Value width = e.sub(e.minimum(a.right, b.right), e.maximum(a.left, b.left));
  Value common = e.mul(height, width), covered = e.sub(e.add(a.area, b.area), common);
  Value result = e.compare(ComparePredicate::Gt, e.div(common, covered), threshold);
  for (Value positive : {height, width, a.area, b.area, covered})
    result = e.binary<graph::AndOp>(result, e.compare(ComparePredicate::Gt, positive, 0));
  return result;
}

/// A number that an input holds, or a default.
static Value scalarInput(NodeImport &n, size_t i, mlir::Type element, double fallback) {
  if (!n.has(i))
    return n.emit.splat({}, element, fallback);
  if (elementCount(n.emit.shape(n.input(i))) != 1)
    n.error(Code::T0111) << "input " << i << " has the shape "
                         << shapeText(n.emit.shape(n.input(i))) << ", expected one element";
  return n.failed() ? Value() : n.emit.cast(n.emit.reshape(n.input(i), {}), element);
}

/// Which boxes stay, [S, B, C] in the order of the scores: each that is valid and overlaps none
/// before it that stays, up to `most` of a class.
static Value sweep(Emitter &e, const Boxes &boxes, Value isValid, Value threshold, Value most) {
  Shape shape(e.shape(isValid)), classes{shape[0], shape[1]};
  llvm::SmallVector<Value> slices{e.iota({shape[2]}, 0, e.i64()), e.permute(isValid, {2, 0, 1})};
  for (Value side : boxes.list())
    slices.push_back(e.permute(side, {2, 0, 1}));
  Emitter::Values swept = e.repeat(
      shape[2], /*reverse=*/false, {e.splat(shape, e.i1(), 0), e.splat(classes, e.i64(), 0)},
      slices, [&](llvm::ArrayRef<Value> carried, llvm::ArrayRef<Value> own) -> Emitter::Values {
        Value isGone = carried[0], kept = carried[1];
        Value place = e.expand(own[0], classes);
        Value stays = e.gather(isGone, {e.unsqueeze(place, 2)}, 2, 2);
        stays = e.compare(ComparePredicate::Eq, e.squeeze(stays, 2), 0);
        stays = e.binary<graph::AndOp>(stays, own[1]);
        stays = e.binary<graph::AndOp>(stays, e.compare(ComparePredicate::Lt, kept, most));
        llvm::SmallVector<Value> sides;
        for (Value side : own.drop_front(2))
          sides.push_back(e.unsqueeze(side, 2));
        Value goes = overlap(e, Boxes::from(sides), boxes, threshold);
        goes = e.binary<graph::AndOp>(goes, e.unsqueeze(stays, 2));
        return {e.binary<graph::OrOp>(isGone, goes), e.add(kept, e.cast(stays, e.i64())), stays};
      });
  return swept.empty() ? Value() : swept[2];
}

/// [N, 3]: batch, class and box of what stays, in this order, boxes by their scores.
static void importNonMaxSuppression(NodeImport &n) {
  Emitter &e = n.emit;
  Value boxes = n.input(0), scores = n.input(1);
  Shape shape(e.shape(scores));
  if (e.rank(boxes) != 3 || e.rank(scores) != 3 || e.size(boxes, 0) != shape[0] ||
      e.size(boxes, 1) != shape[2] || e.size(boxes, 2) != 4)
    n.error(Code::T0111) << "boxes and scores have the shapes " << shapeText(e.shape(boxes))
                         << " and " << shapeText(shape) << ", expected [B, S, 4] and [B, C, S]";
  Value most = scalarInput(n, 2, e.i64(), 0), overlapLimit = scalarInput(n, 3, e.f32(), 0);
  if (n.failed())
    return;
  int64_t eachMost = shape[2];
  if (mlir::DenseElementsAttr known = n.known(most))
    eachMost = std::clamp<int64_t>((*known.value_begin<llvm::APInt>()).getSExtValue(), 0, eachMost);
  // Where data decide how many boxes there are, there is room for as many as may stay.
  if (std::optional<CountedSizes::Part> part = n.takesFirst(0, shape[2], eachMost))
    eachMost = part->most;
  int64_t mostRows = shape[0] * shape[1] * eachMost;
  if (mostRows == 0)
    return n.result(e.splat({0, 3}, e.i64(), 0));
  Value order = e.argSort(scores, 2, /*descending=*/true, shape[2]);
  Value isValid = e.splat(shape, e.i1(), 1);
  if (n.has(4))
    isValid = e.compare(ComparePredicate::Gt, e.gather(scores, {order}, 2, 2),
                        scalarInput(n, 4, e.f32(), 0));
  Boxes b = readBoxes(e, boxes, n.integer("center_point_box", 0) != 0);
  llvm::SmallVector<Value> sides;
  for (Value side : b.list())
    sides.push_back(e.gather(side, {order}, 1, 1));
  Value stays = e.permute(sweep(e, Boxes::from(sides), isValid, overlapLimit, most), {1, 2, 0});
  if (!stays)
    return;
  Packing packing = pack(e, flatten(e, stays));
  Value rows = asRows(e, {flatten(e, e.iota(shape, 0, e.i64())),
                          flatten(e, e.iota(shape, 1, e.i64())), flatten(e, order)});
  if (std::optional<int64_t> size = n.countedSize(mostRows))
    n.result(e.prefix(take(e, rows, packing.places, mostRows), packing.count, 0, *size));
}

void tw::onnx::addCounted(Registry &r) {
  r.add("Compress", 9, {2, 2}, importCompress);
  r.add("NonMaxSuppression", 10, {2, 5}, importNonMaxSuppression);
  r.add("NonZero", 9, {1, 1}, importNonZero);
  r.add("Unique", 11, {1, 1}, importUnique, {1, 4});
}
