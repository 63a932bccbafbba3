// Applies the primitives of a schedule one by one, each checked against what the earlier ones made.
#include "tw/Schedule/Plan.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

int64_t Plan::getNumPrograms() const {
  int64_t product = 1;
  for (unsigned leaf : grid)
    product *= leaves[leaf].extent;
  return product;
}

SmallVector<int64_t> Plan::getTileShape() const {
  SmallVector<int64_t> shape;
  for (unsigned leaf : tile)
    shape.push_back(leaves[leaf].extent);
  return shape;
}

namespace {

/// The largest tile, in elements: 128 rows of 16 lanes would never stay in registers, and compile
/// time grows with it.
constexpr int64_t kMaxTileElements = 2048;

class Applier {
public:
  Applier(KernelOp kernel, std::string &why) : kernel(kernel), why(why) {}

  FailureOr<Plan> apply(ScheduleAttr schedule) {
    start();
    if (schedule)
      for (Attribute primitive : schedule.getPrimitives())
        if (failed(applyOne(primitive)))
          return failure();
    return finish();
  }

private:
  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  void start() {
    llvm::SmallBitVector reduced(kernel.getNumAxes());
    AxisSets sets(kernel);
    for (Operation &op : kernel.getBody().front())
      reduced |= sets.reducedBy(&op);
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
      LeafAxis leaf;
      leaf.name = StringAttr::get(kernel.getContext(), kernel.getAxisName(i));
      leaf.extent = kernel.getExtents()[i];
      leaf.axis = i;
      leaf.reduced = reduced[i];
      plan.leaves.push_back(leaf);
      plan.index.push_back(getAffineDimExpr(i, kernel.getContext()));
      plan.padded.push_back(false);
      live.push_back(true);
      placed.push_back(false);
    }
  }

  LogicalResult find(StringAttr name, unsigned &position) {
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      if (leaf.name == name && live[i]) {
        position = i;
        return success();
      }
    std::string known;
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      if (live[i])
        known += (known.empty() ? "" : ", ") + leaf.name.str();
    return fail("expected one of the axes " + known + ", found '" + name.getValue() + "'");
  }

  LogicalResult applyOne(Attribute primitive) {
    return TypeSwitch<Attribute, LogicalResult>(primitive)
        .Case([&](SplitAttr split) { return applySplit(split); })
        .Case([&](GridAttr grid) { return place(grid.getAxes(), Role::Grid, plan.grid, "grid"); })
        .Case([&](TileAttr tile) { return place(tile.getAxes(), Role::Tile, plan.tile, "tile"); })
        .Case([&](OrderAttr order) {
          return place(order.getAxes(), Role::Loop, plan.loops, "order");
        })
        .Case([&](KeepAttr keep) { return applyKeep(keep); })
        .Case([&](UnrollAttr unroll) -> LogicalResult {
          unsigned leaf;
          if (failed(find(unroll.getAxis(), leaf)))
            return failure();
          plan.leaves[leaf].unroll = unroll.getFactor();
          return success();
        })
        .Case([&](EdgeAttr edge) { return applyEdge(edge); })
        .Default([&](Attribute) { return fail("expected a schedule primitive"); });
  }

  // m = [mo, mi 8]: leaf m is replaced by mo of ceil(m / 8) and mi of 8; m becomes mo * 8 + mi.
  LogicalResult applySplit(SplitAttr split) {
    unsigned whole;
    if (failed(find(split.getAxis(), whole)))
      return failure();
    if (placed[whole])
      return fail("split '" + split.getAxis().getValue() +
                  "' comes after its use in grid, tile or order");
    MLIRContext *context = kernel.getContext();
    int64_t inner = 1;
    for (int64_t factor : split.getFactors())
      inner *= factor;
    int64_t extent = plan.leaves[whole].extent;
    int64_t outer = (extent + inner - 1) / inner;
    if (outer * inner != extent)
      plan.padded[plan.leaves[whole].axis] = true;
    AffineExpr index = getAffineConstantExpr(0, context);
    for (auto [i, name] : llvm::enumerate(split.getParts())) {
      for (auto [j, other] : llvm::enumerate(plan.leaves))
        if (live[j] && j != whole && other.name == name)
          return fail("split '" + split.getAxis().getValue() + "' gives the name '" +
                      name.getValue() + "', which another axis has");
      LeafAxis leaf = plan.leaves[whole];
      leaf.name = name;
      leaf.extent = i == 0 ? outer : split.getFactors()[i - 1];
      index = index * leaf.extent + getAffineDimExpr(plan.leaves.size(), context);
      plan.leaves.push_back(leaf);
      live.push_back(true);
      placed.push_back(false);
    }
    live[whole] = false;
    wholes[split.getAxis()] = plan.leaves.size() - split.getParts().size();
    AffineExpr &target = plan.index[plan.leaves[whole].axis];
    target = target.replace(getAffineDimExpr(whole, context), index);
    return success();
  }

