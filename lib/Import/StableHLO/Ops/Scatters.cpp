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

/// What is updated, and the updates; imaginary parts stand behind the others.
static std::pair<Values, Values> tensorsAndUpdates(OpImport &op) {
  size_t count = op.op.getNumResults();
  Values tensors, updates;
  for (size_t i = 0; i < op.count(); ++i)
    if (size_t whole = op.wholeOf(i); whole != count)
      (whole < count ? tensors : updates).push_back(op.operand(i));
  return {tensors, updates};
}

/// Updates of whole tensors, one after the other.
static std::optional<Values> combineWhole(OpImport &op, const Placed &placed, ShapeRef shape,
                                          Values tensors, Values updates) {
  Emitter &e = op.emit;
  int64_t count = importer::elementCount(placed.lanes);
  if (count > maxWholeUpdates) {
    op.unsupported("more than 64 updates of the whole operand", "a loop", "a reduction");
    return std::nullopt;
  }
  Shape each(shape.drop_front(placed.lanes.size())), flat(each);
  flat.insert(flat.begin(), count);
  for (Value &update : updates)
    update = e.reshape(update, flat);
  for (int64_t i = 0; i < count; ++i) {
    Values next = llvm::map_to_vector(
        updates, [&](Value all) { return e.reshape(e.sliceDim(all, 0, i, 1), each); });
    std::optional<Values> combined = op.combine(tensors, next);
    if (!combined)
      return std::nullopt;
    tensors = std::move(*combined);
  }
  return tensors;
}

/// The tensors with their updates, with the places of these before the dimensions of slices.
static std::optional<Values> combineScattered(OpImport &op, const Placed &placed, ShapeRef shape,
                                              Values tensors, Values updates) {
  Emitter &e = op.emit;
  Block &region = op.op.getRegion(0).front();
  unsigned count = op.op.getNumResults();
  auto gives = [&](unsigned first) {
    bool isGiven = region.back().getNumOperands() == count;
    for (unsigned i = 0; isGiven && i < count; ++i)
      isGiven = region.back().getOperand(i) == region.getArgument(first + i);
    return isGiven;
  };
  if (gives(0))
    return tensors;
  if (placed.indices.empty())
    return combineWhole(op, placed, shape, tensors, updates);
  std::optional<graph::CombineKind> kind =
      count == 1 ? findCombination(op.op.getRegion(0)) : std::nullopt;
  // Parts of complex numbers are added one by one, and combined in no other way.
  if (kind && *kind != graph::CombineKind::Add && tensors.size() > count)
    kind = std::nullopt;
  if (!kind && !gives(count)) {
    if (!op.integer("unique_indices", 0)) {
      op.unsupported("a region that is no sum, product, maximum or minimum",
                     "updates of one element one after the other",
                     "unique_indices, where no element has two updates");
      return std::nullopt;
    }
    Values there = llvm::map_to_vector(
        tensors, [&](Value tensor) { return e.gather(tensor, placed.indices, 0); });
    std::optional<Values> combined = op.combine(there, updates);
    if (!combined)
      return std::nullopt;
    updates = std::move(*combined);
  }
  for (auto [tensor, update] : llvm::zip(tensors, updates))
    tensor = e.scatter(tensor, update, placed.indices, 0, kind);
  return tensors;
}

static void importScatter(OpImport &op) {
  Emitter &e = op.emit;
  size_t count = op.op.getNumResults();
  if (!count || op.op.getNumOperands() != 2 * count + 1) {
    op.error(Code::T0104) << "expected tensors, indices and updates of each of them, found "
                          << op.op.getNumOperands() << " operands";
    return;
  }
  if (!op.hasRegions(1, 2 * count))
    return;
  auto [tensors, all] = tensorsAndUpdates(op);
  Value x = tensors.front(), starts = op.operand(count), updates = all.front();
  for (auto [tensor, update] : llvm::zip(tensors, all))
    if (Emitter::shape(tensor) != Emitter::shape(x) ||
        Emitter::shape(update) != Emitter::shape(updates)) {
      op.error(Code::T0111) << "expected tensors of one shape and updates of one, found "
                            << tensor.getType() << " and " << update.getType();
      return;
    }
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
  Shape order = placed.operandOrder(), shape(placed.lanes);
  for (int64_t dim : placed.whole)
    shape.push_back(Emitter::size(x, dim));
  for (Value &tensor : tensors)
    tensor = e.permute(tensor, order);
  for (Value &update : all)
    update = e.permute(update, inverse(placed.toResult));
  if (llvm::is_contained(tensors, Value()) || llvm::is_contained(all, Value()))
    return;
  if (Emitter::shape(all.front()) != ShapeRef(shape)) {
    op.error(Code::T0111) << "expected updates of the shape of slices and indices, found "
                          << updates.getType();
    return;
  }
  std::optional<Values> results = combineScattered(op, placed, shape, tensors, all);
  for (auto [i, value] : llvm::enumerate(results.value_or(Values())))
    op.resultOrPart(i, e.permute(value, inverse(order)));
}

static void importComplexScatter(OpImport &op) {
  op.appendParts();
  importScatter(op);
}

void tw::stablehlo::addScatters(Registry &registry) {
  registry.add("stablehlo.scatter", importScatter);
  registry.addComplex("stablehlo.scatter", importComplexScatter);
}
