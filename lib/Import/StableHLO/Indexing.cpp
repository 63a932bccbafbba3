// Makes indices of dimension numbers.
#include "Indexing.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

Shape tw::stablehlo::inverse(ShapeRef permutation) {
  Shape order(permutation.size(), 0);
  for (auto [i, dim] : llvm::enumerate(permutation))
    order[dim] = int64_t(i);
  return order;
}

bool Indexing::check(OpImport &op, Value x, Value starts, int64_t rank) const {
  int64_t operandRank = Emitter::rank(x), indicesRank = Emitter::rank(starts);
  Shape gone(dropped);
  gone.append(batching);
  if (!op.areDims(gone, operandRank, "dimensions without a place in slices") ||
      !op.areDims(map, operandRank, "dimensions of index vectors") ||
      !op.areDims(indicesBatching, indicesRank, "batching dimensions of the indices") ||
      !op.areDims(window, rank, "dimensions of slices"))
    return false;
  int64_t length = vectorDim == indicesRank ? 1 : Emitter::size(starts, vectorDim);
  bool fits = vectorDim >= 0 && vectorDim <= indicesRank && length == int64_t(map.size()) &&
              batching.size() == indicesBatching.size() && llvm::is_sorted(window) &&
              !llvm::is_contained(indicesBatching, vectorDim) &&
              int64_t(window.size() + gone.size()) == operandRank &&
              rank == int64_t(window.size()) + indicesRank - (vectorDim < indicesRank ? 1 : 0);
  if (!fits)
    op.error(Code::T0108) << "the dimension numbers do not fit the operand " << x.getType()
                          << ", the indices " << starts.getType() << " and rank " << rank;
  else if (!isa<IntegerType>(Emitter::element(starts)))
    op.error(Code::T0107) << "expected integers as indices, found " << starts.getType();
  else
    return true;
  return false;
}

Placed Indexing::place(OpImport &op, Value x, Value starts, ShapeRef sizes, bool clamp) const {
  using P = graph::ComparePredicate;
  Emitter &e = op.emit;
  Placed placed;
  int64_t rank = Emitter::rank(x);
  // Index vectors along the last dimension.
  if (vectorDim == Emitter::rank(starts)) {
    starts = e.unsqueeze(starts, vectorDim);
  } else {
    Shape order = importer::indices(Emitter::rank(starts));
    order.erase(order.begin() + vectorDim);
    order.push_back(vectorDim);
    starts = e.permute(starts, order);
  }
  if (!starts)
    return placed;
  if (!Emitter::element(starts).isSignlessInteger(32))
    starts = e.cast(starts, e.i64());
  Shape batch(Emitter::shape(starts));
  batch.pop_back();
  int64_t vectors = int64_t(batch.size());
  placed.lanes = batch;
  Shape kept, slices; // dimensions in slices, and the natural ones of those with an index
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isKept = !isDropped(dim) && !isBatching(dim);
    bool isWhole =
        isKept && sizes[dim] == Emitter::size(x, dim) && (clamp || !llvm::is_contained(map, dim));
    (isWhole ? placed.whole : placed.indexed).push_back(dim);
    if (isKept)
      kept.push_back(dim);
    if (isKept && !isWhole)
      placed.lanes.push_back(sizes[dim]);
  }
  int64_t nextSlice = vectors, nextWhole = int64_t(placed.lanes.size()), nextVector = 0;
  Shape natural(kept.size(), 0);
  for (auto [i, dim] : llvm::enumerate(kept))
    natural[i] = llvm::is_contained(placed.whole, dim) ? nextWhole++ : nextSlice++;
  for (int64_t i = 0; i < vectors + int64_t(kept.size()); ++i) {
    auto found = llvm::find(window, i);
    placed.toResult.push_back(found == window.end() ? nextVector++
                                                    : natural[size_t(found - window.begin())]);
  }
  // In front of the slices' dimensions.
  Shape lifted(batch);
  lifted.resize(placed.lanes.size(), 1);
  Type element = Emitter::element(starts);
  Value isInside;
  nextSlice = vectors;
  for (int64_t dim : placed.indexed) {
    int64_t last = Emitter::size(x, dim) - sizes[dim];
    Value index;
    if (auto found = llvm::find(map, dim); found != map.end()) {
      Value start = e.reshape(e.sliceDim(starts, vectors, found - map.begin(), 1), lifted);
      int64_t limit = element.isSignlessInteger(32) ? std::min<int64_t>(last, INT32_MAX) : last;
      if (clamp) {
        index = e.clamp(start, 0.0, double(std::max<int64_t>(limit, 0)));
      } else {
        Value fits = e.binary<graph::AndOp>(e.compare(P::Ge, start, 0.0),
                                            e.compare(P::Le, start, double(limit)));
        isInside = isInside ? e.binary<graph::AndOp>(isInside, fits) : fits;
        index = start;
      }
    } else if (auto found = llvm::find(batching, dim); found != batching.end()) {
      int64_t along = indicesBatching[size_t(found - batching.begin())];
      Shape shape(lifted);
      index = e.iota(shape, along > vectorDim ? along - 1 : along, element);
    } else {
      index = e.splat({}, element, 0);
    }
    if (!isDropped(dim) && !isBatching(dim)) {
      Value places =
          e.along(e.iota({sizes[dim]}, 0, element), nextSlice++, int64_t(placed.lanes.size()));
      index = e.add(index, places);
    }
    index = e.expand(index, placed.lanes);
    if (!index)
      return placed;
    placed.indices.push_back(index);
  }
  if (isInside) {
    Value &first = placed.indices.front();
    first = e.select(e.expand(isInside, placed.lanes), first, e.splat({}, element, -1));
    if (!first)
      return placed;
  }
  placed.isGood = true;
  return placed;
}
