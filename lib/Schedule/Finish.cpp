// Checks a plan as a whole, and completes it.
#include "Finish.h"

#include "Keep.h"
#include "Online.h"
#include "Pad.h"
#include "Stage.h"
#include "Team.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Strides.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// The largest tile of a group of threads, in elements per thread, of subgroups of the nominal
/// size.
constexpr int64_t kMaxThreadElements = 64, kThreadsPerWarp = 32;

class Finisher {
public:
  Finisher(KernelOp kernel, Plan &plan, std::string &why) : kernel(kernel), plan(plan), why(why) {}

  LogicalResult finish() {
    if (failed(checkTile()) || failed(checkDots()) || failed(checkNests()) ||
        failed(checkMemory()) || failed(checkOnline()) || failed(peelEdges()) ||
        failed(checkKept(kernel, plan, why)) || failed(placeStagedValues(kernel, plan, why)) ||
        failed(checkPadded(kernel, plan, why)) || failed(placePrefetches()) ||
        failed(placeTeam(kernel, plan, why)))
      return failure();
    if (plan.warps)
      for (const StagedValue &staged : plan.staged)
        // What is staged for all programs is a kernel of its own.
        if (!staged.global && failed(checkElements(staged.leaves)))
          return failure();
    return success();
  }

private:
  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  LogicalResult checkTile() {
    for (unsigned leaf : plan.tile) {
      int64_t extent = plan.leaves[leaf].extent;
      StringRef name = plan.leaves[leaf].name.getValue();
      if (plan.warps && extent > 0 && !llvm::isPowerOf2_64(extent))
        return fail("tile '" + name + "' of " + Twine(extent) +
                    " elements is no power of two, as tiles of several threads are: split " + name +
                    " = [" + name + "_o, " + name + "_i " + Twine(llvm::PowerOf2Ceil(extent)) +
                    "] and tile the inner part");
    }
    for (const LeafAxis &leaf : plan.leaves)
      if (leaf.unroll != 1 && leaf.role != Role::Loop)
        return fail(
            "unroll '" + leaf.name.getValue() + "' is for loops: it is in " +
            (leaf.role == Role::Grid ? "grid" : "tile, whose elements are unrolled anyway") +
            "; leave unroll out, or split it and order a part");
    return checkElements(plan.tile);
  }

  LogicalResult checkElements(ArrayRef<unsigned> tile) {
    int64_t most =
        plan.warps ? plan.warps * kThreadsPerWarp * kMaxThreadElements : kMaxTileElements;
    int64_t elements = 1;
    for (unsigned leaf : tile)
      if (llvm::MulOverflow(elements, plan.leaves[leaf].extent, elements))
        elements = std::numeric_limits<int64_t>::max();
    if (elements > most)
      return fail("tile of " + Twine(elements) + " elements exceeds the register budget of " +
                  Twine(most) + ": split its axes smaller" +
                  (plan.warps ? ", or give it more warps" : ""));
    return success();
  }

  /// `contract kg dot`: kg is the group of an instruction.
  LogicalResult checkDots() {
    AxisSets sets(kernel);
    llvm::DenseMap<Operation *, StringRef> grouped;
    for (auto [position, leaf] : llvm::enumerate(plan.leaves)) {
      if (!leaf.dot)
        continue;
      StringRef name = leaf.name.getValue();
      if (plan.warps)
        return fail("contract '" + name +
                    "' dot is for one thread with vector registers: drop it "
                    "or warps");
      if (leaf.role != Role::Tile || plan.tile.back() == position)
        return fail("contract '" + name + "' dot sums within a step: put '" + name +
                    "' in tile, before the axis along the lanes");
      for (Operation &op : kernel.getBody().front()) {
        if (!sets.reducedBy(&op)[leaf.axis])
          continue;
        auto contract = dyn_cast<ContractOp>(op);
        Type type = contract ? contract.getLhs().getType() : op.getOperand(0).getType();
        if (!contract || type == contract.getResult().getType())
          return fail("contract '" + name +
                      "' dot needs products of bf16, f16 or i8 in wider "
                      "sums, found " +
                      op.getName().stripDialect() + " of " + mlir::debugString(type) +
                      ": leave it out");
        int64_t group = 32 / type.getIntOrFloatBitWidth();
        if (leaf.extent != group)
          return fail("contract '" + name + "' dot takes groups of " + Twine(group) + " of " +
                      mlir::debugString(type) + ", found " + Twine(leaf.extent) + ": split " +
                      name + " = [" + name + "_o, " + name + "_i " + Twine(group) + "]");
        if (auto [other, isFirst] = grouped.try_emplace(&op, name); !isFirst)
          return fail("contract '" + name + "' dot: '" + other->second +
                      "' is the group of the same contraction: leave one of them out");
      }
    }
    return success();
  }

