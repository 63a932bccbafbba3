// Boxes: windows of computed values, whose buffers have a dimension for a sum of axes.
#include "StageWindow.h"

#include "Stage.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/AxisSums.h"
#include "tw/Schedule/LoopTree.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Makes the dimensions of one box.
class BoxBuilder {
public:
  BoxBuilder(KernelOp kernel, const AxisSets &sets, Plan &plan, StagedValue &staged)
      : kernel(kernel), plan(plan), staged(staged), sums(findAxisSums(kernel, sets, staged.op)) {
    // Only sums of which several axes have parts inside of the stage are dimensions.
    llvm::erase_if(sums, [&](const AxisSum &sum) {
      return llvm::count_if(sum.terms, [&](const AxisSum::Term &term) {
               return llvm::any_of(staged.leaves, [&](unsigned leaf) {
                 return plan.leaves[leaf].axis == term.axis;
               });
             }) < 2;
    });
  }

  /// What stands against it, or nothing.
  std::string build(const AxisSets &sets) {
    if (sums.empty())
      return "has no sums of axes that it is a function of there, as 2 * h + r: leave 'window' out";
    for (const StagedValue &other : plan.staged)
      if (&other != &staged && isComputedFrom(staged.op->getResult(0), other.op->getResult(0)) &&
          llvm::any_of(sums, [&](const AxisSum &sum) {
            return llvm::any_of(sum.terms, [&](const AxisSum::Term &term) {
              return sets.of(other.op->getResult(0))[term.axis];
            });
          }))
        return "is computed from '" + getValueName(other.op).getValue().str() +
               "', whose buffer is another one at each point of the window: stage one of them";
    SmallVector<unsigned> leaves = staged.leaves;
    staged.filled.clear();
    for (auto [i, leaf] : llvm::enumerate(leaves)) {
      const AxisSum *sum = findSum(leaf);
      if (!sum) {
        addLeaf(leaf);
        continue;
      }
      staged.pinned.push_back(leaf);
      // Where the last of its leaves stands.
      bool isLast = llvm::none_of(ArrayRef(leaves).drop_front(i + 1),
                                  [&](unsigned later) { return findSum(later) == sum; });
      if (!isLast)
        continue;
      if (std::string why = addSum(*sum); !why.empty())
        return why;
    }
    for (auto [i, leaf] : llvm::enumerate(staged.filled))
      if (plan.leaves[leaf].role == Role::Fill)
        plan.leaves[leaf].chunk = getChunk(leaf, i + 1 == staged.filled.size());
    return "";
  }

private:
  const AxisSum *findSum(unsigned leaf) const {
    auto *it = llvm::find_if(
        sums, [&](const AxisSum &sum) { return sum.contains(plan.leaves[leaf].axis); });
    return it == sums.end() ? nullptr : it;
  }

  void addLeaf(unsigned leaf) {
    WindowDim dim;
    dim.coefficients.resize(plan.leaves.size());
    dim.coefficients[leaf] = 1;
    dim.extent = plan.leaves[leaf].extent;
    staged.window.push_back(dim);
    staged.filled.push_back(leaf);
  }

  /// A dimension of the sum, and a leaf to fill it along: of the axis whose factor is one.
  std::string addSum(const AxisSum &sum) {
    auto nameOf = [&](unsigned axis) { return "'" + kernel.getAxisName(axis).str() + "'"; };
    const AxisSum::Term *along = nullptr;
    WindowDim dim;
    dim.coefficients.resize(plan.leaves.size());
    for (const AxisSum::Term &term : sum.terms) {
      if (term.factor < 0)
        return "runs backwards along " + nameOf(term.axis) + ": stage the value itself";
      if (kernel.isSymbolic(term.axis))
        return "moves along " + nameOf(term.axis) +
               ", whose size a call settles: stage the value itself";
      if (term.factor == 1)
        along = &term;
      for (unsigned leaf : staged.leaves) {
        if (plan.leaves[leaf].axis != term.axis)
          continue;
        int64_t step, reach;
        if (llvm::MulOverflow(term.factor, plan.leaves[leaf].stride, step) ||
            llvm::MulOverflow(step, plan.leaves[leaf].extent - 1, reach) ||
            (dim.extent += reach) > kMostElements)
          return "reaches further along " + nameOf(term.axis) + " than memory does";
        dim.coefficients[leaf] = step;
      }
    }
    if (!along)
      return "moves by more than one along each axis of a sum with " +
             nameOf(sum.terms.front().axis) + ": stage the value itself";
    LeafAxis leaf;
    leaf.name = StringAttr::get(kernel.getContext(), kernel.getAxisName(along->axis) + "_box");
    leaf.extent = dim.extent;
    leaf.axis = along->axis;
    leaf.role = Role::Fill;
    staged.window.push_back(dim);
    staged.filled.push_back(plan.leaves.size());
    plan.leaves.push_back(leaf);
    return "";
  }

  /// Points of a leaf that a tile of the filling takes: as many as the kernel's tile has of an axis
  /// of the sum, or whole vectors, along the last dimension; single rows of others.
  int64_t getChunk(unsigned leaf, bool isLast) const {
    int64_t chunk = isLast ? kFillLanes : 1;
    const AxisSum *sum = findSum(leaf);
    for (unsigned other : plan.tile)
      if (plan.leaves[other].extent > 1 && sum->contains(plan.leaves[other].axis))
        chunk = plan.leaves[other].extent;
    return std::min(chunk, plan.leaves[leaf].extent);
  }

  KernelOp kernel;
  Plan &plan;
  StagedValue &staged;
  SmallVector<AxisSum> sums;
};

} // namespace

AffineExpr tw::schedule::getIndex(const Plan &plan, unsigned axis, const StagedValue *filling) {
  AffineExpr index = plan.index[axis];
  if (filling && filling->isBox)
    for (unsigned leaf : filling->filled)
      if (plan.leaves[leaf].role == Role::Fill && plan.leaves[leaf].axis == axis)
        index = index + getAffineDimExpr(leaf, index.getContext());
  return index;
}

LogicalResult tw::schedule::findBox(KernelOp kernel, const AxisSets &sets, Plan &plan,
                                    StagedValue &staged, std::string &why) {
  std::string reason = BoxBuilder(kernel, sets, plan, staged).build(sets);
  if (!reason.empty())
    why = "stage '" + getValueName(staged.op).getValue().str() + "' window " + reason;
  return failure(!reason.empty());
}
