// Gathers with all their dimension numbers: slices that begin where vectors of indices say, moved
// into the operand.
#include "../Indexing.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

static void importGather(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), starts = op.operand(1);
  StringRef numbers = "dimension_numbers";
  Indexing at;
  at.window = op.field(numbers, "offset_dims");
  at.dropped = op.field(numbers, "collapsed_slice_dims");
  at.batching = op.field(numbers, "operand_batching_dims");
  at.indicesBatching = op.field(numbers, "start_indices_batching_dims");
  at.map = op.field(numbers, "start_index_map");
  at.vectorDim = op.fieldInteger(numbers, "index_vector_dim", 0);
  Shape sizes = op.integers("slice_sizes", size_t(Emitter::rank(x)), 1);
  if (op.failed() || !at.check(op, x, starts, op.resultType().getRank()))
    return;
  for (int64_t dim = 0; dim < Emitter::rank(x); ++dim) {
    bool isOne = at.isDropped(dim) || at.isBatching(dim);
    int64_t most = isOne ? std::min<int64_t>(Emitter::size(x, dim), 1) : Emitter::size(x, dim);
    if (sizes[dim] < 0 || sizes[dim] > most) {
      op.error(Code::T0108) << "expected a slice of at most " << most << " along dimension " << dim
                            << ", found " << sizes[dim];
      return;
    }
  }
  Placed placed = at.place(op, x, starts, sizes, /*clamp=*/true);
  if (!placed.isGood)
    return;
  Value moved = e.permute(x, placed.operandOrder());
  Shape all(placed.lanes);
  for (int64_t dim : placed.whole)
    all.push_back(Emitter::size(x, dim));
  Value taken = placed.indices.empty() ? e.expand(moved, all) : e.gather(moved, placed.indices, 0);
  op.result(e.permute(taken, placed.toResult));
}

static void importDynamicGather(OpImport &op) {
  op.readFrom("slice_sizes", 2);
  importGather(op);
}

/// Whole rows along `dim`, of which the indices of a batch take those of theirs.
static void importIndexSelect(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), indices = op.operand(1);
  int64_t rank = Emitter::rank(x), batch = op.integer("batch_dims", 0), dim = op.integer("dim");
  if (op.failed())
    return;
  if (dim < 0 || dim >= rank || batch < 0 || batch > std::min(dim, Emitter::rank(indices))) {
    op.error(Code::T0108) << "expected a dimension below " << rank
                          << " behind those of the batch, found " << dim << " and " << batch;
    return;
  }
  op.result(e.gather(x, {indices}, dim, batch));
}

void tw::stablehlo::addGathers(Registry &registry) {
  registry.add("stablehlo.dynamic_gather", importDynamicGather);
  registry.add("stablehlo.torch_index_select", importIndexSelect);
  registry.add("stablehlo.gather", importGather);
}
