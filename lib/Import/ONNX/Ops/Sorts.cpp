// Operators that sort.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;

static void importTopK(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t rank = e.rank(x), axis = n.axisAttribute("axis", -1, rank);
  std::optional<int64_t> k = n.opset < 10 ? n.integer("k", 0) : n.constantInteger(1);
  bool largest = n.integer("largest", 1);
  if (!k || n.failed())
    return;
  n.decides(*k);
  int64_t size = e.size(x, axis);
  if (*k < 0 || *k > size) {
    n.error(Code::T0108) << "k is " << *k << ", the dimension has " << size << " elements";
    return;
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
  n.result(0, e.permute(e.gather(last, {at}, rank - 1, rank - 1), back));
  n.result(1, e.permute(at, back));
}

void tw::onnx::addSorts(Registry &r) {
  r.add("TopK", 1, {1, 1}, importTopK, {2, 2});
  r.add("TopK", 10, {2, 2}, importTopK, {2, 2});
}
