// Contractions of narrow elements that dot instructions can compute, and along which axes.
#include "Dots.h"

#include "Accesses.h"

#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Whether each coordinate is an index or the only one of its dimension, and none is ever outside:
/// no windows, no padding.
static bool isPlain(LoadOp load) {
  view::MapAttr map = load.getMap();
  llvm::SmallBitVector seen(map.getMap().getNumDims());
  for (AffineExpr expr : map.getMap().getResults()) {
    if (expr == 0)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen[dim.getPosition()])
      return false;
    seen.set(dim.getPosition());
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
    if (!load || !isPlain(load))
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
