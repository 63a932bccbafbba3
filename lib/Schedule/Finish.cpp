// Checks where loops run, and lets each kind of primitive complete the plan.
#include "Finish.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// The order of loops against what the kernel computes along them.
class NestChecker {
public:
  NestChecker(KernelOp kernel, const Plan &plan, std::string &why)
      : kernel(kernel), plan(plan), why(why) {}

  /// A reduced loop stays inside every loop of its result, or partial results would need memory; a
  /// scan is a loop, the innermost of its result.
  LogicalResult check() {
    AxisSets sets(kernel);
    for (Operation &op : kernel.getBody().front()) {
      if (isa<StoreOp>(op)) {
        if (failed(checkStoreOrder(sets.orderedBy(&op))))
          return failure();
        continue;
      }
      llvm::SmallBitVector reduced = sets.reducedBy(&op) |= sets.orderedBy(&op);
      if (reduced.none())
        continue;
      llvm::SmallBitVector kept = sets.of(op.getResult(0));
      bool inside = false;
      for (unsigned leaf : plan.loops) {
        unsigned axis = plan.leaves[leaf].axis;
        // In programs of threads a loop of one iteration leaves nothing partial.
        if (reduced[axis] && (plan.leaves[leaf].extent > 1 || !plan.warps))
          inside = !canKeepPartials(&op);
        else if (!reduced[axis] && kept[axis] && inside && plan.leaves[leaf].extent > 1)
          return fail(
              "order puts loop '" + plan.leaves[leaf].name.getValue() +
              "' inside a reduced axis of a result that keeps it: its partial results would need "
              "memory; order it before, put it in grid or tile, or keep the result");
      }
      if (isa<ScanOp>(op))
        for (unsigned leaf : plan.grid)
          if (reduced[plan.leaves[leaf].axis] && plan.leaves[leaf].extent > 1)
            return fail("scan runs along '" + plan.leaves[leaf].name.getValue() +
                        "', which must be a loop or in tile");
      if (isa<ScanOp>(op) && failed(checkScanOrder(reduced)))
        return failure();
      if (auto scan = dyn_cast<ScanOp>(op); scan && !scan.getKind())
        for (unsigned leaf : plan.tile)
          if (reduced[plan.leaves[leaf].axis] && plan.leaves[leaf].extent > 1)
            return fail("scan by a region runs along '" + plan.leaves[leaf].name.getValue() +
                        "' in order: order it, in place of tile");
    }
    return success();
  }

  /// The parts of a scanned axis run as they were split, at most one of them in the tile.
  LogicalResult checkScanOrder(const llvm::SmallBitVector &scanned) {
    std::optional<unsigned> before;
    for (unsigned leaf : llvm::concat<const unsigned>(plan.loops, plan.tile)) {
      if (!scanned[plan.leaves[leaf].axis] || plan.leaves[leaf].extent == 1)
        continue;
      if (before && plan.leaves[*before].stride < plan.leaves[leaf].stride)
        return fail("scan runs along '" + plan.leaves[leaf].name.getValue() + "' inside of '" +
                    plan.leaves[*before].name.getValue() +
                    "', which is another part of it: order them as they were split");
      if (before && plan.leaves[*before].role == Role::Tile)
        return fail("scan runs along '" + plan.leaves[*before].name.getValue() + "' and '" +
                    plan.leaves[leaf].name.getValue() +
                    "', both in tile: leave the outer one a loop");
      before = leaf;
    }
    // Nothing runs along a tile of one point.
    bool isLoop =
        llvm::any_of(plan.loops, [&](unsigned leaf) { return scanned[plan.leaves[leaf].axis]; });
    if (!before && !isLoop)
      return fail("scan runs along one point, whose axis must be a loop");
    return success();
  }

  /// Points that come to one element do so in the order of the axes, each in a turn of its own.
  LogicalResult checkStoreOrder(const llvm::SmallBitVector &ordered) {
    std::optional<unsigned> before;
    for (unsigned leaf : llvm::concat<const unsigned>(plan.grid, plan.loops, plan.tile)) {
      const LeafAxis &own = plan.leaves[leaf];
      if (!ordered[own.axis] || own.extent == 1)
        continue;
      if (own.role == Role::Grid || own.role == Role::Tile)
        return fail("'" + own.name.getValue() +
                    "' has points that a store brings to one element in their order: leave it a "
                    "loop");
      if (before && std::pair(plan.leaves[*before].axis, -plan.leaves[*before].stride) >
                        std::pair(own.axis, -own.stride))
        return fail("a store comes to one element in the order of its axes, '" +
                    own.name.getValue() + "' before '" + plan.leaves[*before].name.getValue() +
                    "': order them so");
      before = leaf;
    }
    return success();
  }

