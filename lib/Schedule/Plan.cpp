// Applies the primitives of a schedule one by one, each checked against what the earlier ones made.
#include "tw/Schedule/Plan.h"

#include "Finish.h"
#include "PlanAxes.h"
#include "Rfactor.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Mask.h"
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

class Applier {
public:
  Applier(KernelOp kernel, std::string &why) : kernel(kernel), why(why), axes(kernel, plan, why) {}

  FailureOr<Plan> apply(ScheduleAttr schedule) {
    if (schedule)
      for (Attribute primitive : schedule.getPrimitives())
        if (failed(applyOne(primitive)))
          return failure();
    axes.finish();
    if (failed(finishPlan(kernel, plan, why)))
      return failure();
    return plan;
  }

private:
  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
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
        .Case([&](SplitAttr split) { return axes.split(split); })
        .Case([&](WarpsAttr warps) { return applyWarps(warps.getCount()); })
        .Case([&](StageAttr stage) { return applyStage(stage); })
        .Case([&](GridAttr grid) {
          return axes.place(grid.getAxes(), Role::Grid, plan.grid, "grid");
        })
        .Case([&](TeamAttr team) { return applyTeam(team.getAxes()); })
        .Case([&](TileAttr tile) {
          return axes.place(tile.getAxes(), Role::Tile, plan.tile, "tile");
        })
        .Case([&](OrderAttr order) {
          return axes.place(order.getAxes(), Role::Loop, plan.loops, "order");
        })
        .Case([&](KeepAttr keep) { return applyKeep(keep); })
        .Case([&](OnlineAttr online) { return applyOnline(online.getAxis()); })
        .Case([&](SkipAttr skip) { return applySkip(skip.getAxis()); })
        .Case([&](StreamAttr stream) { return applyStream(stream.getResult()); })
        .Case([&](PrefetchAttr prefetch) { return applyPrefetch(prefetch); })
        .Case([&](UnrollAttr unroll) -> LogicalResult {
          unsigned leaf;
          if (failed(axes.find("unroll", unroll.getAxis(), leaf)))
            return failure();
          plan.leaves[leaf].unroll = unroll.getFactor();
          return success();
        })
        .Case([&](EdgeAttr edge) { return axes.setEdge(edge); })
        .Case([&](ContractAttr contract) -> LogicalResult {
          unsigned leaf;
          if (failed(axes.find("contract", contract.getAxis(), leaf)))
            return failure();
          plan.leaves[leaf].dot = true;
          return success();
        })
        .Default([&](Attribute) { return fail("expected a schedule primitive"); });
  }

  LogicalResult applyTeam(ArrayRef<StringAttr> names) {
    if (!plan.team.empty())
      return fail("team is given twice: name all axes that threads share in one of them");
    for (StringAttr name : names) {
      unsigned leaf;
      if (failed(axes.find("team", name, leaf)))
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
    if (failed(axes.find("online", name, leaf)))
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
      if (failed(axes.find("stage '" + stage.getValue().str() + "' at", stage.getLoop(), loop)))
        return failure();
      staged.loop = loop;
    }
    staged.global = stage.getGlobal();
    staged.isWindow = stage.getWindow();
    for (StringAttr name : stage.getOrder()) {
      unsigned leaf;
      if (failed(axes.find("stage '" + stage.getValue().str() + "' as", name, leaf)))
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

  KernelOp kernel;
  std::string &why;
  Plan plan;
  PlanAxes axes;
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