  LogicalResult place(ArrayRef<StringAttr> names, Role role, SmallVectorImpl<unsigned> &list,
                      StringRef primitive) {
    for (StringAttr name : names) {
      unsigned leaf;
      if (failed(find(name, leaf)))
        return failure();
      if (placed[leaf])
        return fail(primitive + " '" + name.getValue() + "' is already in grid, tile or order");
      if (role == Role::Grid && plan.leaves[leaf].reduced)
        return fail("grid '" + name.getValue() +
                    "' is reduced: programs do not share partial results");
      plan.leaves[leaf].role = role;
      placed[leaf] = true;
      list.push_back(leaf);
    }
    return success();
  }

  LogicalResult applyKeep(KeepAttr keep) {
    for (Operation &op : kernel.getBody().front())
      if (auto name = op.getAttrOfType<StringAttr>("name"); name && name == keep.getValue()) {
        plan.keep[keep.getValue().getValue()] = keep.getPlace();
        return success();
      }
    return fail("keep '" + keep.getValue().getValue() +
                "' names no value: give an op of the kernel name = \"" +
                keep.getValue().getValue() + "\"");
  }

  LogicalResult applyEdge(EdgeAttr edge) {
    auto it = wholes.find(edge.getAxis());
    if (it == wholes.end())
      return fail("edge '" + edge.getAxis().getValue() + "' names no axis that was split");
    for (unsigned i = it->second; i < plan.leaves.size(); ++i)
      if (plan.leaves[i].axis == plan.leaves[it->second].axis)
        plan.leaves[i].edge = edge.getMode();
    return success();
  }

  FailureOr<Plan> finish() {
    // Leaves that nothing placed are loops, after the ordered ones, in the kernel's order.
    SmallVector<unsigned> rest;
    for (unsigned i = 0; i < plan.leaves.size(); ++i)
      if (live[i] && !placed[i])
        rest.push_back(i);
    llvm::sort(rest, [&](unsigned a, unsigned b) {
      return std::pair(plan.leaves[a].axis, a) < std::pair(plan.leaves[b].axis, b);
    });
    plan.loops.append(rest);

    int64_t elements = 1;
    for (unsigned leaf : plan.tile)
      elements *= plan.leaves[leaf].extent;
    if (elements > kMaxTileElements) {
      (void)fail("tile of " + Twine(elements) + " elements exceeds the register budget of " +
                 Twine(kMaxTileElements) + ": split its axes smaller");
      return failure();
    }
    if (failed(checkNests()))
      return failure();
    dropSplitLeaves();
    return plan;
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
          inside = true;
        else if (kept[axis] && inside && plan.leaves[leaf].extent > 1)
          return fail(
              "order puts loop '" + plan.leaves[leaf].name.getValue() +
              "' inside a reduced axis of a result that keeps it: its partial results would need "
              "memory; order it before, or put it in grid or tile");
      }
      if (isa<ScanOp>(op))
        for (unsigned leaf : llvm::concat<unsigned>(plan.grid, plan.tile))
          if (reduced[plan.leaves[leaf].axis] && plan.leaves[leaf].extent > 1)
            return fail("scan runs along '" + plan.leaves[leaf].name.getValue() +
                        "', which must be a loop");
    }
    return success();
  }

  /// Removes the leaves that were split further and renumbers the rest.
  void dropSplitLeaves() {
    SmallVector<AffineExpr> renumbered(plan.leaves.size(),
                                       getAffineConstantExpr(0, kernel.getContext()));
    SmallVector<unsigned> position(plan.leaves.size(), 0);
    SmallVector<LeafAxis> kept;
    for (unsigned i = 0; i < plan.leaves.size(); ++i) {
      if (!live[i])
        continue;
      position[i] = kept.size();
      renumbered[i] = getAffineDimExpr(kept.size(), kernel.getContext());
      kept.push_back(plan.leaves[i]);
    }
    for (AffineExpr &index : plan.index)
      index = index.replaceDims(renumbered);
    for (auto *list : {&plan.grid, &plan.loops, &plan.tile})
      for (unsigned &leaf : *list)
        leaf = position[leaf];
    plan.leaves = kept;
  }

  KernelOp kernel;
  std::string &why;
  Plan plan;
  SmallVector<bool> live, placed;
  llvm::DenseMap<StringAttr, unsigned> wholes; // split axis -> its first part
};

} // namespace

FailureOr<Plan> tw::schedule::makePlan(KernelOp kernel, ScheduleAttr schedule, std::string &why) {
  return Applier(kernel, why).apply(schedule);
}

FailureOr<Plan> tw::schedule::makePlan(KernelOp kernel) {
  std::string why;
  FailureOr<Plan> plan = makePlan(kernel, kernel.getScheduleAttr(), why);
  if (failed(plan))
    return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
  return plan;
}
