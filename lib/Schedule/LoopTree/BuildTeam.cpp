// Loops that the threads of a team share.
//
// The team's loops are one node, at whose end threads wait for each other. The last iteration of a
// peeled axis is a branch inside, as in the grid. Buffers that are filled inside are allocated
// there, each thread its own; those filled outside belong to the team, which shares one loop of the
// filling.
#include "TreeBuilder.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Whether the first of the team's loops is the one to open. In a filling none is: those of one
/// iteration are not among its loops, and the others are open.
bool TreeBuilder::isTeamAt(Roots roots, unsigned level) const {
  unsigned position = here().loops[level];
  return !here().filling && !plan.team.empty() && position == plan.team.front() &&
         llvm::any_of(roots,
                      [&](Operation *root) { return usesAxis(root, plan.leaves[position].axis); });
}

LogicalResult TreeBuilder::placeTeam(Roots roots, unsigned level) {
  auto &team = make<TeamNode>(innermost());
  for (unsigned leaf : plan.team)
    team.extents.push_back(getExtent(leaf));
  Scope &scope = open(&team.body);
  for (auto [i, leaf] : llvm::enumerate(plan.team)) {
    scope.indices[leaf] = {LeafIndex::From::Loop, int64_t(i), &team, innermost()};
    scope.open[leaf] = true;
  }
  allocate(/*ownInTeam=*/true);
  stage.push_back(roots.front());
  LogicalResult result = placeTeamParts(roots, level, 0);
  stage.pop_back();
  close();
  append(team);
  return result;
}

/// The rest of the team's axes: where the last iteration along one has fewer points, or alone goes
/// beyond the axis, it gets a branch.
LogicalResult TreeBuilder::placeTeamParts(Roots roots, unsigned level, unsigned dimension) {
  if (dimension == plan.team.size()) {
    Scope &scope = open();
    for (unsigned leaf : plan.team)
      scope.indices[leaf].depth = innermost();
    LogicalResult result = placeRoots(roots, level + dimension);
    close();
    return result;
  }
  unsigned position = plan.team[dimension];
  const LeafAxis &leaf = plan.leaves[position];
  Parts parts = getParts(position, /*isReverse=*/false);
  auto placePart = [&](Scope &scope, bool isLast) {
    if (!isLast && parts.masks)
      scope.padded[leaf.axis] = false;
    int64_t whole = scope.rest[leaf.axis];
    scope.rest[leaf.axis] = parts.shrinks && isLast ? whole % leaf.stride
                            : leaf.extent == 1      ? whole
                                                    : std::min(whole, leaf.stride);
    return placeTeamParts(roots, level, dimension + 1);
  };
  if ((!parts.shrinks && !parts.masks) || parts.extent == 1) {
    LogicalResult result = placePart(open(), /*isLast=*/parts.extent == 1);
    close();
    return result;
  }
  return branchAt(here().indices[position], parts.extent - 1, [&](bool isLast) {
    Scope &scope = *scopes.back().scope;
    if (isLast)
      scope.indices[position] = {LeafIndex::From::Constant, parts.extent - 1, nullptr, innermost()};
    return placePart(scope, isLast);
  });
}

/// if (index == at) { .. } else { .. } at the end of the innermost scope, each in a scope of its
/// own.
LogicalResult TreeBuilder::branchAt(LeafIndex index, int64_t at,
                                    function_ref<LogicalResult(bool)> placePart,
                                    std::optional<unsigned> endOf) {
  auto &branch = make<BranchNode>(innermost());
  branch.index = index;
  branch.at = at;
  branch.endOf = endOf;
  for (bool isThere : {true, false}) {
    open(isThere ? &branch.there : &branch.elsewhere);
    LogicalResult result = placePart(isThere);
    close();
    if (failed(result))
      return failure();
  }
  append(branch);
  return success();
}

/// A loop of a filling that the team shares, in a scope of its own.
LogicalResult TreeBuilder::shareLoop(int64_t end, int64_t step,
                                     function_ref<LogicalResult(const Node &)> placeBody) {
  auto &loop = make<LoopNode>(innermost());
  loop.upper.value = end;
  loop.step = step;
  loop.isShared = true;
  open(&loop.body).isShareLeft = false;
  LogicalResult result = placeBody(loop);
  close();
  append(loop);
  return result;
}
