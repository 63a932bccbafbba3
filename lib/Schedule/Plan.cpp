// Applies the primitives of a schedule one by one, each checked against what the earlier ones made.
#include "tw/Schedule/Plan.h"

#include "Finish.h"
#include "Mask.h"
#include "Rfactor.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "llvm/Support/MathExtras.h"

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

constexpr int64_t kMaxWarps = 32;
/// Points of all parts of an axis but the first one, so that products of a few stay in 64 bits.
constexpr int64_t kMaxPart = 1 << 30;

/// The primitive that gives the role.
StringRef getName(Role role) {
  return role == Role::Grid ? "grid" : role == Role::Tile ? "tile" : "order";
}

/// The divisor of `extent` that is nearest to `length`, the smaller one of two.
int64_t getNearestDivisor(int64_t extent, int64_t length) {
  int64_t below = std::min(length, extent), above = below;
  while (extent % below != 0)
    --below;
  while (extent % above != 0)
    ++above;
  return length - below <= above - length ? below : above;
}

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
      plan.peeled.push_back(false);
      live.push_back(true);
      placed.push_back(false);
      leading.push_back(true);
    }
  }

  LogicalResult find(StringRef primitive, StringAttr name, unsigned &position) {
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      if (leaf.name == name && live[i]) {
        position = i;
        return success();
      }
    SmallVector<StringRef> known;
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      if (live[i])
        known.push_back(leaf.name.getValue());
    return fail(primitive + " '" + name.getValue() + "' names " +
                (wholes.contains(name) ? "an axis that was split" : "no axis") +
                ": expected one of " + llvm::join(known, ", "));
  }

  LogicalResult applyOne(Attribute primitive) {
    return TypeSwitch<Attribute, LogicalResult>(primitive)
        .Case([&](MergeAttr merge) {
          return fail(
              "merge '" + merge.getAxis().getValue() +
              "' comes after other primitives: it rewrites the kernel, so it belongs to the "
              "head of the list");
        })
        .Case([&](WidenAttr widen) {
          return fail(
              "widen '" + widen.getValue().getValue() +
              "' comes after other primitives: it rewrites the kernel, so it belongs to the "
              "head of the list");
        })
        .Case([&](RfactorAttr factor) {
          return fail("rfactor '" + factor.getValue().getValue() +
                      "' comes after other primitives, or in a plan: it makes kernels of their "
                      "own, so it belongs to the head of the list, after merges");
        })
        .Case([&](SplitAttr split) { return applySplit(split); })
        .Case([&](WarpsAttr warps) { return applyWarps(warps.getCount()); })
        .Case([&](StageAttr stage) { return applyStage(stage); })
        .Case([&](GridAttr grid) { return place(grid.getAxes(), Role::Grid, plan.grid, "grid"); })
        .Case([&](TeamAttr team) { return applyTeam(team.getAxes()); })
        .Case([&](TileAttr tile) { return place(tile.getAxes(), Role::Tile, plan.tile, "tile"); })
        .Case([&](OrderAttr order) {
          return place(order.getAxes(), Role::Loop, plan.loops, "order");
        })
        .Case([&](KeepAttr keep) { return applyKeep(keep); })
        .Case([&](OnlineAttr online) { return applyOnline(online.getAxis()); })
        .Case([&](SkipAttr skip) { return applySkip(skip.getAxis()); })
        .Case([&](StreamAttr stream) { return applyStream(stream.getResult()); })
        .Case([&](PrefetchAttr prefetch) { return applyPrefetch(prefetch); })
        .Case([&](UnrollAttr unroll) -> LogicalResult {
          unsigned leaf;
          if (failed(find("unroll", unroll.getAxis(), leaf)))
            return failure();
          plan.leaves[leaf].unroll = unroll.getFactor();
          return success();
        })
        .Case([&](EdgeAttr edge) { return applyEdge(edge); })
        .Case([&](ContractAttr contract) -> LogicalResult {
          unsigned leaf;
          if (failed(find("contract", contract.getAxis(), leaf)))
            return failure();
          plan.leaves[leaf].dot = true;
          return success();
        })
        .Default([&](Attribute) { return fail("expected a schedule primitive"); });
  }

  // m = [mo, mi 8]: leaf m is replaced by mo of ceil(m / 8) and mi of 8; m becomes mo * 8 + mi.
  LogicalResult applySplit(SplitAttr split) {
    unsigned whole;
    if (failed(find("split", split.getAxis(), whole)))
      return failure();
    auto failLate = [&](StringRef use) {
      return fail("split '" + split.getAxis().getValue() + "' comes after its use in " + use +
                  ": put it before, and use its parts there");
    };
    if (placed[whole])
      return failLate(getName(plan.leaves[whole].role));
    if (plan.online && plan.online->leaf == whole)
      return failLate("online");
    if (llvm::is_contained(plan.team, whole))
      return failLate("team");
    for (const StagedValue &staged : plan.staged)
      if (staged.loop == whole || llvm::is_contained(staged.leaves, whole))
        return failLate("stage");
    MLIRContext *context = kernel.getContext();
    int64_t inner = 1;
    for (int64_t factor : split.getFactors())
      if (llvm::MulOverflow(inner, factor, inner) || inner > kMaxPart)
        return fail("split '" + split.getAxis().getValue() + "' has parts of more than " +
                    Twine(kMaxPart) + " points together: no factor beyond the " +
                    Twine(plan.leaves[whole].extent) + " points of the axis is of use");
    int64_t extent = plan.leaves[whole].extent;
    int64_t outer = (extent + inner - 1) / inner;
    // Points beyond the axis are left out, but beyond an inner part begins the next outer point.
    if (outer * inner != extent && !leading[whole])
      return fail("split '" + split.getAxis().getValue() + "' by " + Twine(inner) +
                  " goes beyond the " + Twine(extent) +
                  " points of an inner part: its factors must divide them, as " +
                  Twine(getNearestDivisor(extent, inner)) + " does");
    if (outer * inner != extent)
      plan.padded[plan.leaves[whole].axis] = true;
    AffineExpr index = getAffineConstantExpr(0, context);
    for (auto [i, name] : llvm::enumerate(split.getParts())) {
      for (auto [j, other] : llvm::enumerate(plan.leaves))
        if (live[j] && j != whole && other.name == name)
          return fail("split '" + split.getAxis().getValue() + "' gives the name '" +
                      name.getValue() + "', which another axis has: choose another one");
      LeafAxis leaf = plan.leaves[whole];
      leaf.name = name;
      leaf.extent = i == 0 ? outer : split.getFactors()[i - 1];
      index = index * leaf.extent + getAffineDimExpr(plan.leaves.size(), context);
      plan.leaves.push_back(leaf);
      live.push_back(true);
      placed.push_back(false);
      leading.push_back(leading[whole] && i == 0);
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
      if (failed(find(primitive, name, leaf)))
        return failure();
      if (placed[leaf])
        return fail(primitive + " '" + name.getValue() + "' is already in " +
                    getName(plan.leaves[leaf].role) +
                    ": leave it out of one of them, or split it and place its parts");
      if (role == Role::Grid && plan.leaves[leaf].reduced)
        return fail("grid '" + name.getValue() +
                    "' is reduced: programs do not share partial results; put it in order, or sum "
                    "parts of it by themselves (rfactor)");
      plan.leaves[leaf].role = role;
      placed[leaf] = true;
      list.push_back(leaf);
    }
    return success();
  }

  LogicalResult applyTeam(ArrayRef<StringAttr> names) {
    if (!plan.team.empty())
      return fail("team is given twice: name all axes that threads share in one of them");
    for (StringAttr name : names) {
      unsigned leaf;
      if (failed(find("team", name, leaf)))
        return failure();
      if (llvm::is_contained(plan.team, leaf))
        return fail("team names '" + name.getValue() + "' twice: leave it out once");
      plan.team.push_back(leaf);
    }
    return success();
  }

  LogicalResult applyWarps(int64_t count) {
    if (plan.warps)
      return fail("warps is given twice: leave one of them out");
    if (count < 1 || count > kMaxWarps || !llvm::isPowerOf2_64(count))
      return fail("warps " + Twine(count) + " is no power of two from 1 to " + Twine(kMaxWarps) +
                  ": the nearest is " +
                  Twine(count < 1 ? 1 : std::min<int64_t>(kMaxWarps, llvm::PowerOf2Ceil(count))));
    plan.warps = count;
    return success();
  }

  /// The op of that name, or an error on behalf of a primitive.
  Operation *findValue(StringAttr name, StringRef primitive) {
    SmallVector<StringRef> named;
    for (Operation &op : kernel.getBody().front()) {
      auto known = op.getAttrOfType<StringAttr>("name");
      if (known && known == name)
        return &op;
      if (known)
        named.push_back(known.getValue());
    }
    (void)fail(primitive + " '" + name.getValue() + "' names no value: " +
               (named.empty() ? "" : "expected one of " + llvm::join(named, ", ") + ", or ") +
               "give an op of the kernel name = \"" + name.getValue() + "\"");
    return nullptr;
  }

  LogicalResult applyKeep(KeepAttr keep) {
    if (!findValue(keep.getValue(), "keep"))
      return failure();
    StringRef name = keep.getValue().getValue();
    if (!plan.keep.try_emplace(name, keep.getPlace()).second)
      return fail("keep '" + name + "' is given twice: leave one of them out");
    return success();
  }

  LogicalResult applyOnline(StringAttr name) {
    unsigned leaf;
    if (failed(find("online", name, leaf)))
      return failure();
    if (plan.online)
      return fail("online '" + name.getValue() + "': '" +
                  plan.leaves[plan.online->leaf].name.getValue() +
                  "' is online already, leave one of them out");
    plan.online = OnlineLoop{leaf, {}, {}};
    return success();
  }

  LogicalResult applySkip(StringAttr name) {
    auto *it = llvm::find(kernel.getAxisNames(), Attribute(name));
    if (it == kernel.getAxisNames().end())
      return fail("skip '" + name.getValue() +
                  "' names no axis of the kernel: name the whole axis, "
                  "not its parts");
    unsigned axis = it - kernel.getAxisNames().begin();
    if (llvm::any_of(plan.skipped, [&](const SkippedAxis &s) { return s.axis == axis; }))
      return fail("skip '" + name.getValue() + "' is given twice: leave one of them out");
    std::optional<SkippedAxis> skipped = findMask(kernel, axis, why);
    if (!skipped)
      return failure();
    plan.skipped.push_back(*skipped);
    return success();
  }

  LogicalResult applyPrefetch(PrefetchAttr prefetch) {
    StringAttr name = prefetch.getValue();
    Operation *op = findValue(name, "prefetch");
    if (!op)
      return failure();
    bool isPanel = llvm::any_of(
        plan.staged, [&](const StagedValue &staged) { return staged.op == op && staged.global; });
    if (!isa<LoadOp>(op) && !isPanel)
      return fail("prefetch '" + name.getValue() +
                  "' is no load: name a load that it is computed from");
    plan.prefetched[name.getValue()] = {prefetch.getAhead(), prefetch.getAhead() ? 0u : 1u};
    return success();
  }

  LogicalResult applyStream(int64_t result) {
    int64_t results = kernel->getNumResults();
    if (result >= results)
      return fail("stream " + Twine(result) + ": the kernel has " + Twine(results) +
                  " results, numbered from 0");
    plan.streamed.push_back(result);
    return success();
  }

  LogicalResult applyStage(StageAttr stage) {
    StagedValue staged;
    staged.op = findValue(stage.getValue(), "stage");
    if (!staged.op)
      return failure();
    unsigned loop = 0;
    if (stage.getLoop()) {
      if (failed(find("stage '" + stage.getValue().str() + "' at", stage.getLoop(), loop)))
        return failure();
      staged.loop = loop;
    }
    staged.global = stage.getGlobal();
    staged.isWindow = stage.getWindow();
    for (StringAttr name : stage.getOrder()) {
      unsigned leaf;
      if (failed(find("stage '" + stage.getValue().str() + "' as", name, leaf)))
        return failure();
      staged.leaves.push_back(leaf);
    }
    for (const StagedValue &other : plan.staged)
      if (other.op == staged.op)
        return fail("stage '" + stage.getValue().getValue() +
                    "' is given twice: a value has one buffer, leave one of them out");
    plan.staged.push_back(staged);
    return success();
  }

  LogicalResult applyEdge(EdgeAttr edge) {
    auto it = wholes.find(edge.getAxis());
    if (it == wholes.end())
      return fail("edge '" + edge.getAxis().getValue() +
                  "' names no axis that was split: only parts can go beyond an axis; split it "
                  "before, or leave edge out");
    for (unsigned i = it->second; i < plan.leaves.size(); ++i)
      if (plan.leaves[i].axis == plan.leaves[it->second].axis)
        plan.leaves[i].edge = edge.getMode();
    return success();
  }

  /// Points of the axis from one point of the leaf to the next.
  int64_t getLeafStride(unsigned leaf) {
    SmallVector<AffineExpr> point(plan.leaves.size(),
                                  getAffineConstantExpr(0, kernel.getContext()));
    point[leaf] = getAffineConstantExpr(1, kernel.getContext());
    AffineExpr index = plan.index[plan.leaves[leaf].axis].replaceDims(point);
    return cast<AffineConstantExpr>(simplifyAffineExpr(index, 0, 0)).getValue();
  }

  FailureOr<Plan> finish() {
    // Leaves that nothing placed are loops, after the ordered ones, in the kernel's order, the
    // parts of an axis nested as they were split.
    SmallVector<unsigned> rest;
    for (unsigned i = 0; i < plan.leaves.size(); ++i)
      if (live[i] && !placed[i])
        rest.push_back(i);
    llvm::sort(rest, [&](unsigned a, unsigned b) {
      return std::tuple(plan.leaves[a].axis, -getLeafStride(a), a) <
             std::tuple(plan.leaves[b].axis, -getLeafStride(b), b);
    });
    plan.loops.append(rest);

    dropSplitLeaves();
    if (failed(finishPlan(kernel, plan, why)))
      return failure();
    return plan;
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
    for (auto *list : {&plan.grid, &plan.loops, &plan.team, &plan.tile})
      for (unsigned &leaf : *list)
        leaf = position[leaf];
    if (plan.online)
      plan.online->leaf = position[plan.online->leaf];
    for (StagedValue &staged : plan.staged) {
      if (staged.loop)
        staged.loop = position[*staged.loop];
      for (unsigned &leaf : staged.leaves)
        leaf = position[leaf];
    }
    plan.leaves = kept;
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      leaf.stride = getLeafStride(i);
  }

  KernelOp kernel;
  std::string &why;
  Plan plan;
  SmallVector<bool> live, placed;
  /// Whether the axis ends where the leaf does: it is the axis, or the first part of such a leaf.
  SmallVector<bool> leading;
  llvm::DenseMap<StringAttr, unsigned> wholes; // split axis -> its first part
};

} // namespace

FailureOr<Plan> tw::schedule::makePlan(KernelOp kernel) {
  std::string why;
  FailureOr<Plan> plan;
  if (succeeded(applyRewrites(kernel, why)))
    plan = Applier(kernel, why).apply(kernel.getScheduleAttr());
  if (failed(plan))
    return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
  return plan;
}

bool tw::schedule::isLegal(KernelOp kernel, ScheduleAttr schedule, std::string &why) {
  // What comes before the kernel is made in a block of its own.
  Block block;
  auto copy = cast<KernelOp>(kernel->clone());
  block.push_back(copy);
  copy.setScheduleAttr(schedule);
  if (failed(applyRewrites(copy, why)))
    return false;
  if (getRfactor(copy.getScheduleAttr())) {
    FailureOr<KernelOp> parts = applyRfactor(copy, why);
    return succeeded(parts) &&
           (!parts->getSchedule() || isLegal(*parts, *parts->getSchedule(), why));
  }
  return succeeded(Applier(copy, why).apply(copy.getScheduleAttr()));
}
