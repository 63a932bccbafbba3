// team: loops that threads share. Everything outside of them runs in each thread, so it must not
// write, and everything inside of one iteration is one thread's.
#include "../Keep.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class TeamPlacer {
public:
  TeamPlacer(KernelOp kernel, Plan &plan, std::string &why)
      : kernel(kernel), plan(plan), why(why), sets(kernel) {}

  LogicalResult place() {
    if (failed(checkAxes()) || failed(checkOrder()) || failed(checkRoots()) ||
        failed(checkKept()) || failed(checkStaged()))
      return failure();
    return checkAround();
  }

private:
  LogicalResult fail(const Twine &reason) {
    why = reason.str();
    return failure();
  }

  StringRef nameOf(unsigned leaf) const { return plan.leaves[leaf].name.getValue(); }

  /// "reduction 's'", "the store of result 0"
  static std::string describe(Operation *root) {
    if (auto store = dyn_cast<StoreOp>(root))
      return "the store of result " + std::to_string(store.getResultNumber());
    StringAttr name = getValueName(root);
    return isa<ScanOp>(root) ? "a scan"
           : name            ? "reduction '" + name.getValue().str() + "'"
                             : "a reduction";
  }

  LogicalResult checkAxes() {
    if (plan.warps)
      return fail("team '" + nameOf(plan.team.front()) +
                  "' is for programs of one thread, not with warps: leave one of them out");
    for (unsigned position : plan.team) {
      const LeafAxis &leaf = plan.leaves[position];
      if (leaf.role == Role::Grid)
        return fail("team '" + nameOf(position) +
                    "' is in grid, whose programs run one after another: put it in order instead, "
                    "or leave team out");
      if (leaf.role == Role::Tile)
        return fail("team '" + nameOf(position) +
                    "' is in tile, which one thread computes: split " + nameOf(position) + " = [" +
                    nameOf(position) + "_o, " + nameOf(position) + "_i " +
                    Twine(std::max<int64_t>(1, leaf.extent / 2)) +
                    "], tile the inner part and share the outer one");
      if (leaf.reduced)
        return fail("team '" + nameOf(position) +
                    "' is reduced: threads do not share partial results; share an axis of the "
                    "result, or sum parts of it by themselves (rfactor)");
      for (Operation &op : kernel.getBody().front())
        if (sets.orderedBy(&op)[leaf.axis])
          return fail(
              "team '" + nameOf(position) +
              "' has points that follow each other in a scan or a store: share another axis");
      if (leaf.unroll != 1)
        return fail("unroll '" + nameOf(position) +
                    "' is for loops of one thread, and its iterations are shared by a team: leave "
                    "unroll out, or split it and unroll a part inside");
    }
    return success();
  }

  /// The team's loops are one: next to each other, its shares known before the first of them.
  LogicalResult checkOrder() {
    auto isShared = [&](unsigned leaf) { return llvm::is_contained(plan.team, leaf); };
    auto *first = llvm::find_if(plan.loops, isShared);
    ArrayRef<unsigned> inside(first, plan.loops.end());
    for (unsigned leaf : inside.take_front(plan.team.size()))
      if (!isShared(leaf)) {
        unsigned other = *std::find_if(llvm::find(plan.loops, leaf), plan.loops.end(), isShared);
        return fail("team '" + nameOf(other) + "' is not next to '" + nameOf(*first) +
                    "' in the order: '" + nameOf(leaf) +
                    "' lies between; order them next to each other");
      }
    plan.team.assign(inside.begin(), inside.begin() + plan.team.size());
    llvm::SmallBitVector seen(kernel.getNumAxes());
    for (unsigned leaf : plan.team) {
      unsigned axis = plan.leaves[leaf].axis;
      if (seen[axis] && plan.peeled[axis])
        return fail("team '" + nameOf(leaf) + "' is the second part of '" +
                    kernel.getAxisName(axis) +
                    "', whose last iteration has fewer points (edge peel): share the outer part "
                    "alone, or use edge mask");
      seen.set(axis);
    }
    return success();
  }

  ArrayRef<unsigned> getLoopsAround() const {
    return ArrayRef(plan.loops.begin(), llvm::find(plan.loops, plan.team.front()));
  }

  bool isKept(Operation *op) const {
    StringAttr name = getValueName(op);
    auto it = name ? plan.keep.find(name.getValue()) : plan.keep.end();
    return it != plan.keep.end() &&
           (it->second == KeepPlace::Result || it->second == KeepPlace::Local);
  }

  /// Whether loops around the team's may reduce the op's value: what one iteration of them adds is
  /// added to memory.
  bool keepsPartials(Operation *op) const {
    auto reduce = dyn_cast<ReduceOp>(op);
    return isKept(op) && (isa<ContractOp>(op) || (reduce && reduce.getKind()));
  }

  LogicalResult checkRoots() {
    for (Operation &op : kernel.getBody().front()) {
      if (!isRoot(&op) || isForStages(plan, &op))
        continue;
      for (unsigned leaf : plan.team)
        if (llvm::none_of(op.getOperands(),
                          [&](Value v) { return sets.of(v)[plan.leaves[leaf].axis]; }))
          return fail("team '" + nameOf(leaf) + "': " + describe(&op) +
                      " does not vary along it, so that it would run in every thread at once; "
                      "share axes along which every store and reduction varies");
      for (unsigned leaf : getLoopsAround()) {
        unsigned axis = plan.leaves[leaf].axis;
        if (sets.orderedBy(&op)[axis] || (sets.reducedBy(&op)[axis] && !keepsPartials(&op)))
          return fail("team '" + nameOf(plan.team.front()) + "' lies inside of '" + nameOf(leaf) +
                      "', along which " + describe(&op) +
                      " runs: order it before, or keep the result of a sum");
      }
    }
    return success();
  }

  LogicalResult checkKept() {
    for (Operation &op : kernel.getBody().front())
      for (unsigned leaf : plan.team)
        if (isKept(&op) && !sets.of(op.getResult(0))[plan.leaves[leaf].axis])
          return fail("keep '" + getValueName(&op).getValue() + "': it does not vary along '" +
                      nameOf(leaf) +
                      "', which a team shares, so that all threads would write it at once; "
                      "recompute it, or share another axis");
    return success();
  }

  LogicalResult checkStaged() {
    for (const StagedValue &staged : plan.staged) {
      if (staged.loop && llvm::is_contained(plan.team, *staged.loop) &&
          *staged.loop != plan.team.back())
        return fail("stage '" + getValueName(staged.op).getValue() + "' at '" +
                    nameOf(*staged.loop) + "': the team's loops are one, in which '" +
                    nameOf(plan.team.back()) + "' is the last; stage it there, or further outside");
    }
    return success();
  }

  /// Loops around the team's run alike in all threads, with the same barriers in each iteration.
  LogicalResult checkAround() {
    for (unsigned leaf : getLoopsAround()) {
      unsigned axis = plan.leaves[leaf].axis;
      if (plan.online && plan.online->leaf == leaf)
        return fail("online '" + nameOf(leaf) + "' lies outside of '" + nameOf(plan.team.front()) +
                    "', which a team shares: order it inside");
      if (llvm::any_of(plan.skipped, [&](const SkippedAxis &s) { return s.axis == axis; }))
        return fail("skip '" + kernel.getAxisName(axis) + "': its loop '" + nameOf(leaf) +
                    "' lies outside of '" + nameOf(plan.team.front()) +
                    "', which a team shares: order it inside, or leave skip out");
    }
    return success();
  }

  KernelOp kernel;
  Plan &plan;
  std::string &why;
  AxisSets sets;
};

