// Windows: linear coordinates, and the span of each over the loops inside of the stage.
#include "StageWindow.h"

#include "Stage.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Strides.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

/// The dimension that a dot instruction's leaf cuts into groups, if no two points of that leaf are
/// beside each other in memory and every group begins at a multiple of its size.
static void findGroups(const Plan &plan, StagedValue &staged) {
  for (unsigned leaf : staged.leaves) {
    int64_t size = plan.leaves[leaf].extent;
    if (!plan.leaves[leaf].dot || size == 1)
      continue;
    std::optional<unsigned> found;
    for (auto [d, dim] : llvm::enumerate(staged.window)) {
      if (dim.coefficients[leaf] == 0)
        continue;
      bool isMultiple = dim.coefficients[leaf] == 1 && dim.constant % size == 0;
      for (auto [other, coefficient] : llvm::enumerate(dim.coefficients))
        isMultiple &= other == leaf || coefficient % size == 0;
      if (found || !isMultiple || d + 1 == staged.window.size())
        return;
      found = d;
    }
    staged.groupDim = found;
    staged.groupLeaf = leaf;
    return;
  }
}

LoadOp tw::schedule::getWindowLoad(Operation *op) {
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    op = extend.getIn().getDefiningOp();
  return dyn_cast_if_present<LoadOp>(op);
}

LogicalResult tw::schedule::findWindow(const Plan &plan, StagedValue &staged, std::string &why) {
  auto fail = [&](const Twine &reason) {
    why = ("stage '" + getValueName(staged.op).getValue() + "' window " + reason).str();
    return failure();
  };
  LoadOp load = getWindowLoad(staged.op);
  if (!load)
    return fail("copies a part of a tensor: the value must be a load, or what one is extended to");
  if (plan.warps)
    return fail("is for programs of one thread: leave 'window' out");
  if (llvm::any_of(plan.staged, [&](const StagedValue &s) { return s.global && s.op == load; }))
    return fail("extends what is packed at kernel global, which is no part of a tensor: leave one "
                "of them out");
  if (!load.getMap().getGuards().empty())
    return fail("has guards within its tensor: stage the value itself");
  SmallVector<AffineExpr> indices;
  for (Value index : load.getIndices()) {
    indices.push_back(
        getIndexExpr(index, [&](BlockArgument axis) { return plan.index[axis.getArgNumber()]; }));
    if (!indices.back())
      return fail("has an index that is no affine function of axes: stage the value itself");
  }
  for (AffineExpr result : load.getMap().getMap().getResults()) {
    SmallVector<int64_t> flat;
    AffineExpr coordinate = simplifyAffineExpr(result.replaceDims(indices), plan.leaves.size(), 0);
    if (failed(getFlattenedAffineExpr(coordinate, plan.leaves.size(), 0, &flat)) ||
        flat.size() != plan.leaves.size() + 1)
      return fail("has a coordinate with a division: stage the value itself");
    WindowDim dim;
    dim.constant = flat.pop_back_val();
    dim.coefficients = flat;
    for (unsigned leaf : staged.leaves) {
      int64_t reach;
      if (llvm::MulOverflow(flat[leaf], plan.leaves[leaf].extent - 1, reach) ||
          reach < -kMostElements || reach > kMostElements ||
          (dim.extent += std::abs(reach)) > kMostElements)
        return fail("reaches further along '" + plan.leaves[leaf].name.getValue() +
                    "' than memory does: stage the value itself");
      dim.least += std::min<int64_t>(0, reach);
    }
    staged.window.push_back(dim);
  }
  findGroups(plan, staged);
  return success();
}
