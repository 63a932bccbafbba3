// Scatters with all their dimension numbers: slices are combined with the operand where vectors of
// indices say; those that do not lie in it are left out.
#include "../Indexing.h"
#include "../Regions.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// Updates without an index, one after the other over the whole operand.
static constexpr int64_t maxWholeUpdates = 64;

static void importScatter(OpImport &op) {
  Emitter &e = op.emit;
  if (op.count() != 3)
    return op.unsupported(Twine(op.count() / 2) + " operands", "updates of several tensors at once",
                          "a scatter for each of them");
  if (!op.hasRegions(1, 2))
    return;
  Value x = op.operand(0), starts = op.operand(1), updates = op.operand(2);
  StringRef numbers = "scatter_dimension_numbers";
  Indexing at;
  at.window = op.field(numbers, "update_window_dims");
  at.dropped = op.field(numbers, "inserted_window_dims");
  at.batching = op.field(numbers, "input_batching_dims");
  at.indicesBatching = op.field(numbers, "scatter_indices_batching_dims");
  at.map = op.field(numbers, "scatter_dims_to_operand_dims");
  at.vectorDim = op.fieldInteger(numbers, "index_vector_dim", 0);
  if (op.failed() || !at.check(op, x, starts, Emitter::rank(updates)))
    return;
  Shape sizes(size_t(Emitter::rank(x)), 1);
  size_t next = 0;
  for (int64_t dim = 0; dim < Emitter::rank(x); ++dim) {
    if (at.isDropped(dim) || at.isBatching(dim))
      continue;
    sizes[dim] = Emitter::size(updates, at.window[next++]);
    if (sizes[dim] > Emitter::size(x, dim)) {
      op.error(Code::T0111) << "expected updates of at most " << Emitter::size(x, dim)
                            << " along dimension " << dim << ", found " << sizes[dim];
      return;
    }
  }
  Placed placed = at.place(op, x, starts, sizes, /*clamp=*/false);
  if (!placed.isGood)
    return;
  Shape order = placed.operandOrder(), all(placed.lanes);
  for (int64_t dim : placed.whole)
    all.push_back(Emitter::size(x, dim));
  Value moved = e.permute(x, order);
  updates = e.permute(updates, inverse(placed.toResult));
  if (!moved || !updates)
    return;
  if (Emitter::shape(updates) != ShapeRef(all)) {
    op.error(Code::T0111) << "expected updates of the shape of slices and indices, found "
                          << op.operand(2).getType();
    return;
  }
  Region &region = op.op.getRegion(0);
  std::optional<graph::CombineKind> kind = findCombination(region);
  bool isSet = findForwarded(region) == std::optional<unsigned>(1);
  auto giveBack = [&](Value result) { op.result(e.permute(result, inverse(order))); };
  if (findForwarded(region) == std::optional<unsigned>(0))
    return op.result(x);
  if (placed.indices.empty()) {
    int64_t count = importer::elementCount(placed.lanes);
    if (count > maxWholeUpdates)
      return op.unsupported("more than 64 updates of the whole operand", "a loop", "a reduction");
    Shape each(all.begin() + int64_t(placed.lanes.size()), all.end());
    Shape flat(each);
    flat.insert(flat.begin(), count);
    updates = e.reshape(updates, flat);
    for (int64_t i = 0; i < count && moved; ++i) {
      Value update = e.reshape(e.sliceDim(updates, 0, i, 1), each);
      std::optional<Values> combined = op.apply(0, {moved, update});
      moved = combined ? e.expand(combined->front(), each) : Value();
    }
    return giveBack(moved);
  }
  if (kind || isSet)
    return giveBack(e.scatter(moved, updates, placed.indices, 0, kind));
  if (!op.integer("unique_indices", 0))
    return op.unsupported("a region that is no sum, product, maximum or minimum",
                          "updates of one element one after the other",
                          "unique_indices, where no element has two updates");
  std::optional<Values> combined = op.apply(0, {e.gather(moved, placed.indices, 0), updates});
  if (combined)
    giveBack(e.scatter(moved, combined->front(), placed.indices, 0, std::nullopt));
}

void tw::stablehlo::addScatters(Registry &registry) {
  registry.add("stablehlo.scatter", importScatter);
}