class TeamPrimitive : public PrimitiveOf<TeamAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    Plan &plan = builder.getPlan();
    if (!plan.team.empty())
      return builder.fail("team is given twice: name all axes that threads share in one of them");
    for (StringAttr name : cast<TeamAttr>(primitive).getAxes()) {
      unsigned leaf;
      if (failed(builder.findAxis("team", name, leaf)))
        return failure();
      if (llvm::is_contained(plan.team, leaf))
        return builder.fail("team names '" + name.getValue() + "' twice: leave it out once");
      plan.team.push_back(leaf);
    }
    return success();
  }

  /// Puts the axes in the order of their loops, if threads may share these.
  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    return plan.team.empty() ? success() : TeamPlacer(kernel, plan, why).place();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<TeamAttr>(primitive).getAxes());
  }

  std::optional<bool> isAdmitted(Drawing &drawing) const override {
    for (const Drawing::Leaf &leaf : drawing.leaves)
      if (drawing.isLegalWith({OrderAttr::get(drawing.context, leaf.name),
                               TeamAttr::get(drawing.context, leaf.name)}))
        drawing.shareable.push_back(leaf.name);
    return !drawing.shareable.empty();
  }

  void draw(Drawing &drawing) const override {
    if (drawing.shareable.empty() || !drawing.chance(40))
      return;
    SmallVector<StringAttr> order;
    for (Attribute primitive : drawing.list)
      if (auto given = dyn_cast<OrderAttr>(primitive))
        llvm::append_range(order, given.getAxes());
    for (const Drawing::Leaf &leaf : drawing.leaves)
      if (!llvm::is_contained(order, leaf.name))
        order.push_back(leaf.name);
    size_t count = 1 + (drawing.chance(25) ? 1 : 0);
    // Most axes of a draw are in the grid or the tile, are reduced, or lie inside of what is
    // reduced.
    for (unsigned tries = 0; tries < 5; ++tries) {
      auto shared = ArrayRef(order).drop_front(drawing.below(order.size())).take_front(count);
      if (drawing.add(TeamAttr::get(drawing.context, shared)))
        return;
    }
  }
};

} // namespace

bool tw::schedule::isOwnInTeam(const Plan &plan, const StagedValue &staged) {
  if (plan.team.empty() || !staged.loop)
    return false;
  return llvm::find(plan.loops, *staged.loop) >= llvm::find(plan.loops, plan.team.back());
}

TW_DEFINE_PRIMITIVE(Team)
