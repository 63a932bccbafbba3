// Values in local memory: their buffers are allocated where the program or the team's loop begins,
// filled where the loop of the stage begins, and read inside.
//
// A group of threads fills a buffer as one tile. One thread with vector registers has loops over
// the buffer, around tiles of kFillRows x kFillLanes elements, transposed in registers, where
// memory is read along another dimension than the buffer's last one, else of a row of kFillRow.
// Where the last dimension is the group of a dot instruction, tiles run along memory for each of
// its elements. The tile of a value that is contracted is that of the buffer's last two dimensions,
// or of the last one, and of an axis that is summed over along memory. Windows are copied.
#include "TreeBuilder.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Those of the program, or those that each thread of its team has for itself.
void TreeBuilder::allocate(bool ownInTeam) {
  for (const StagedValue &staged : plan.staged) {
    if (isOwnInTeam(plan, staged) != ownInTeam)
      continue;
    Node &node = place(NodeKind::Alloc, innermost(), staged.op);
    node.staged = &staged;
    if (!staged.isWindow)
      for (unsigned leaf : staged.leaves)
        node.shape.push_back(plan.leaves[leaf].extent);
    for (const WindowDim &dim : getBufferDims(plan, staged))
      node.shape.push_back(dim.extent);
    buffers[staged.op] = &node;
  }
}

/// Where the stage's loop begins; but where a sum is computed again inside of it, loops that come
/// before it in the order, along which the value varies, may be open inside of it.
unsigned TreeBuilder::getStageDepth(const StagedValue &staged) const {
  if (!staged.loop)
    return gridDepth;
  unsigned depth = here().indices[*staged.loop].depth;
  const llvm::SmallBitVector &axes = sets.of(staged.op->getResult(0));
  for (unsigned leaf : ArrayRef(plan.loops.begin(), llvm::find(plan.loops, *staged.loop)))
    if (const LeafIndex &index = here().indices[leaf]; index && axes[plan.leaves[leaf].axis])
      depth = std::max(depth, index.depth);
  return depth;
}

LogicalResult TreeBuilder::ensureFilled(const StagedValue &staged) {
  unsigned depth = getStageDepth(staged);
  return success(!scopes[depth].filled.insert(staged.op).second || succeeded(fill(staged, depth)));
}

/// The value read from its buffer, which is filled first where that has not happened yet; nothing
/// when it is not in local memory here.
FailureOr<std::optional<TreeBuilder::Placed>> TreeBuilder::getStaged(Operation *op) {
  auto *staged = llvm::find_if(plan.staged, [&](const StagedValue &s) { return s.op == op; });
  // The tiles of a filling are not those of other buffers; but contractions read what is filled.
  const StagedValue *filling = here().filling;
  bool isHidden = filling && (op == filling->op || !filling->isContracted ||
                              !scopes.front().filled.contains(op));
  if (staged == plan.staged.end() || isHidden || (staged->loop && !here().open[*staged->loop]))
    return std::optional<Placed>();
  if (failed(ensureFilled(*staged)))
    return failure();
  unsigned depth = getStageDepth(*staged);
  auto visit = [&](unsigned leaf) {
    if (const LeafIndex &index = here().indices[leaf])
      depth = std::max(depth, index.depth);
  };
  for (const WindowDim &dim : staged->window)
    for (auto [leaf, coefficient] : llvm::enumerate(dim.coefficients))
      if (coefficient != 0 && plan.leaves[leaf].extent != 1 &&
          llvm::is_contained(staged->leaves, leaf))
        visit(leaf);
  if (!staged->isWindow)
    for (unsigned leaf : staged->leaves)
      if (!llvm::is_contained(here().frame, leaf))
        visit(leaf);
  if (staged->isWindow && !staged->isBox)
    for (const SkippedAxis::Bound *bound : getWindowBounds(plan, op))
      for (auto [axis, coefficient] : llvm::enumerate(bound->coefficients))
        if (coefficient != 0)
          visitAxis(axis, depth);
  Node &node = place(NodeKind::ReadStaged, depth, op);
  node.staged = staged;
  node.memory = buffers[op];
  node.shape = getShape(sets.of(op->getResult(0)));
  define(op->getResult(0), {&node, 0}, depth);
  return std::optional<Placed>(Placed{{&node, 0}, depth});
}

/// The leaves so that the parts of each axis are nested as they were split: how many points of an
/// inner one are left of the axis is known inside of the outer ones.
static SmallVector<unsigned> sortParts(const Plan &plan, ArrayRef<unsigned> leaves) {
  SmallVector<unsigned> sorted(leaves);
  for (unsigned &first : sorted)
    for (unsigned &second : MutableArrayRef(&first, sorted.end()))
      if (plan.leaves[first].axis == plan.leaves[second].axis &&
          plan.leaves[first].stride < plan.leaves[second].stride)
        std::swap(first, second);
  return sorted;
}

