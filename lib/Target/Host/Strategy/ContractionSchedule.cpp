// The schedule of a product whose tiles, panels and blocks are chosen.
#include "Contraction.h"

#include "Accesses.h"
#include "ListBuilder.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

bool Contraction::stagesSums(const Choice &choice) {
  constexpr double kUnrolled = 512;
  // The tiles of a smaller last block, and a smaller last tile, are code of their own.
  int64_t m = extent(choice.rowAxis), tiles = m / choice.rows;
  int64_t rows =
      (1 + (tiles > choice.block && tiles % choice.block != 0)) * choice.rows + m % choice.rows;
  return choice.rowAxis != choice.laneAxis && !choice.besideAxis && choice.rows > 1 &&
         choice.depth == extent(getDeepest()) && isStoredAlong(choice.laneAxis) &&
         choice.lanes == traits.lanes &&
         rows * choice.vectors * registersPerVector() * epilogueOps > kUnrolled;
}

bool Contraction::canKeepInResult(unsigned laneAxis) {
  return isStoredAlong(laneAxis) &&
         llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
           return store.getValue().getType() == contract.getType();
         });
}

void Contraction::stage(ListBuilder &list, const Choice &choice, const Operand &operand,
                        StringRef name, ArrayRef<StringAttr> parts, ArrayRef<StringAttr> depthParts,
                        int64_t passes, bool global, bool isNarrow) {
  Operation *value = isNarrow ? LoadOp(operand.load).getOperation() : operand.op;
  const llvm::SmallBitVector &axes = sets.of(operand.op->getResult(0));
  unsigned deepest = getDeepest();
  SmallVector<StringAttr> dims;
  if (global)
    for (unsigned axis : axes.set_bits())
      if (stored[axis] && axis != choice.laneAxis && axis != choice.rowAxis &&
          axis != choice.besideAxis)
        dims.push_back(list.name(axis));
  llvm::append_range(dims, parts.drop_back());
  bool isSplit = depthParts.size() > 1 && axes[deepest];
  if (global && isSplit)
    dims.push_back(depthParts.front());
  for (unsigned axis : reduced.set_bits())
    if (axes[axis])
      dims.push_back(axis == deepest ? depthParts.back() : list.name(axis));
  dims.push_back(parts.back());
  if (choice.besideAxis && axes[*choice.besideAxis])
    dims.push_back(list.name(*choice.besideAxis));
  list.stage(value, name, dims, global, /*window=*/false,
             !global && isSplit ? depthParts.front() : StringAttr());
  if (int64_t ahead = getFetchedAhead(value, operand.load, passes, traits); ahead && global)
    list.prefetch(value, ahead);
}

