// Axes are split, take their roles, and are numbered anew at the end.
#include "PlanAxes.h"

#include "tw/Dialect/Kernel/AxisSets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

/// Points of all parts of an axis but the first one, so that products of a few stay in 64 bits.
static constexpr int64_t kMaxPart = 1 << 30;

/// The primitive that gives the role.
static StringRef getName(Role role) {
  return role == Role::Grid ? "grid" : role == Role::Tile ? "tile" : "order";
}

/// The divisor of `extent` that is nearest to `length`, the smaller one of two.
static int64_t getNearestDivisor(int64_t extent, int64_t length) {
  int64_t below = std::min(length, extent), above = below;
  while (extent % below != 0)
    --below;
  while (extent % above != 0)
    ++above;
  return length - below <= above - length ? below : above;
}

PlanAxes::PlanAxes(KernelOp kernel, Plan &plan, std::string &why)
    : kernel(kernel), plan(plan), why(why) {
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

LogicalResult PlanAxes::fail(const Twine &reason) {
  why = reason.str();
  return failure();
}

LogicalResult PlanAxes::find(StringRef primitive, StringAttr name, unsigned &position) {
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

// m = [mo, mi 8]: leaf m is replaced by mo of ceil(m / 8) and mi of 8; m becomes mo * 8 + mi.
LogicalResult PlanAxes::split(SplitAttr split) {
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

LogicalResult PlanAxes::place(ArrayRef<StringAttr> names, Role role,
                              SmallVectorImpl<unsigned> &list, StringRef primitive) {
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

LogicalResult PlanAxes::setEdge(EdgeAttr edge) {
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

int64_t PlanAxes::getLeafStride(unsigned leaf) {
  SmallVector<AffineExpr> point(plan.leaves.size(), getAffineConstantExpr(0, kernel.getContext()));
  point[leaf] = getAffineConstantExpr(1, kernel.getContext());
  AffineExpr index = plan.index[plan.leaves[leaf].axis].replaceDims(point);
  return cast<AffineConstantExpr>(simplifyAffineExpr(index, 0, 0)).getValue();
}

void PlanAxes::finish() {
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
}

void PlanAxes::dropSplitLeaves() {
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
