// Loops that the threads of a team share.
//
// The team's loops are one scf.forall, whose end is a barrier. The last iteration of a peeled axis
// is a branch inside, as in the grid. Buffers that are filled inside are allocated there, each
// thread its own; those filled outside belong to the team, which shares one loop of the filling.
#include "Emitter.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::LeafAxis;

/// Whether the first of the team's loops is the one to open. In a filling none is: those of one
/// iteration are not among its loops, and the others are open.
bool TileEmitter::isTeamAt(ArrayRef<Operation *> roots, unsigned level) const {
  return !filling && !plan.team.empty() && loops[level] == plan.team.front() &&
         llvm::any_of(roots, [&](Operation *root) {
           return usesAxis(root, plan.leaves[loops[level]].axis);
         });
}

LogicalResult TileEmitter::emitTeam(ArrayRef<Operation *> roots, unsigned level) {
  unsigned parent = innermost();
  SmallVector<OpFoldResult> lower(plan.team.size(), builder.getIndexAttr(0)), upper;
  SmallVector<OpFoldResult> step(plan.team.size(), builder.getIndexAttr(1));
  for (unsigned leaf : plan.team)
    upper.push_back(builder.getIndexAttr(getExtent(leaf)));
  insertIn(parent);
  auto loop = tile::createTeamLoop(builder, location, lower, upper, step);
  loop.getTerminator()->erase();
  Operation *anchor = std::exchange(scopes[parent].anchor, loop);
  scopes.emplace_back(loop.getBody());
  for (auto [leaf, index] : llvm::zip(plan.team, loop.getInductionVars())) {
    leafValues[leaf] = index;
    leafScopes[leaf] = innermost();
    leafOpen[leaf] = true;
  }
  auto outerBuffers = buffers;
  allocateBuffers(/*ownInTeam=*/true);
  stage.push_back(roots.front());
  LogicalResult result = emitTeamParts(roots, level, 0);
  stage.pop_back();
  buffers = std::move(outerBuffers);
  for (unsigned leaf : plan.team) {
    leafValues[leaf] = nullptr;
    leafOpen[leaf] = false;
  }
  scopes.pop_back();
  scopes[parent].anchor = anchor;
  scf::ForallOp::ensureTerminator(loop.getRegion(), builder, location);
  return result;
}

/// The rest of the team's axes: where the last iteration along one has fewer points, or alone goes
/// beyond the axis, it gets a branch.
LogicalResult TileEmitter::emitTeamParts(ArrayRef<Operation *> roots, unsigned level,
                                         unsigned dimension) {
  if (dimension == plan.team.size()) {
    scopes.back().rest = rest;
    SmallVector<unsigned> outer = leafScopes;
    for (unsigned leaf : plan.team)
      leafScopes[leaf] = innermost();
    LogicalResult result = emitRoots(roots, level + dimension);
    leafScopes = std::move(outer);
    return result;
  }
  unsigned position = plan.team[dimension];
  const LeafAxis &leaf = plan.leaves[position];
  int64_t extent = getExtent(position), whole = rest[leaf.axis];
  bool shrinks =
      plan.peeled[leaf.axis] && leaf.extent > 1 && whole % leaf.stride != 0 && whole > leaf.stride;
  bool masks = isMaskedApart(position);
  auto emitPart = [&](bool isLast) {
    bool before = std::exchange(padded[leaf.axis], padded[leaf.axis] && (isLast || !masks));
    rest[leaf.axis] = shrinks && isLast  ? whole % leaf.stride
                      : leaf.extent == 1 ? whole
                                         : std::min(whole, leaf.stride);
    LogicalResult result = emitTeamParts(roots, level, dimension + 1);
    rest[leaf.axis] = whole;
    padded[leaf.axis] = before;
    return result;
  };
  if ((!shrinks && !masks) || extent == 1)
    return emitPart(/*isLast=*/extent == 1);
  Value index = leafValues[position];
  LogicalResult result = branchAt(
      index, extent - 1,
      [&](Value last) {
        leafValues[position] = last;
        return emitPart(/*isLast=*/true);
      },
      [&] {
        leafValues[position] = index;
        return emitPart(/*isLast=*/false);
      });
  leafValues[position] = index;
  return result;
}

/// if (index == at) { .. } else { .. } at the end of the innermost scope, each in a scope of its
/// own.
LogicalResult TileEmitter::branchAt(Value index, int64_t at,
                                    function_ref<LogicalResult(Value)> emitThere,
                                    function_ref<LogicalResult()> emitElsewhere) {
  insertIn(innermost());
  Value last = arith::ConstantIndexOp::create(builder, location, at);
  Value isLast = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, index, last);
  auto branch = scf::IfOp::create(builder, location, isLast, /*withElseRegion=*/true);
  unsigned parent = innermost();
  Operation *anchor = std::exchange(scopes[parent].anchor, branch);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    block->getTerminator()->erase();
    scopes.emplace_back(block);
    scopes.back().rest = rest;
    LogicalResult result = block == branch.thenBlock() ? emitThere(last) : emitElsewhere();
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, location);
    scopes.pop_back();
    if (failed(result))
      return failure();
  }
  scopes[parent].anchor = anchor;
  return success();
}

/// A loop of a filling that the team shares, in a scope of its own.
LogicalResult TileEmitter::shareLoop(int64_t end, int64_t step,
                                     function_ref<LogicalResult(Value)> emitBody) {
  unsigned parent = innermost();
  insertIn(parent);
  OpFoldResult lower = builder.getIndexAttr(0), upper = builder.getIndexAttr(end),
               by = builder.getIndexAttr(step);
  auto loop = tile::createTeamLoop(builder, location, lower, upper, by);
  loop.getTerminator()->erase();
  Operation *anchor = std::exchange(scopes[parent].anchor, loop);
  scopes.emplace_back(loop.getBody());
  scopes.back().rest = rest;
  isShareLeft = false;
  LogicalResult result = emitBody(loop.getInductionVar(0));
  isShareLeft = true;
  scopes.pop_back();
  scopes[parent].anchor = anchor;
  scf::ForallOp::ensureTerminator(loop.getRegion(), builder, location);
  return result;
}