  bool canKeepPartials(Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    StringAttr name = getValueName(op);
    if (!name || plan.warps || !(isa<ContractOp>(op) || (reduce && reduce.getKind())))
      return false;
    auto it = plan.keep.find(name.getValue());
    return it != plan.keep.end() &&
           (it->second == KeepPlace::Result || it->second == KeepPlace::Local);
  }

  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  KernelOp kernel;
  const Plan &plan;
  std::string &why;
};

} // namespace

/// Whether what fills the buffer has the leaf in its tiles.
static bool isInTileOf(const Plan &plan, const StagedValue &staged, unsigned leaf) {
  if (staged.isContracted)
    return llvm::is_contained(getContractedTile(plan, staged), leaf) ||
           staged.summedLanes == leaf || llvm::is_contained(staged.summedLoops, leaf);
  return staged.filled.back() == leaf || staged.readLeaf == leaf;
}

/// Whether a window that is copied knows where it lies: a size that a call settles is that of the
/// first dimension alone, of which it has one index, a point of an axis of that size.
static bool hasKnownPlace(const StagedValue &staged, const Plan &plan) {
  auto tensor = cast<RankedTensorType>(getWindowLoad(staged.op).getSource().getType());
  auto kernel = staged.op->getParentOfType<KernelOp>();
  SmallVector<Dim, 4> sizes = view::getSizes(tensor);
  if (view::hasRoom(tensor) ||
      !llvm::all_of(llvm::drop_begin(sizes), [](const Dim &size) { return size.isStatic(); }))
    return false;
  const WindowDim &first = staged.window.front();
  bool isFound = false;
  for (auto [leaf, coefficient] : llvm::zip(plan.leaves, first.coefficients)) {
    if (coefficient == 0)
      continue;
    if (isFound || coefficient != 1 || !leaf.symbolic || leaf.stride != 1 ||
        kernel.getSize(leaf.axis) != sizes.front())
      return false;
    isFound = true;
  }
  return isFound && first.extent == 1 && first.constant + first.least == 0;
}

/// What needs the number of points of a leaf has none where a call settles it.
static LogicalResult checkSymbolic(const Plan &plan, std::string &why) {
  auto fail = [&](StringRef use, unsigned leaf, StringRef advice) {
    why = (use + " '" + plan.leaves[leaf].name.getValue() +
           "' has as many points as a call settles: " + advice)
              .str();
    return failure();
  };
  for (auto [i, leaf] : llvm::enumerate(plan.leaves)) {
    if (!leaf.symbolic || leaf.extent <= 1)
      continue;
    if (leaf.role == Role::Tile)
      return fail("tile", i, "split it and tile the inner part");
    if (leaf.unroll == 0)
      return fail("unroll", i, "unroll it by a number");
    if (llvm::is_contained(plan.team, i))
      return fail("team", i, "share another axis");
    for (const StagedValue &staged : plan.staged)
      if (llvm::is_contained(staged.leaves, i) &&
          (plan.warps || staged.global || !plan.team.empty() || isInTileOf(plan, staged, i)))
        return fail("stage along", i, "stage at a loop inside of it");
  }
  for (const StagedValue &staged : plan.staged)
    if (staged.isWindow && !staged.isBox &&
        view::hasSymbols(getWindowLoad(staged.op).getSource().getType()) &&
        !hasKnownPlace(staged, plan)) {
      why =
          "a window is staged of a tensor whose size a call settles along more than the outermost "
          "dimension, or of several indices of that: leave 'window' out";
      return failure();
    }
  return success();
}

LogicalResult tw::schedule::finishPlan(KernelOp kernel, Plan &plan, std::string &why) {
  if (failed(NestChecker(kernel, plan, why).check()))
    return failure();
  return failure(llvm::any_of(getPrimitives(),
                              [&](const Primitive *kind) {
                                return failed(kind->finish(kernel, plan, why));
                              }) ||
                 failed(checkSymbolic(plan, why)));
}