  /// A reduced loop stays inside every loop of its result, or partial results would need memory; a
  /// scan is a loop, the innermost of its result.
  LogicalResult checkNests() {
    AxisSets sets(kernel);
    for (Operation &op : kernel.getBody().front()) {
      llvm::SmallBitVector reduced = sets.reducedBy(&op);
      if (auto scan = dyn_cast<ScanOp>(op))
        reduced.set(cast<BlockArgument>(scan.getAxis()).getArgNumber());
      if (reduced.none())
        continue;
      llvm::SmallBitVector kept = sets.of(op.getResult(0));
      bool inside = false;
      for (unsigned leaf : plan.loops) {
        unsigned axis = plan.leaves[leaf].axis;
        if (reduced[axis])
          inside = !canKeepPartials(&op);
        else if (kept[axis] && inside && plan.leaves[leaf].extent > 1)
          return fail(
              "order puts loop '" + plan.leaves[leaf].name.getValue() +
              "' inside a reduced axis of a result that keeps it: its partial results would need "
              "memory; order it before, put it in grid or tile, or keep the result");
      }
      if (isa<ScanOp>(op))
        for (unsigned leaf :
             llvm::concat<unsigned>(plan.grid, plan.warps ? plan.tile : SmallVector<unsigned>()))
          if (reduced[plan.leaves[leaf].axis] && plan.leaves[leaf].extent > 1)
            return fail("scan runs along '" + plan.leaves[leaf].name.getValue() +
                        "', which must be " + (plan.warps ? "a loop" : "a loop or in tile"));
      if (isa<ScanOp>(op) && failed(checkScanOrder(reduced)))
        return failure();
    }
    return success();
  }

