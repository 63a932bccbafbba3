// Memory of operands in runs of 16 bytes, and loads that are left to matrix units.
//
//   memref<128x64xbf16, strided<[72, 1]>>   ->   memref<8x128x8xbf16, strided<[1032, 8, 1]>>
//   (row, column)                           ->   (column floordiv 8, row, column mod 8)
#include "LocalOperands.h"

#include "RingBoxes.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// Elements of a run.
static int64_t getRunLength(MemRefType type) {
  return LocalOperand::runBytes * 8 / type.getElementTypeBitWidth();
}

/// The dimension of the tile that a coordinate of memory is.
static std::optional<unsigned> findTileDim(AffineExpr coordinate, unsigned rank) {
  auto dim = dyn_cast<AffineDimExpr>(coordinate);
  if (!dim || dim.getPosition() >= rank)
    return std::nullopt;
  return dim.getPosition();
}

/// Whether something between the two could change memory that the load reads.
static bool isInterrupted(tile::LoadOp load, tile::MmaOp op) {
  for (Operation *next = load->getNextNode(); next != op; next = next->getNextNode())
    if (!next || isa<tile::StoreOp, tile::BarrierOp>(next) || next->getNumRegions() != 0)
      return true;
  return false;
}

/// Whether the memory is written before the load alone: all loads behind it read the same.
static bool isSteady(tile::LoadOp load) {
  return llvm::all_of(load.getSource().getUsers(), [&](Operation *user) {
    return !isa<tile::StoreOp>(user) ||
           (user->getBlock() == load->getBlock() && user->isBeforeInBlock(load) &&
            !user->hasAttr(tile::asynchronousAttrName));
  });
}

static bool isLoadOf(tile::LoadOp load, tile::MmaOp op) {
  return load.getResult().hasOneUse() && load->getBlock() == op->getBlock() &&
         !isInterrupted(load, op);
}

std::string LocalOperands::check(tile::MmaOp op, Value operand, std::optional<unsigned> along) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  if (!load || !load.getSource().getDefiningOp<tile::AllocOp>())
    return "an operand is not in local memory";
  if (!isLoadOf(load, op) && !isSteady(load))
    return "an operand is not used by the product alone, behind the load";
  auto memory = cast<MemRefType>(load.getSource().getType());
  auto tile = cast<RankedTensorType>(operand.getType());
  unsigned rank = tile.getRank();
  ArrayRef<AffineExpr> results = load.getMap().getMap().getResults();
  bool isInside = load.getMap().getGuards().empty() && load.getInBounds() &&
                  llvm::all_of(*load.getInBounds(), [](bool inside) { return inside; });
  if (!isInside || results.size() < 2)
    return "an operand is masked where it is read";
  std::optional<unsigned> column = findTileDim(results.back(), rank),
                          row = findTileDim(results.drop_back().back(), rank);
  bool hasOthers = llvm::any_of(results.drop_back(2), [&](AffineExpr result) {
    return llvm::any_of(llvm::seq(rank), [&](unsigned d) { return result.isFunctionOfDim(d); });
  });
  if (!column || !row || *column == *row || hasOthers ||
      memory.getShape().back() != tile.getDimSize(*column) ||
      memory.getShape().back() % getRunLength(memory) != 0)
    return "an operand lies in local memory otherwise than in rows";
  if (along && *column != *along)
    return "an operand lies across the depth, and units of these elements read along it";
  return "";
}

void LocalOperands::add(OpOperand &operand, Components &components) {
  auto load = operand.get().getDefiningOp<tile::LoadOp>();
  if (!isLoadOf(load, cast<tile::MmaOp>(operand.getOwner()))) {
    tile::LoadOp all = load;
    OpBuilder builder(operand.getOwner());
    load = cast<tile::LoadOp>(builder.clone(*all));
    components.addCopy(load, all);
    operand.set(load);
    if (all->use_empty()) {
      components.remove(all);
      all->erase();
    }
  }
  AffineExpr column = load.getMap().getMap().getResults().back();
  load->setAttr(
      tile::inPlaceAttrName,
      Builder(load.getContext()).getI64IntegerAttr(cast<AffineDimExpr>(column).getPosition()));
  allocations.insert(load.getSource().getDefiningOp());
}

template <typename Op> static void accessPartsOf(Op op, int64_t width) {
  AffineMap own = op.getMap().getMap();
  SmallVector<AffineExpr> results(own.getResults());
  AffineExpr column = results.pop_back_val(), row = results.pop_back_val();
  results.append({column.floorDiv(width), row, column % width});
  op.setMapAttr(view::MapAttr::get(AffineMap::get(own.getNumDims(), 0, results, op.getContext()),
                                   op.getMap().getGuards(), op.getMap().getOutside()));
  if (!op.getInBounds())
    return;
  SmallVector<bool> inside(*op.getInBounds());
  bool isColumnInside = inside.pop_back_val(), isRowInside = inside.pop_back_val();
  inside.append({isColumnInside, isRowInside, true});
  op.setInBoundsAttr(Builder(op.getContext()).getDenseBoolArrayAttr(inside));
}

/// The type in runs, each so many rows behind the end of the one before.
static MemRefType makeRuns(MemRefType type, int64_t padding) {
  int64_t run = getRunLength(type), rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape.pop_back_val(), rows = shape.pop_back_val();
  shape.append({columns / run, rows, run});
  SmallVector<int64_t> strides(rank + 1, 1);
  strides[rank - 1] = run;
  strides[rank - 2] = (rows + padding) * run;
  for (int64_t d = rank - 2; d-- > 0;)
    strides[d] = strides[d + 1] * shape[d + 1];
  return MemRefType::get(shape, type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), 0, strides),
                         type.getMemorySpace());
}

/// Neighbouring threads write a row, run by run: each needs other banks than the ones before. Never
/// more than the memory had, which is what schedules count.
static void layInRuns(tile::AllocOp alloc) {
  constexpr int64_t together = 128 / LocalOperand::runBytes; // of all banks at once
  auto type = cast<MemRefType>(alloc.getMemory().getType());
  int64_t run = getRunLength(type), runs = type.getShape().back() / run;
  int64_t before = alloc.getNumElements();
  for (int64_t padding = runs > 1 ? std::max<int64_t>(1, together / runs) : 0;; padding /= 2) {
    alloc.getMemory().setType(makeRuns(type, padding));
    if (padding == 0 || alloc.getNumElements() <= before)
      break;
  }
  accessParts(alloc, run);
}

void tw::threads::accessParts(tile::AllocOp alloc, int64_t width) {
  for (Operation *user : alloc.getMemory().getUsers()) {
    if (auto load = dyn_cast<tile::LoadOp>(user))
      accessPartsOf(load, width);
    else
      accessPartsOf(cast<tile::StoreOp>(user), width);
  }
}

void LocalOperands::place(tile::FuncOp func, bool copiesBoxes) {
  RingBoxes boxes(func, allocations);
  llvm::SmallPtrSet<Operation *, 2> placed;
  if (copiesBoxes && !allocations.empty() && boxes.find())
    for (Operation *alloc : boxes.place())
      placed.insert(alloc);
  for (Operation *alloc : allocations)
    if (!placed.contains(alloc))
      layInRuns(cast<tile::AllocOp>(alloc));
}