/// The loops inside of the stage.
static ArrayRef<unsigned> getInside(const Plan &plan, const StagedValue &staged) {
  if (!staged.loop)
    return plan.loops;
  return {std::next(llvm::find(plan.loops, *staged.loop)), plan.loops.end()};
}

/// Computes the value in the frame of its buffer, at the end of the scope, and stores it there.
/// Nothing that the scopes know is of that frame, so that the filling has scopes of its own.
LogicalResult TreeBuilder::fill(const StagedValue &staged, unsigned depth) {
  if (staged.isWindow && !staged.isBox) {
    Node &node = place(NodeKind::FillWindow, depth, staged.op);
    node.staged = &staged;
    node.memory = buffers[staged.op];
    return success();
  }
  ArrayRef<unsigned> inside = getInside(plan, staged);
  if (staged.isContracted)
    for (const StagedValue &other : plan.staged) {
      // A loop before this one in the order need not be around what is computed here.
      bool around =
          !other.loop || (here().open[*other.loop] && !llvm::is_contained(inside, *other.loop));
      if (around && needs(staged.op, other.op) && failed(ensureFilled(other)))
        return failure();
    }
  if (staged.isContracted && !staged.isBox && !staged.loop && !plan.keep.empty() &&
      failed(fillKeptFor(staged, depth)))
    return failure();
  auto &node = make<FillNode>(depth, staged);
  Open own;
  openFilling(staged, depth, own);
  own.scope->block = &node.body;
  own.scope->rest = scopes[depth].scope->rest;
  for (const Open &outer : ArrayRef(scopes).take_front(depth + 1))
    own.filled.insert_range(outer.filled);
  SmallVector<Open> outer = std::exchange(scopes, {});
  scopes.push_back(std::move(own));
  unsigned outerGrid = std::exchange(gridDepth, 0);
  LogicalResult result = plan.warps ? fillTile() : fillLoops(sortParts(plan, staged.filled));
  gridDepth = outerGrid;
  scopes = std::move(outer);
  append(node);
  return result;
}

/// The outermost scope of a filling: loops that are inside of the stage are not open.
void TreeBuilder::openFilling(const StagedValue &staged, unsigned depth, Open &own) {
  tree.scopes.push_back(std::make_unique<Scope>(here()));
  own.scope = tree.scopes.back().get();
  own.decided = scopes.back().decided;
  Scope &scope = *own.scope;
  scope.depth = 0;
  for (unsigned leaf : llvm::concat<const unsigned>(getInside(plan, staged), plan.tile)) {
    scope.indices[leaf] = {};
    scope.open[leaf] = false;
    scope.chunks[leaf] = 0;
  }
  // At 0, with the leaf of their sum beside them.
  for (unsigned leaf : staged.pinned)
    scope.open[leaf] = true;
  for (LeafIndex &index : scope.indices)
    index.depth = 0;
  scope.padded = plan.padded;
  for (auto [i, leaf] : llvm::enumerate(plan.leaves))
    if (!plan.warps && scope.open[i] && !llvm::is_contained(staged.pinned, i) && isOutermostPart(i))
      scope.padded[leaf.axis] = scopes[depth].scope->padded[leaf.axis];
  scope.filling = &staged;
  scope.openInFilling.assign(plan.leaves.size(), false);
  scope.isShareLeft = !plan.team.empty() && !isOwnInTeam(plan, staged);
  scope.loops = plan.loops;
  scope.frame = staged.filled;
  if (plan.warps)
    return;
  if (staged.isContracted) {
    scope.frame = llvm::to_vector(getContractedTile(plan, staged));
    if (staged.summedLanes)
      scope.frame.push_back(*staged.summedLanes);
    scope.loops.append(staged.summedLoops.begin(), staged.summedLoops.end());
    return;
  }
  scope.frame = {staged.filled.back()};
  // Groups of dot instructions are interleaved: lanes run along memory, groups across.
  if (staged.readLeaf != scope.frame[0])
    scope.frame.insert(plan.leaves[scope.frame[0]].dot ? scope.frame.end() : scope.frame.begin(),
                       staged.readLeaf);
}

LogicalResult TreeBuilder::fillTile() {
  const StagedValue &staged = *here().filling;
  Value result = staged.op->getResult(0);
  FailureOr<Placed> value = get(result);
  if (failed(value))
    return failure();
  Node &node = place(NodeKind::FillTile, innermost(), staged.op);
  node.uses.push_back({result, value->ref});
  node.staged = &staged;
  node.memory = buffers[staged.op];
  node.shape = getShape(sets.of(result));
  return success();
}

/// The loops over the dimensions of the buffer that are left, outermost first.
LogicalResult TreeBuilder::fillLoops(ArrayRef<unsigned> leaves) {
  if (!leaves.empty())
    return fillLoop(leaves);
  if (here().isShareLeft)
    return shareLoop(1, 1, [&](const Node &) { return fillTile(); });
  return fillTile();
}
