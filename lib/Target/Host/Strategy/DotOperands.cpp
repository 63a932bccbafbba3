// Contractions of narrow elements that dot instructions can compute, and along which axes.
#include "Dots.h"

#include "Accesses.h"

#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Whether the coordinate is axes as digits of a number, of a dimension that was taken apart: each
/// moves it as far as those below it have points.
static bool isNumber(KernelOp kernel, LoadOp load, AffineExpr coordinate) {
  SmallVector<std::pair<int64_t, int64_t>> digits; // how far, and how many points
  for (auto [position, index] : llvm::enumerate(load.getIndices())) {
    if (!isFunctionOfDim(coordinate, position))
      continue;
    auto axis = dyn_cast<BlockArgument>(index);
    std::optional<int64_t> distance =
        axis ? CoordinateStrides(ArrayRef<int64_t>(1), coordinate, load.getIndices()).get(axis)
             : std::nullopt;
    if (!distance)
      return false;
    digits.push_back({*distance, kernel.getExtents()[axis.getArgNumber()]});
  }
  llvm::sort(digits);
  int64_t points = 1;
  return llvm::all_of(digits, [&](const auto &digit) {
    bool follows = digit.first == points;
    points *= digit.second;
    return follows;
  });
}

/// Whether each coordinate is an index or the digits of one, which no other dimension has, and none
/// is ever outside: no windows, no padding.
static bool isPlain(KernelOp kernel, LoadOp load) {
  view::MapAttr map = load.getMap();
  llvm::SmallBitVector seen(map.getMap().getNumDims());
  for (AffineExpr expr : map.getMap().getResults()) {
    for (unsigned position = 0; position < seen.size(); ++position) {
      if (!isFunctionOfDim(expr, position))
        continue;
      if (seen[position])
        return false;
      seen.set(position);
    }
    if (expr != 0 && !isa<AffineDimExpr>(expr) && !isNumber(kernel, load, expr))
      return false;
  }
  return map.getGuards().empty() && !map.getOutside();
}

std::optional<int64_t> DotOperands::strideOf(LoadOp load, unsigned axis) {
  return getUsualStride(load, kernel.getAxis(axis));
}

bool DotOperands::isStoredAlong(unsigned axis) {
  return llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
    return getUsualStride(store, kernel.getAxis(axis)) == 1;
  });
}

bool DotOperands::match() {
  if (!product.match() || kernel->getNumResults() != 1)
    return false;
  groupSize = getGroupSize(product.contract, traits);
  if (groupSize == 1)
    return false;
  for (auto [load, operand] : llvm::zip(loads, product.contract.getOperands())) {
    load = operand.getDefiningOp<LoadOp>();
    if (!load || !isPlain(kernel, load))
      return false;
  }
  if (loads[0] == loads[1])
    return false;
  others = product.sets.points(product.stored);
  for (unsigned i : {0, 1}) {
    areConstant[i] = readsConstant(kernel, loads[i]);
    llvm::SmallBitVector own = product.ownAxes(loads[i].getResult(), loads[!i].getResult());
    auto rank = [&](unsigned axis) { return std::pair(isStoredAlong(axis), extent(axis)); };
    for (unsigned axis : own.set_bits())
      if (!ownAxes[i] || rank(axis) > rank(*ownAxes[i]))
        ownAxes[i] = axis;
    if (ownAxes[i])
      others /= extent(*ownAxes[i]);
  }
  return true;
}

std::optional<unsigned> DotOperands::findGroup(LoadOp rowLoad, LoadOp columnLoad) {
  std::optional<unsigned> best;
  auto rank = [&](unsigned axis) {
    return std::tuple(strideOf(rowLoad, axis) == 1, strideOf(columnLoad, axis) == 1, extent(axis));
  };
  for (unsigned axis : product.reduced.set_bits())
    if (product.sets.of(rowLoad.getResult())[axis] &&
        product.sets.of(columnLoad.getResult())[axis] && extent(axis) >= groupSize &&
        (!best || rank(axis) > rank(*best)))
      best = axis;
  return best;
}
