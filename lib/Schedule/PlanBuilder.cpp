// Axes are split, take their roles, and are numbered anew at the end.
#include "tw/Schedule/PlanBuilder.h"

#include "Finish.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

StringRef tw::schedule::getRoleKeyword(Role role) {
  return role == Role::Grid ? "grid" : role == Role::Tile ? "tile" : "order";
}

PlanBuilder::PlanBuilder(KernelOp kernel, std::string &why) : kernel(kernel), why(why) {
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
    leaf.symbolic = kernel.isSymbolic(i);
    plan.leaves.push_back(leaf);
    plan.index.push_back(getAffineDimExpr(i, kernel.getContext()));
    // A single point is there at some sizes, and beyond the axis at the size 0.
    plan.padded.push_back(leaf.symbolic && leaf.extent == 1);
    plan.peeled.push_back(false);
    live.push_back(true);
    placed.push_back(false);
    leading.push_back(true);
  }
}

FailureOr<Plan> PlanBuilder::build(ScheduleAttr schedule) {
  if (schedule)
    for (Attribute primitive : schedule.getPrimitives())
      if (failed(apply(primitive)))
        return failure();
  closeAxes();
  if (failed(finishPlan(kernel, plan, why)))
    return failure();
  return plan;
}

/// The first name in the primitive.
static StringRef getFirstName(Attribute primitive) {
  StringAttr first;
  primitive.walkImmediateSubElements(
      [&](Attribute part) {
        if (!first)
          first = dyn_cast<StringAttr>(part);
      },
      [](Type) {});
  return first.getValue();
}

LogicalResult PlanBuilder::apply(Attribute primitive) {
  const Primitive &kind = getPrimitive(primitive);
  switch (kind.getPhase()) {
  case Phase::Rewrite:
    return fail(kind.getKeyword() + " '" + getFirstName(primitive) +
                "' comes after other primitives: it rewrites the kernel, so it belongs to the head "
                "of the list");
  case Phase::Parts:
    return fail(kind.getKeyword() + " '" + getFirstName(primitive) +
                "' comes after other primitives, or in a plan: it makes kernels of their own, so "
                "it belongs to the head of the list, after merges");
  case Phase::Plan:
    return kind.apply(*this, primitive);
  }
  llvm_unreachable("phases are those");
}

LogicalResult PlanBuilder::fail(const Twine &reason) {
  why = reason.str();
  return failure();
}

LogicalResult PlanBuilder::findAxis(StringRef primitive, StringAttr name, unsigned &position) {
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

Operation *PlanBuilder::findValue(StringRef primitive, StringAttr name) {
  SmallVector<StringRef> named;
  for (Operation &op : kernel.getBody().front()) {
    StringAttr known = getValueName(&op);
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

LogicalResult PlanBuilder::split(unsigned whole, ArrayRef<StringAttr> names,
                                 ArrayRef<int64_t> extents) {
  const LeafAxis before = plan.leaves[whole];
  AffineExpr index = getAffineConstantExpr(0, kernel.getContext());
  wholes[before.name] = plan.leaves.size();
  for (auto [i, name, extent] : llvm::enumerate(names, extents)) {
    for (auto [j, other] : llvm::enumerate(plan.leaves))
      if (live[j] && j != whole && other.name == name)
        return fail("split '" + before.name.getValue() + "' gives the name '" + name.getValue() +
                    "', which another axis has: choose another one");
    LeafAxis leaf = before;
    leaf.name = name;
    leaf.extent = extent;
    leaf.symbolic = before.symbolic && i == 0;
    index = index * extent + getAffineDimExpr(plan.leaves.size(), kernel.getContext());
    plan.leaves.push_back(leaf);
    live.push_back(true);
    placed.push_back(false);
    leading.push_back(leading[whole] && i == 0);
  }
  live[whole] = false;
  AffineExpr &target = plan.index[before.axis];
  target = target.replace(getAffineDimExpr(whole, kernel.getContext()), index);
  return success();
}

LogicalResult PlanBuilder::place(StringRef primitive, ArrayRef<StringAttr> names, Role role,
                                 SmallVectorImpl<unsigned> &list) {
  for (StringAttr name : names) {
    unsigned leaf;
    if (failed(findAxis(primitive, name, leaf)))
      return failure();
    if (placed[leaf])
      return fail(primitive + " '" + name.getValue() + "' is already in " +
                  getRoleKeyword(plan.leaves[leaf].role) +
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

std::optional<unsigned> PlanBuilder::findParts(StringAttr axis) const {
  auto it = wholes.find(axis);
  return it == wholes.end() ? std::nullopt : std::optional(it->second);
}

int64_t PlanBuilder::getLeafStride(unsigned leaf) {
  SmallVector<AffineExpr> point(plan.leaves.size(), getAffineConstantExpr(0, kernel.getContext()));
  point[leaf] = getAffineConstantExpr(1, kernel.getContext());
  AffineExpr index = plan.index[plan.leaves[leaf].axis].replaceDims(point);
  return cast<AffineConstantExpr>(simplifyAffineExpr(index, 0, 0)).getValue();
}

void PlanBuilder::orderResultsFirst(SmallVectorImpl<unsigned> &loops) {
  if (loops.size() < 2)
    return;
  // Pairs of axes of which the first one runs outside of the second one.
  AxisSets sets(kernel);
  SmallVector<std::pair<llvm::SmallBitVector, llvm::SmallBitVector>> reductions;
  for (Operation &op : kernel.getBody().front()) {
    llvm::SmallBitVector reduced = sets.reducedBy(&op) |= sets.orderedBy(&op);
    if (reduced.any())
      reductions.push_back({op.getNumResults() ? sets.of(op.getResult(0)) : reduced, reduced});
  }
  auto isOutside = [&](unsigned axis, unsigned other) {
    return axis != other && llvm::any_of(reductions, [&](const auto &reduction) {
             auto &[kept, reduced] = reduction;
             return (kept[axis] && !reduced[axis] && reduced[other]) ||
                    (axis < other && reduced[axis] && reduced[other]);
           });
  };
  SmallVector<unsigned> ordered, left(loops.begin(), loops.end());
  while (!left.empty()) {
    auto *next = llvm::find_if(left, [&](unsigned leaf) {
      return llvm::none_of(left, [&](unsigned other) {
        return isOutside(plan.leaves[other].axis, plan.leaves[leaf].axis);
      });
    });
    // Each of two reductions may keep what the other one reduces: no order is legal then.
    if (next == left.end())
      return;
    ordered.push_back(*next);
    left.erase(next);
  }
  loops.assign(ordered.begin(), ordered.end());
}

void PlanBuilder::closeAxes() {
  // Leaves that nothing placed are loops, after the ordered ones, in the kernel's order but what
  // results keep outside of what they reduce, the parts of an axis nested as they were split.
  SmallVector<unsigned> rest;
  for (unsigned i = 0; i < plan.leaves.size(); ++i)
    if (live[i] && !placed[i])
      rest.push_back(i);
  llvm::sort(rest, [&](unsigned a, unsigned b) {
    return std::tuple(plan.leaves[a].axis, -getLeafStride(a), a) <
           std::tuple(plan.leaves[b].axis, -getLeafStride(b), b);
  });
  orderResultsFirst(rest);
  plan.loops.append(rest);
  dropSplitLeaves();
}

void PlanBuilder::dropSplitLeaves() {
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