  /// The parts of a scanned axis run as they were split, at most one of them in the tile.
  LogicalResult checkScanOrder(const llvm::SmallBitVector &scanned) {
    std::optional<unsigned> before;
    for (unsigned leaf : llvm::concat<unsigned>(plan.loops, plan.tile)) {
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
    return success();
  }

  bool canKeepPartials(Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    auto name = op->getAttrOfType<StringAttr>("name");
    if (!name || plan.warps || !(isa<ContractOp>(op) || (reduce && reduce.getKind())))
      return false;
    auto it = plan.keep.find(name.getValue());
    return it != plan.keep.end() &&
           (it->second == KeepPlace::Result || it->second == KeepPlace::Local);
  }

  /// What is read back soon stays in the caches; memory of a program is that of one thread.
  LogicalResult checkMemory() {
    if (plan.warps && !plan.streamed.empty())
      return fail("stream is for programs of one thread, not with warps: leave one of them out");
    for (const auto &kept : plan.keep) {
      if (plan.warps && kept.second == KeepPlace::Local)
        return fail("keep '" + kept.first() +
                    "' local is for programs of one thread, not with warps: leave one of them out");
      if (!plan.streamed.empty() && kept.second == KeepPlace::Result)
        return fail("stream " + Twine(plan.streamed.front()) + ": '" + kept.first() +
                    "' is kept in a result and read back: leave one of them out");
    }
    return success();
  }

  LogicalResult checkOnline() {
    if (plan.warps && !plan.skipped.empty())
      return fail("skip is for programs of one thread, not with warps: leave one of them out");
    if (!plan.online)
      return success();
    unsigned leaf = plan.online->leaf;
    StringRef name = plan.leaves[leaf].name.getValue();
    if (plan.warps)
      return fail("online '" + name +
                  "' is for programs of one thread, not with warps: leave one of them out");
    if (plan.leaves[leaf].role != Role::Loop || !plan.leaves[leaf].reduced)
      return fail(
          "online '" + name +
          "' is no loop over a reduced axis: put such an axis in order, or leave online out");
    for (unsigned before : plan.loops) {
      if (before == leaf)
        break;
      if (plan.leaves[before].axis == plan.leaves[leaf].axis)
        return fail("online '" + name + "' runs inside of '" + plan.leaves[before].name.getValue() +
                    "', which is another part of the axis: make the outermost one online");
    }
    plan.online = findOnline(kernel, plan, leaf, why);
    return success(plan.online.has_value());
  }

  /// On a CPU the tile of a peeled iteration shrinks to what is left of the axis. That is known
  /// where the parts of the axis are nested in their order, only the first one is in the grid and
  /// only the last one in the tile.
  /// Tiles along a reduced axis keep their size, which is that of the accumulators.
  LogicalResult peelEdges() {
    if (plan.warps)
      return success();
    llvm::SmallBitVector whole(plan.padded.size());
    for (unsigned position : plan.tile)
      if (plan.leaves[position].reduced)
        whole.set(plan.leaves[position].axis);
    for (auto scan : kernel.getBody().getOps<ScanOp>())
      if (scan.getReverse())
        whole.set(cast<BlockArgument>(scan.getAxis()).getArgNumber());
    // An axis of which one part is masked reaches beyond its extent there; so does one with an
    // inner part in the grid, whose programs are as many everywhere.
    for (const LeafAxis &leaf : plan.leaves) {
      bool isInner = llvm::any_of(plan.leaves, [&](const LeafAxis &other) {
        return other.axis == leaf.axis && other.stride >= leaf.stride * leaf.extent;
      });
      if (leaf.edge != EdgeMode::Peel || (leaf.role == Role::Grid && leaf.extent > 1 && isInner))
        whole.set(leaf.axis);
    }
    SmallVector<const LeafAxis *> outer(plan.padded.size(), nullptr);
    for (unsigned position : llvm::concat<unsigned>(plan.grid, plan.loops, plan.tile)) {
      const LeafAxis &leaf = plan.leaves[position];
      if (!plan.padded[leaf.axis] || whole[leaf.axis])
        continue;
      plan.peeled[leaf.axis] = true;
      const LeafAxis *before = std::exchange(outer[leaf.axis], &leaf);
      if (before && (before->stride < leaf.stride || before->role == Role::Tile))
        return fail("edge '" + Twine(kernel.getAxisName(leaf.axis)) + "' peel needs '" +
                    leaf.name.getValue() + "' outside of '" + before->name.getValue() +
                    "', as they were split: order them so, or use edge mask");
    }
    for (unsigned axis = 0; axis < plan.padded.size(); ++axis)
      if (plan.peeled[axis])
        plan.padded[axis] = false;
    return success();
  }

  /// How far ahead the next program reads; that what is fetched ahead is what is read later.
  LogicalResult placePrefetches() {
    for (Operation &op : kernel.getBody().front()) {
      auto name = op.getAttrOfType<StringAttr>("name");
      auto it = name ? plan.prefetched.find(name.getValue()) : plan.prefetched.end();
      if (it == plan.prefetched.end())
        continue;
      auto *panel = llvm::find_if(plan.staged, [&](const StagedValue &staged) {
        return staged.op == &op && staged.global;
      });
      auto strideOf = [&](unsigned leaf) -> int64_t {
        // A part that is as long as its axis does not move.
        if (panel != plan.staged.end())
          return leaf == panel->leaves.back() &&
                 plan.leaves[leaf].stride < kernel.getExtents()[plan.leaves[leaf].axis];
        return getStride(cast<LoadOp>(op), plan, leaf).value_or(0);
      };
      if (it->second.ahead) {
        if (plan.warps ||
            llvm::none_of(plan.tile, [&](unsigned leaf) { return strideOf(leaf) == 1; }))
          return fail("prefetch '" + name.getValue() + "' " + Twine(it->second.ahead) +
                      ": no axis of the tile of one thread runs along its memory; put one that "
                      "does there, or leave prefetch out");
        continue;
      }
      if (!plan.grid.empty() && !plan.warps)
        it->second.ahead = strideOf(plan.grid.back());
      if (it->second.ahead == 0)
        return fail("prefetch '" + name.getValue() +
                    "': the next program of one thread does not read at a fixed distance; leave it "
                    "out, or say how far ahead");
    }
    return success();
  }

  KernelOp kernel;
  Plan &plan;
  std::string &why;
};

} // namespace

LogicalResult tw::schedule::finishPlan(KernelOp kernel, Plan &plan, std::string &why) {
  return Finisher(kernel, plan, why).finish();
}
