// Operators that sort.
#include "../Registry.h"

#include <cmath>

using namespace tw;
using namespace tw::onnx;

/// `x` of `room` elements along the axis, those behind its own after all others in the order.
static Value fillBehind(Emitter &e, Value x, int64_t axis, int64_t room, bool descending) {
  int64_t size = e.size(x, axis);
  x = e.gather(x, {e.iota({room}, 0, e.i64())}, axis);
  Value fill = descending || !e.isFloat(x) ? e.limit(e.shape(x), e.element(x), !descending)
                                           : e.splatLike(x, std::nan(""));
  Value isThere =
      e.compare(graph::ComparePredicate::Lt, e.iota(e.shape(x), axis, e.i64()), double(size));
  return e.select(isThere, x, fill);
}

/// How many elements data say that are taken, of which there may be fewer; null where it is known.
static Value readCount(NodeImport &n, int64_t axis, int64_t size) {
  Emitter &e = n.emit;
  if (size == 0 || elementCount(e.shape(n.input(1))) != 1 || n.known(n.input(1)))
    return {};
  Value k = e.cast(e.reshape(n.input(1), {}), e.i64());
  return e.minimum(e.maximum(k, 0), n.followSize(n.input(0), axis));
}

static void importTopK(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x), axis = n.axisAttribute("axis", -1, rank);
  if (n.failed())
    return;
  int64_t size = e.size(x, axis);
  Value count = n.opset < 10 ? Value() : readCount(n, axis, size);
  std::optional<int64_t> k = n.opset < 10 ? n.integer("k", 0) : size;
  if (!count && n.opset >= 10)
    k = n.constantInteger(1);
  bool largest = n.integer("largest", 1);
  if (!k || n.failed())
    return;
  if (*k < 0 || *k > size) {
    n.error(Code::T0108) << "k is " << *k << ", the dimension has " << size << " elements";
    return;
  }
  std::optional<CountedSizes::Part> part;
  if (!count)
    part = n.takesFirst(axis, size, *k);
  if (part) {
    x = fillBehind(e, x, axis, part->room, largest);
    k = part->most;
  } else if (!count) {
    n.decides(*k);
  }
  // Indices of a gather have the dimensions before it.
  Shape order, back(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  for (int64_t d = 0; d < rank; ++d)
    back[order[d]] = d;
  Value last = e.permute(x, order), at = e.argSort(last, rank - 1, largest, *k);
  Value found[] = {e.permute(e.gather(last, {at}, rank - 1, rank - 1), back), e.permute(at, back)};
  std::optional<int64_t> taken = count ? n.countedSize(size) : std::nullopt;
  for (auto [i, each] : llvm::enumerate(found))
    if (part)
      n.result(i, n.countFirst(*part, each, axis, size));
    else if (!count)
      n.result(i, each);
    else if (taken)
      n.result(i, e.prefix(each, count, axis, *taken));
}

void tw::onnx::addSorts(Registry &r) {
  r.add("TopK", 1, {1, 1}, importTopK, {2, 2});
  r.add("TopK", 10, {2, 2}, importTopK, {2, 2});
}
