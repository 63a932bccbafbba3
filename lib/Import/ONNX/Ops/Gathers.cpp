// Operators that read elements at computed positions.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;

static void importGather(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.axisAttribute("axis", 0, e.rank(x));
  if (!n.failed())
    n.result(e.gather(x, {n.positions(n.input(1), e.size(x, axis))}, axis));
}

/// Element [i, j, k] comes from the same position but for the one along `axis`.
static void importGatherElements(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), at = n.input(1);
  int64_t axis = n.axisAttribute("axis", 0, e.rank(x));
  if (e.rank(x) != e.rank(at))
    n.error(Code::T0111) << "the indices have rank " << e.rank(at) << ", expected " << e.rank(x);
  if (n.failed())
    return;
  Value wrapped = n.positions(at, e.size(x, axis));
  llvm::SmallVector<Value> positions;
  for (int64_t dim = 0; dim < e.rank(x); ++dim)
    positions.push_back(dim == axis ? wrapped : e.iota(e.shape(at), dim, e.element(wrapped)));
  n.result(e.gather(x, positions, 0));
}

/// The last dimension of the indices holds one position per dimension of the source.
static void importGatherNd(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0), at = n.input(1);
  int64_t batch = n.integer("batch_dims", 0), rank = e.rank(at);
  if (rank < 1 || batch < 0 || batch >= rank || batch >= e.rank(x)) {
    n.error(Code::T0111) << "indices of shape " << shapeText(e.shape(at)) << " and batch_dims "
                         << batch << " do not fit the input's " << shapeText(e.shape(x));
    return;
  }
  int64_t depth = e.size(at, rank - 1);
  if (depth < 1 || batch + depth > e.rank(x)) {
    n.error(Code::T0111) << "the indices address " << depth << " dimensions after " << batch
                         << " of the input's " << shapeText(e.shape(x));
    return;
  }
  llvm::SmallVector<Value> positions;
  for (int64_t i = 0; i < depth; ++i)
    positions.push_back(
        n.positions(e.squeeze(e.sliceDim(at, rank - 1, i, 1), rank - 1), e.size(x, batch + i)));
  n.result(e.gather(x, positions, batch, batch));
}

void tw::onnx::addGathers(Registry &r) {
  r.add("Gather", 1, {2, 2}, importGather);
  r.add("GatherElements", 11, {2, 2}, importGatherElements);
  r.add("GatherND", 11, {2, 2}, importGatherNd);
}
