// edge: what happens at the end of a split that does not divide.
#include "../Pad.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// The axes whose size a call settles and whose rest is switched over.
static LogicalResult switchEdges(KernelOp kernel, Plan &plan, std::string &why) {
  if (llvm::none_of(plan.leaves,
                    [](const LeafAxis &leaf) { return leaf.edge == EdgeMode::Switch; }))
    return success();
  AxisSets sets(kernel);
  for (unsigned axis = 0; axis < plan.padded.size(); ++axis) {
    SmallVector<const LeafAxis *> parts;
    for (const LeafAxis &leaf : plan.leaves)
      if (leaf.axis == axis && leaf.role != Role::Fill)
        parts.push_back(&leaf);
    if (parts.empty() || parts.front()->edge != EdgeMode::Switch || !kernel.isSymbolic(axis))
      continue;
    bool isOrdered = llvm::any_of(kernel.getBody().front(),
                                  [&](Operation &op) { return sets.orderedBy(&op)[axis]; });
    auto placeOf = [&](const LeafAxis *leaf) {
      return llvm::find_if(plan.loops, [&](unsigned loop) { return &plan.leaves[loop] == leaf; });
    };
    bool isBlocked = parts.size() == 3 && parts[1]->role == Role::Loop &&
                     (parts[0]->role == Role::Grid || placeOf(parts[0]) < placeOf(parts[1]));
    if ((parts.size() != 2 && !isBlocked) || parts.front()->role == Role::Tile ||
        parts.back()->role != Role::Tile || parts[0]->reduced || isOrdered || plan.warps ||
        !plan.team.empty()) {
      why = ("edge '" + Twine(kernel.getAxisName(axis)) +
             "' switch needs an axis of two parts, the inner one in the tile, or three, a loop "
             "inside of the outer one between, along which nothing is reduced, scanned or "
             "scattered, on one thread: use "
             "edge mask or peel")
                .str();
      return failure();
    }
    plan.peeled[axis] = true;
  }
  return success();
}

/// On a CPU the tile of a peeled iteration shrinks to what is left of the axis. That is known where
/// the parts of the axis are nested in their order, only the first one is in the grid and only the
/// last one in the tile.
/// Tiles along a reduced axis keep their size, which is that of the accumulators.
static LogicalResult peelEdges(KernelOp kernel, Plan &plan, std::string &why) {
  if (plan.warps)
    return switchEdges(kernel, plan, why);
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
    if (leaf.role == Role::Fill)
      continue;
    bool isInner = llvm::any_of(plan.leaves, [&](const LeafAxis &other) {
      return other.axis == leaf.axis && other.stride >= leaf.stride * leaf.extent;
    });
    // How much is left of a size that a call settles is not known: what is apart is masked.
    if (leaf.symbolic || (leaf.edge != EdgeMode::Peel && leaf.edge != EdgeMode::Switch) ||
        (leaf.role == Role::Grid && leaf.extent > 1 && isInner))
      whole.set(leaf.axis);
  }
  SmallVector<const LeafAxis *> outer(plan.padded.size(), nullptr);
  for (unsigned position : llvm::concat<unsigned>(plan.grid, plan.loops, plan.tile)) {
    const LeafAxis &leaf = plan.leaves[position];
    if (!plan.padded[leaf.axis] || whole[leaf.axis])
      continue;
    plan.peeled[leaf.axis] = true;
    const LeafAxis *before = std::exchange(outer[leaf.axis], &leaf);
    if (before && (before->stride < leaf.stride || before->role == Role::Tile)) {
      why = ("edge '" + Twine(kernel.getAxisName(leaf.axis)) + "' peel needs '" +
             leaf.name.getValue() + "' outside of '" + before->name.getValue() +
             "', as they were split: order them so, or use edge mask")
                .str();
      return failure();
    }
  }
  for (unsigned axis = 0; axis < plan.padded.size(); ++axis)
    if (plan.peeled[axis])
      plan.padded[axis] = false;
  return switchEdges(kernel, plan, why);
}

namespace {

class EdgePrimitive : public PrimitiveOf<EdgeAttr> {
public:
  LogicalResult prepare(KernelOp kernel, std::string &why) const override {
    return padReducedAxes(kernel, why);
  }

  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto edge = cast<EdgeAttr>(primitive);
    std::optional<unsigned> first = builder.findParts(edge.getAxis());
    if (!first)
      return builder.fail(
          "edge '" + edge.getAxis().getValue() +
          "' names no axis that was split: only parts can go beyond an axis; split it before, or "
          "leave edge out");
    auto &leaves = builder.getPlan().leaves;
    for (unsigned i = *first; i < leaves.size(); ++i)
      if (leaves[i].axis == leaves[*first].axis)
        leaves[i].edge = edge.getMode();
    return success();
  }

  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    return failure(failed(peelEdges(kernel, plan, why)) || failed(checkPadded(kernel, plan, why)));
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<EdgeAttr>(primitive).getAxis());
  }

  /// What is packed before is as long as its tiles reach, as the plan has checked.
  Attribute getRest(Attribute primitive) const override {
    auto edge = cast<EdgeAttr>(primitive);
    return edge.getMode() == EdgeMode::Pad
               ? EdgeAttr::get(edge.getContext(), edge.getAxis(), EdgeMode::Mask)
               : edge;
  }

  unsigned getWeight() const override { return 1; }

  /// Pads an axis that a split does not divide, mostly with all that is loaded in panels. Split
  /// draws the others.
  void drawMore(Drawing &drawing) const override {
    if (drawing.padded.empty())
      return;
    auto isStaged = [&](StringAttr name) {
      return llvm::any_of(drawing.list, [&](Attribute primitive) {
        auto stage = dyn_cast<StageAttr>(primitive);
        return stage && stage.getValue() == name;
      });
    };
    SmallVector<Attribute> primitives;
    if (drawing.chance(80))
      for (StringAttr load : drawing.loads)
        if (!isStaged(load))
          primitives.push_back(
              StageAttr::get(drawing.context, load, {}, {}, drawing.chance(30), false));
    primitives.push_back(
        EdgeAttr::get(drawing.context, drawing.pick(drawing.padded), EdgeMode::Pad));
    drawing.add(primitives);
  }

  std::string getCounted(Attribute primitive) const override {
    return "edge-" + stringifyEdgeMode(cast<EdgeAttr>(primitive).getMode()).str();
  }

  /// The last iteration of a split apart, or masked.
  void move(Moves &moves) const override {
    auto marks = moves.getMarks<EdgeAttr>();
    for (Attribute split : moves.list.splits) {
      StringAttr axis = cast<SplitAttr>(split).getAxis();
      auto *edge = llvm::find_if(marks, [&](EdgeAttr mark) { return mark.getAxis() == axis; });
      if (edge != marks.end())
        moves.addWithout(*edge);
      else
        moves.addMark(EdgeAttr::get(moves.context, axis, EdgeMode::Peel));
    }
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Edge)
