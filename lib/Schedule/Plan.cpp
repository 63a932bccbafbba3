// Applies the primitives of a schedule one by one, each checked against what the earlier ones made.
#include "tw/Schedule/Plan.h"

#include "Keep.h"
#include "Mask.h"
#include "Online.h"
#include "Pad.h"
#include "Rfactor.h"
#include "Stage.h"
#include "Strides.h"
#include "Widen.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Transforms/MergeAxes.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Support/DebugStringHelper.h"
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

/// The largest tile of a group of threads, in elements per thread, of subgroups of the nominal
/// size.
constexpr int64_t kMaxThreadElements = 64, kThreadsPerWarp = 32;
constexpr int64_t kMaxWarps = 32;

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
    std::string known;
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      if (live[i])
        known += (known.empty() ? "" : ", ") + leaf.name.str();
    auto parts = wholes.find(name);
    return fail(primitive + " '" + name.getValue() + "' names " +
                (parts == wholes.end() ? "no axis" : "an axis that was split") +
                ": expected one of " + known);
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
    if (placed[whole])
      return fail("split '" + split.getAxis().getValue() +
                  "' comes after its use in grid, tile or order");
    for (const StagedValue &staged : plan.staged)
      if (staged.loop == whole || llvm::is_contained(staged.leaves, whole))
        return fail("split '" + split.getAxis().getValue() + "' comes after its use in stage");
    MLIRContext *context = kernel.getContext();
    int64_t inner = 1;
    for (int64_t factor : split.getFactors())
      inner *= factor;
    int64_t extent = plan.leaves[whole].extent;
    int64_t outer = (extent + inner - 1) / inner;
    // Points beyond the axis are left out, but beyond an inner part begins the next outer point.
    if (outer * inner != extent && !leading[whole])
      return fail("split '" + split.getAxis().getValue() + "' by " + Twine(inner) +
                  " goes beyond the " + Twine(extent) +
                  " points of an inner part: its factors must divide them");
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

  LogicalResult applyWarps(int64_t count) {
    if (plan.warps)
      return fail("warps is given twice");
    if (count < 1 || count > kMaxWarps || !llvm::isPowerOf2_64(count))
      return fail("warps " + Twine(count) + " is no power of two from 1 to " + Twine(kMaxWarps) +
                  ": the nearest is " +
                  Twine(count < 1 ? 1 : std::min<int64_t>(kMaxWarps, llvm::PowerOf2Ceil(count))));
    plan.warps = count;
    return success();
  }

  /// The op of that name, or an error on behalf of a primitive.
  Operation *findValue(StringAttr name, StringRef primitive) {
    for (Operation &op : kernel.getBody().front())
      if (auto known = op.getAttrOfType<StringAttr>("name"); known && known == name)
        return &op;
    (void)fail(primitive + " '" + name.getValue() +
               "' names no value: give an op of the kernel name = \"" + name.getValue() + "\"");
    return nullptr;
  }

  LogicalResult applyKeep(KeepAttr keep) {
    if (!findValue(keep.getValue(), "keep"))
      return failure();
    plan.keep[keep.getValue().getValue()] = keep.getPlace();
    return success();
  }

  LogicalResult applyOnline(StringAttr name) {
    unsigned leaf;
    if (failed(find("online", name, leaf)))
      return failure();
    if (plan.online)
      return fail("online '" + name.getValue() + "': another loop is online already");
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
      return fail("skip '" + name.getValue() + "' is given twice");
    std::optional<SkippedAxis> skipped = findMask(kernel, axis, why);
    if (!skipped)
      return failure();
    plan.skipped.push_back(*skipped);
    return success();
  }

  LogicalResult checkOnline() {
    if (plan.warps && !plan.skipped.empty())
      return fail("skip is for programs of one thread, not with warps");
    if (!plan.online)
      return success();
    unsigned leaf = plan.online->leaf;
    StringRef name = plan.leaves[leaf].name.getValue();
    if (plan.warps)
      return fail("online '" + name + "' is for programs of one thread, not with warps");
    if (plan.leaves[leaf].role != Role::Loop || !plan.leaves[leaf].reduced)
      return fail("online '" + name + "' is no loop over a reduced axis");
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

  LogicalResult applyPrefetch(PrefetchAttr prefetch) {
    StringAttr name = prefetch.getValue();
    Operation *op = findValue(name, "prefetch");
    if (!op)
      return failure();
    if (!isa<LoadOp>(op))
      return fail("prefetch '" + name.getValue() + "' is no load");
    plan.prefetched[name.getValue()] = {prefetch.getAhead(), prefetch.getAhead() ? 0u : 1u};
    return success();
  }

  /// How far ahead the next program reads; that what is fetched ahead is what is read later.
  LogicalResult placePrefetches() {
    for (auto load : kernel.getBody().getOps<LoadOp>()) {
      auto name = load->getAttrOfType<StringAttr>("name");
      auto it = name ? plan.prefetched.find(name.getValue()) : plan.prefetched.end();
      if (it == plan.prefetched.end())
        continue;
      auto strideOf = [&](const LeafAxis &leaf) {
        std::optional<int64_t> stride =
            getStride(cast<RankedTensorType>(load.getSource().getType()), load.getMap().getMap(),
                      load.getIndices(), kernel.getAxis(leaf.axis));
        return stride.value_or(0) * leaf.stride;
      };
      if (it->second.ahead) {
        if (plan.warps || plan.tile.empty() || strideOf(plan.leaves[plan.tile.back()]) != 1)
          return fail("prefetch '" + name.getValue() + "' " + Twine(it->second.ahead) +
                      ": the last axis of the tile of one thread does not run along its memory");
        continue;
      }
      if (!plan.grid.empty() && !plan.warps)
        it->second.ahead = strideOf(plan.leaves[plan.grid.back()]);
      if (it->second.ahead == 0)
        return fail("prefetch '" + name.getValue() +
                    "': the next program of one thread does not read at a fixed distance");
    }
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
      return fail("edge '" + edge.getAxis().getValue() + "' names no axis that was split");
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

    if (failed(checkTile()) || failed(checkDots()) || failed(checkNests()) || failed(checkMemory()))
      return failure();
    dropSplitLeaves();
    if (failed(checkOnline()) || failed(peelEdges()) || failed(checkKept(kernel, plan, why)) ||
        failed(placeStagedValues(kernel, plan, why)) || failed(checkPadded(kernel, plan, why)) ||
        failed(placePrefetches()))
      return failure();
    if (plan.warps)
      for (const StagedValue &staged : plan.staged)
        if (failed(checkElements(staged.leaves)))
          return failure();
    return plan;
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
    return checkElements(plan.tile);
  }

  /// `contract kg dot`: kg is the group of an instruction.
  LogicalResult checkDots() {
    AxisSets sets(kernel);
    llvm::DenseMap<Operation *, StringRef> grouped;
    for (auto [position, leaf] : llvm::enumerate(plan.leaves)) {
      if (!leaf.dot || !live[position])
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
                      op.getName().stripDialect() + " of " + mlir::debugString(type));
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

  LogicalResult checkElements(ArrayRef<unsigned> tile) {
    int64_t elements = 1;
    for (unsigned leaf : tile)
      elements *= plan.leaves[leaf].extent;
    int64_t most =
        plan.warps ? plan.warps * kThreadsPerWarp * kMaxThreadElements : kMaxTileElements;
    if (elements > most)
      return fail("tile of " + Twine(elements) + " elements exceeds the register budget of " +
                  Twine(most) + ": split its axes smaller" +
                  (plan.warps ? ", or give it more warps" : ""));
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
      if (before && getLeafStride(*before) < getLeafStride(leaf))
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
      return fail("stream is for programs of one thread, not with warps");
    for (const auto &kept : plan.keep) {
      if (plan.warps && kept.second == KeepPlace::Local)
        return fail("keep '" + kept.first() +
                    "' local is for programs of one thread, not with warps");
      if (!plan.streamed.empty() && kept.second == KeepPlace::Result)
        return fail("stream " + Twine(plan.streamed.front()) + ": '" + kept.first() +
                    "' is kept in a result and read back: leave one of them out");
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

  KernelOp kernel;
  std::string &why;
  Plan plan;
  SmallVector<bool> live, placed;
  /// Whether the axis ends where the leaf does: it is the axis, or the first part of such a leaf.
  SmallVector<bool> leading;
  llvm::DenseMap<StringAttr, unsigned> wholes; // split axis -> its first part
};

} // namespace

/// p = [n, h, w]
static LogicalResult applyMerge(KernelOp kernel, MergeAttr merge, std::string &why) {
  StringRef name = merge.getAxis().getValue();
  if (merge.getParts().size() < 2) {
    why = ("merge '" + name + "': expected at least two axes to merge").str();
    return failure();
  }
  SmallVector<unsigned> axes;
  for (StringAttr part : merge.getParts()) {
    auto *it = llvm::find(kernel.getAxisNames().getValue(), Attribute(part));
    if (it == kernel.getAxisNames().end()) {
      why = ("merge '" + name + "': expected axes of the kernel, found '" + part.getValue() + "'")
                .str();
      return failure();
    }
    unsigned axis = it - kernel.getAxisNames().begin();
    if (llvm::is_contained(axes, axis)) {
      why = ("merge '" + name + "' names '" + part.getValue() + "' twice").str();
      return failure();
    }
    axes.push_back(axis);
  }
  if (llvm::is_contained(kernel.getAxisNames(), Attribute(merge.getAxis())) &&
      !llvm::is_contained(merge.getParts(), merge.getAxis())) {
    why = ("merge gives the name '" + name + "', which another axis has").str();
    return failure();
  }
  std::string reason;
  if (!canMergeAxes(kernel, axes, reason)) {
    why = ("merge '" + name + "': " + reason).str();
    return failure();
  }
  mergeAxes(kernel, axes, name);
  return success();
}

LogicalResult tw::schedule::applyRewrites(KernelOp kernel, std::string &why) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return success();
  ArrayRef<Attribute> rest = schedule.getPrimitives();
  while (!rest.empty() && isa<MergeAttr, WidenAttr>(rest.front())) {
    auto merge = dyn_cast<MergeAttr>(rest.front());
    if (failed(merge ? applyMerge(kernel, merge, why)
                     : applyWiden(kernel, cast<WidenAttr>(rest.front()), why)))
      return failure();
    rest = rest.drop_front();
  }
  kernel.setScheduleAttr(ScheduleAttr::get(kernel.getContext(), rest));
  // The parts of a factored reduction are kernels of their own, with the rest of the schedule.
  return getRfactor(kernel.getScheduleAttr()) ? success() : padReducedAxes(kernel, why);
}

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