ScheduleAttr Contraction::emit(const Choice &choice) {
  bool hasRows = choice.rowAxis != choice.laneAxis;
  ListBuilder list(kernel);
  SmallVector<StringAttr> rowParts, laneParts;
  SmallVector<std::pair<StringRef, int64_t>> inner;
  if (hasRows) {
    if (choice.block > 1)
      inner.push_back({"_b", choice.block});
    inner.push_back({"_r", choice.rows});
    rowParts = list.divide(choice.rowAxis, inner);
  }
  bool halves = choice.lanes != traits.lanes;
  int64_t lanes = choice.vectors * choice.lanes;
  int64_t laneTiles = llvm::divideCeil(extent(choice.laneAxis), lanes);
  inner.clear();
  if (int64_t each = llvm::divideCeil(laneTiles, choice.groups) / choice.panels;
      choice.groups > 1 && each > 1)
    inner.push_back({"_b", each});
  if (choice.panels > 1)
    inner.push_back({"_p", choice.panels});
  inner.push_back({"_l", halves ? choice.lanes : std::min(lanes, extent(choice.laneAxis))});
  laneParts = list.divide(choice.laneAxis, inner, halves ? EdgeMode::Mask : EdgeMode::Peel);

  for (unsigned axis : stored.set_bits())
    if (axis != choice.laneAxis && axis != choice.besideAxis &&
        (!hasRows || axis != choice.rowAxis))
      list.grid.push_back(list.name(axis));
  bool lanesInGrid = choice.groups > 1 && laneParts.size() > 1;
  if (lanesInGrid)
    list.grid.push_back(laneParts.front());
  if (rowParts.size() > 1)
    list.grid.push_back(rowParts.front());
  if (!halves)
    llvm::append_range(
        list.order, ArrayRef(laneParts).drop_back(1 + (choice.panels > 1)).drop_front(lanesInGrid));
  llvm::append_range(
      list.order, ArrayRef(rowParts).drop_front(rowParts.size() > 1).drop_back(!rowParts.empty()));
  unsigned deepest = getDeepest();
  SmallVector<StringAttr> depthParts{list.name(deepest)};
  if (choice.depth < extent(deepest)) {
    depthParts = list.divide(deepest, {{"_i", choice.depth}});
    list.order.insert(list.order.begin(), depthParts.front());
  }
  // Sums that wait in local memory are read row by row: the loop over rows is not the sum's.
  StringAttr sumLoop = list.order.empty() ? StringAttr() : list.order.back();
  bool staged = stagesSums(choice);
  if (hasRows)
    (staged ? list.order : list.tile).push_back(rowParts.back());
  for (unsigned axis : reduced.set_bits())
    list.order.push_back(axis == deepest ? depthParts.back() : list.name(axis));
  if (choice.besideAxis)
    list.tile.push_back(list.name(*choice.besideAxis));
  llvm::append_range(list.tile, ArrayRef(laneParts).take_back(halves || choice.panels > 1 ? 2 : 1));

  int64_t lanePasses = llvm::divideCeil(laneTiles, choice.groups);
  if (choice.packVector)
    stage(list, choice, *choice.vector, "vectors", laneParts, depthParts, choice.block,
          /*global=*/true, choice.packNarrow);
  if (choice.packScalar && choice.scalar->isConstant)
    stage(list, choice, *choice.scalar, "scalars", rowParts, depthParts, lanePasses,
          /*global=*/true);
  else if (choice.packScalar)
    stage(list, choice, *choice.scalar, "scalars",
          ArrayRef(rowParts).drop_front(rowParts.size() > 1), depthParts, lanePasses,
          /*global=*/false);
  if (staged)
    list.stage(contract, "sum", {rowParts.back(), laneParts.back()}, /*global=*/false,
               /*window=*/false, sumLoop);
  if (depthParts.size() > 1)
    list.keep(contract, canKeepInResult(choice.laneAxis) ? KeepPlace::Result : KeepPlace::Local,
              "sum");
  else if (isStoredAlong(choice.laneAxis))
    for (StreamAttr stream : findStreamedResults(kernel, traits))
      list.stream(stream);
  if (depthParts.size() == 1 && !staged && fetchNextTile(list, choice))
    streamLeaving(list, choice);
  return list.finish();
}

void Contraction::streamLeaving(ListBuilder &list, const Choice &choice) {
  auto leaving = kernel->getAttrOfType<DenseI64ArrayAttr>(leavingAttrName);
  if (!leaving || !isStoredAlong(choice.laneAxis) || !findStreamedResults(kernel, traits).empty())
    return;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    int64_t number = store.getResultNumber();
    int64_t bytes = store.getValue().getType().getIntOrFloatBitWidth() / 8;
    std::optional<int64_t> row = getUsualStride(store, kernel.getAxis(choice.rowAxis));
    // Lines that are whole in each tile.
    if (llvm::is_contained(leaving.asArrayRef(), number) && row &&
        *row * bytes % traits.lineBytes == 0 &&
        choice.vectors * choice.lanes * bytes % traits.lineBytes == 0)
      list.stream(
          StreamAttr::get(kernel.getContext(), number, isSettled(kernel) ? kLeavingBytes : 0));
  }
}

bool Contraction::fetchNextTile(ListBuilder &list, const Choice &choice) {
  constexpr int64_t kLeastSteps = 32;
  if (choice.rowAxis == choice.laneAxis || sets.points(reduced) < kLeastSteps)
    return false;
  bool fetches = false;
  for (auto load : kernel.getBody().getOps<LoadOp>()) {
    auto type = cast<RankedTensorType>(load.getSource().getType());
    auto strideAlong = [&](unsigned axis) {
      return getStride(type, load.getMap().getMap(), load.getIndices(), kernel.getAxis(axis));
    };
    std::optional<int64_t> row = strideAlong(choice.rowAxis);
    double bytes = double(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
    if (sets.of(load.getResult()) == stored && !isComputedFrom(contract, load.getResult()) &&
        strideAlong(choice.laneAxis) == 1 && row && *row > 0 && bytes >= double(traits.l2Bytes)) {
      list.prefetch(load, *row * choice.rows);
      fetches = true;
    }
  }
  return fetches;
}
