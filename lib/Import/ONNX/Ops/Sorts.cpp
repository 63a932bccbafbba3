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

static void importTopK(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x), axis = n.axisAttribute("axis", -1, rank);
  std::optional<int64_t> k = n.opset < 10 ? n.integer("k", 0) : n.constantInteger(1);
  bool largest = n.integer("largest", 1);
  if (!k || n.failed())
    return;
  int64_t size = e.size(x, axis);
  if (*k < 0 || *k > size) {
    n.error(Code::T0108) << "k is " << *k << ", the dimension has " << size << " elements";
    return;
  }
  std::optional<CountedSizes::Part> part = n.takesFirst(axis, size, *k);
  if (part) {
    x = fillBehind(e, x, axis, part->room, largest);
    k = part->most;
  } else {
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
  for (auto [i, each] : llvm::enumerate(found))
    n.result(i, part ? n.countFirst(*part, each, axis, size) : each);
}

void tw::onnx::addSorts(Registry &r) {
  r.add("TopK", 1, {1, 1}, importTopK, {2, 2});
  r.add("TopK", 10, {2, 2}, importTopK, {2, 2});
}
