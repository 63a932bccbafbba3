// Loops of a tree, from the outside in.
#include "TreeBuilder.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Where the last program along a dimension has less to do, it gets a block of its own.
LogicalResult TreeBuilder::placeGrid(Roots roots, unsigned dimension) {
  if (dimension == plan.grid.size()) {
    gridDepth = innermost();
    return placeRoots(roots, 0);
  }
  unsigned position = plan.grid[dimension];
  const LeafAxis &leaf = plan.leaves[position];
  if (isSwitchedAlike(position)) {
    open().indices[position].depth = innermost();
    kept.clear();
    LogicalResult result = placeRests(
        position, [&] { return placeGrid(roots, dimension + 1); }, /*isOfAny=*/true);
    close();
    return result;
  }
  if (leaf.symbolic && (leaf.extent > 1 || canSwitch(position)) && isMaskedApart(position))
    return branchAt(
        here().indices[position], 0,
        [&](bool isLast) {
          Scope &scope = *scopes.back().scope;
          scope.padded[leaf.axis] = false;
          scope.rest[leaf.axis] = leaf.stride;
          scope.indices[position].depth = innermost();
          kept.clear();
          auto placeNext = [&] { return placeGrid(roots, dimension + 1); };
          return isLast ? placeRests(position, placeNext) : placeNext();
        },
        position);
  int64_t whole = here().rest[leaf.axis], partial = whole % leaf.stride;
  if (!plan.peeled[leaf.axis] || leaf.extent == 1)
    return placeGrid(roots, dimension + 1);
  if (partial == 0 || whole < leaf.stride || leaf.symbolic) {
    open().rest[leaf.axis] = std::min(whole, leaf.stride);
    LogicalResult result = placeGrid(roots, dimension + 1);
    close();
    return result;
  }
  return branchAt(here().indices[position], whole / leaf.stride, [&](bool isLast) {
    Scope &scope = *scopes.back().scope;
    scope.rest[leaf.axis] = isLast ? partial : leaf.stride;
    if (isLast)
      scope.indices[position] = {LeafIndex::From::Constant, whole / leaf.stride, nullptr, 0};
    scope.indices[position].depth = innermost();
    kept.clear();
    return placeGrid(roots, dimension + 1);
  });
}

/// Whether all that is summed or reduced along the axis is read from buffers.
bool TreeBuilder::readsBuffersAlong(unsigned axis) const {
  SmallVector<Operation *> work;
  auto addOperands = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        work.push_back(producer);
  };
  for (Operation &op : KernelOp(kernel).getBody().front())
    if (isa<ReduceOp, ContractOp>(op))
      addOperands(&op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (llvm::any_of(plan.staged, [&](const StagedValue &staged) { return staged.op == op; }))
      continue;
    if (isa<LoadOp>(op) && sets.of(op->getResult(0))[axis])
      return false;
    addOperands(op);
  }
  return true;
}

/// Whether all programs along a dimension of the grid switch over what is left of its axis, and do
/// what is done for most of it where there is more: the same code once less. It has masks where
/// buffers are filled and where results are stored, which is little beside sums of buffers.
bool TreeBuilder::isSwitchedAlike(unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  return own.symbolic && canSwitch(leaf) && isMaskedApart(leaf) &&
         (own.extent == 1 || readsBuffersAlong(own.axis));
}

/// The last, partial iteration of a leaf, in the innermost scope: whole with masks, or a switch
/// over how much is left, with a body for each number of points: a row that is masked in the
/// innermost loop costs more than the copy. Where rows lie in buffers none are, and a body does for
/// up to half as many points more as the one before. Along lanes for kLeastLanes of them, twice as
/// many and so on.
LogicalResult TreeBuilder::placeRests(unsigned position, function_ref<LogicalResult()> placePart,
                                      bool isOfAny) {
  const LeafAxis &leaf = plan.leaves[position];
  unsigned opened = 0;
  LogicalResult result = success();
  SmallVector<BranchNode *> branches;
  bool switches = canSwitch(position);
  bool isLanes = switches && plan.leaves[plan.tile.back()].axis == leaf.axis;
  bool isBuffered = switches && readsBuffersAlong(leaf.axis);
  int64_t before = 0;
  for (int64_t most = isLanes ? kLeastLanes : 1; switches && most < leaf.stride;) {
    auto &branch = make<BranchNode>(innermost());
    branch.endOf = position;
    branch.mostLeft = most;
    branch.isOfAny = isOfAny;
    if (isOfAny)
      branch.index = here().indices[position];
    branches.push_back(&branch);
    Scope &scope = open(&branch.there);
    scope.rest[leaf.axis] = most;
    scope.padded[leaf.axis] = most != before + 1;
    // What varies along the axis has another shape in each part.
    scope.indices[position].depth = innermost();
    kept.clear();
    result = placePart();
    close();
    if (failed(result))
      break;
    open(&branch.elsewhere);
    ++opened;
    before = most;
    most += isLanes ? most : isBuffered ? std::max<int64_t>(1, most / 2) : 1;
  }
  if (succeeded(result)) {
    Scope &scope = open();
    scope.rest[leaf.axis] = leaf.stride;
    scope.padded[leaf.axis] = !isOfAny || before + 1 < leaf.stride;
    scope.indices[position].depth = innermost();
    kept.clear();
    result = placePart();
    close();
  }
  while (opened-- > 0) {
    close();
    append(*branches[opened]);
  }
  return result;
}

bool TreeBuilder::usesAxis(Operation *root, unsigned axis) const {
  return llvm::any_of(root->getOperands(),
                      [&](Value operand) { return sets.of(operand).test(axis); });
}

/// Whether the root carries something from one iteration over the axis to the next.
bool TreeBuilder::carriesAlong(Operation *root, unsigned axis) const {
  if (auto scan = dyn_cast<ScanOp>(root))
    return cast<BlockArgument>(scan.getAxis()).getArgNumber() == axis;
  return sets.reducedBy(root).test(axis);
}

/// Whether the root needs, for one point of the axis, what an op of the group has only after all.
bool TreeBuilder::mustFollow(Operation *root, Roots group, unsigned axis) const {
  auto scan = dyn_cast<ScanOp>(root);
  for (Operation *other : group)
    if (scan && carriesAlong(scan, axis) && isa<ScanOp>(other) && carriesAlong(other, axis) &&
        cast<ScanOp>(other).getReverse() != scan.getReverse())
      return true;
  SmallVector<Operation *> work{root};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !seen.insert(producer).second)
        continue;
      if (llvm::is_contained(group, producer) && sets.reducedBy(producer).test(axis))
        return true;
      work.push_back(producer);
    }
  }
  return false;
}

/// Whether the root is computed from one of the others.
static bool dependsOnAny(Operation *root, ArrayRef<Operation *> others) {
  SmallVector<Operation *> work{root};
  llvm::DenseSet<Operation *> seen;
  bool found = false;
  while (!others.empty() && !work.empty())
    // What a combining region uses from outside, too.
    work.pop_back_val()->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && seen.insert(producer).second) {
          found |= llvm::is_contained(others, producer);
          work.push_back(producer);
        }
    });
  return found;
}

/// The part of an axis in whose last iteration alone the axis can end.
bool TreeBuilder::isOutermostPart(unsigned leaf) const {
  return llvm::none_of(plan.leaves, [&](const LeafAxis &other) {
    return other.axis == plan.leaves[leaf].axis && other.stride > plan.leaves[leaf].stride;
  });
}

/// Whether the last iteration of the leaf's loop, where alone the axis can end, is apart. Blocks of
/// tiles are all alike where the tile that the axis ends in is switched over.
bool TreeBuilder::isMaskedApart(unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  bool switches = own.edge == EdgeMode::Switch && (!own.symbolic || canSwitch(leaf));
  return (own.edge == EdgeMode::Peel || switches) && here().padded[own.axis] &&
         isOutermostPart(leaf);
}

/// Whether the last iteration of the leaf's loop may be a switch: it has a part of a tile.
bool TreeBuilder::canSwitch(unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  return own.edge == EdgeMode::Switch && own.role != Role::Tile &&
         KernelOp(kernel).isSymbolic(own.axis) &&
         llvm::none_of(plan.leaves, [&](const LeafAxis &other) {
           return other.axis == own.axis && other.stride < own.stride && other.role != Role::Tile;
         });
}

bool TreeBuilder::isSwitched(unsigned leaf) const {
  return plan.leaves[leaf].symbolic && canSwitch(leaf) && isMaskedApart(leaf);
}

/// Whether the loop over an inner part ends where the axis does, whose size a call settles: where
/// what is around it may reach beyond that, and says where the axis has got to.
bool TreeBuilder::endsWithAxis(unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  if (plan.warps || own.symbolic || own.unroll == 0 || own.extent == 1 ||
      !KernelOp(kernel).isSymbolic(own.axis) || !here().padded[own.axis] ||
      llvm::is_contained(here().frame, leaf))
    return false;
  for (auto [i, other] : llvm::enumerate(plan.leaves))
    if (other.axis == own.axis && other.stride > own.stride && other.extent > 1 &&
        (!here().indices[i] || llvm::is_contained(here().frame, i)))
      return false;
  return true;
}

/// Whether nothing reaches beyond the axis inside of the leaf's loop, as loops over all inner parts
/// end where the axis does: no iteration is another one.
bool TreeBuilder::endsInside(unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  bool isSplit = false;
  for (auto [i, other] : llvm::enumerate(plan.leaves)) {
    if (other.axis != own.axis || other.stride >= own.stride)
      continue;
    if (plan.warps || other.extent == 1 || other.unroll == 0 || here().open[i] ||
        !llvm::is_contained(here().loops, i) || llvm::is_contained(here().frame, i))
      return false;
    isSplit = true;
  }
  return isSplit && (own.symbolic || endsWithAxis(leaf));
}

/// The mask by which the leaf's loop is shorter. The innermost part of a split axis always runs to
/// its end: it is short.
const SkippedAxis *TreeBuilder::findSkipped(unsigned leaf) const {
  const LeafAxis &axis = plan.leaves[leaf];
  if (axis.unroll == 0 || (axis.stride == 1 && !isOutermostPart(leaf)))
    return nullptr;
  auto *it = llvm::find_if(plan.skipped, [&](const SkippedAxis &s) { return s.axis == axis.axis; });
  return it == plan.skipped.end() ? nullptr : it;
}

LogicalResult TreeBuilder::placeRoots(Roots roots, unsigned level) {
  if (level == here().loops.size()) {
    for (Operation *root : roots)
      if (failed(placeRoot(root)))
        return failure();
    return success();
  }
  unsigned position = here().loops[level];
  unsigned axis = plan.leaves[position].axis;
  if (here().open[position] || (starting && carriesAlong(starting, axis)))
    return placeRoots(roots, level + 1);
  if (isTeamAt(roots, level))
    return placeTeam(roots, level);
  auto isScanned = [&](Operation *root) { return isa<ScanOp>(root) && carriesAlong(root, axis); };
  // The last iteration of a peeled axis has the stages of the others, also if only one point of an
  // inner part is left.
  const LeafAxis &leaf = plan.leaves[position];
  if (leaf.extent == 1 && !isSwitched(position) && llvm::none_of(roots, isScanned)) {
    // Known wherever the scope is.
    scopes.back().scope->open[position] = true;
    scopes.back().scope->indices[position].depth = innermost();
    LogicalResult result = placeRoots(roots, level + 1);
    scopes.back().scope->open[position] = false;
    return result;
  }
  SmallVector<Operation *> rest(roots);
  while (!rest.empty()) {
    bool uses = usesAxis(rest.front(), axis);
    SmallVector<Operation *> group = takeGroup(rest, position);
    if (failed(uses ? placeLoop(group, level) : placeRoots(group, level + 1)))
      return failure();
  }
  return success();
}

/// Takes the first root and those that may share its loop over the leaf, or be without one as it
/// is: those that follow it, and those behind others that they do not need. Where results hold
/// other values in the meantime, or roots follow a maximum, their order stays.
SmallVector<Operation *> TreeBuilder::takeGroup(SmallVectorImpl<Operation *> &roots,
                                                unsigned position) {
  unsigned axis = plan.leaves[position].axis;
  bool uses = usesAxis(roots.front(), axis);
  bool staysInOrder = plan.online || llvm::any_of(plan.keep, [](const auto &kept) {
                        return kept.second == KeepPlace::Result;
                      });
  SmallVector<Operation *> group, others;
  for (Operation *root : roots) {
    bool joins =
        usesAxis(root, axis) == uses && (others.empty() || !staysInOrder) &&
        !dependsOnAny(root, others) &&
        !(uses && !(isOnline(position) && isOnlineRoot(root)) && mustFollow(root, group, axis));
    (joins ? group : others).push_back(root);
  }
  roots = std::move(others);
  return group;
}

/// The ops that carry something along the axis and that the roots need, but no open scope has:
/// those of a stage that is closed. In program order, reductions and scans.
TreeBuilder::Missing TreeBuilder::findMissing(Roots roots, unsigned axis) {
  Missing missing;
  SmallVector<Operation *> work(roots);
  llvm::DenseSet<Operation *> seen(roots.begin(), roots.end());
  auto isKnown = [&](Operation *op) {
    auto earlier = getPlace(op) == KeepPlace::Register ? kept.end() : kept.find(op);
    bool isStaged = llvm::any_of(plan.staged, [&](const StagedValue &staged) {
      return staged.op == op && (!staged.loop || here().open[*staged.loop]);
    });
    return isStaged || accumulators.count(op) || inResult.contains(op) ||
           (earlier != kept.end() && earlier->second != stage) ||
           llvm::any_of(scopes,
                        [&](const Open &open) { return open.values.count(op->getResult(0)); });
  };
  while (!starting && !work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !seen.insert(op).second || isKnown(op))
        continue;
      bool isScan = isa<ScanOp>(op), carries = carriesAlong(op, axis);
      if (carries)
        (isScan ? missing.scans : missing.reductions).push_back(op);
      // A scan runs in the loop that is about to open.
      if (!carries || isScan)
        work.push_back(op);
    }
  for (auto *ops : {&missing.reductions, &missing.scans})
    llvm::sort(*ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return missing;
}

TreeBuilder::Parts TreeBuilder::getParts(unsigned position, bool isReverse) const {
  const LeafAxis &leaf = plan.leaves[position];
  Parts parts;
  int64_t whole = here().rest[leaf.axis];
  parts.extent = getExtent(position);
  parts.shrinks =
      plan.peeled[leaf.axis] && leaf.extent > 1 && whole % leaf.stride != 0 && whole > leaf.stride;
  // A reversed loop begins with the partial iteration.
  parts.masks = isMaskedApart(position) && !isReverse;
  parts.iterations = parts.shrinks || parts.masks ? parts.extent - 1 : parts.extent;
  parts.rest = std::min(whole, leaf.stride);
  // A part of one point leaves the others theirs.
  parts.lastRest = parts.shrinks ? whole % leaf.stride : leaf.extent == 1 ? whole : parts.rest;
  return parts;
}

LogicalResult TreeBuilder::placeLoop(Roots group, unsigned level) {
  unsigned axis = plan.leaves[here().loops[level]].axis;
  if (failed(fillRepeated(group, level)))
    return failure();
  // What another stage reduced over this loop is reduced again before it opens; what it scanned,
  // inside of it.
  Missing missing = findMissing(group, axis);
  if (!missing.reductions.empty() && failed(placeRoots(missing.reductions, 0)))
    return failure();
  SmallVector<Operation *> roots(missing.scans);
  roots.append(group.begin(), group.end());
  Carrying carrying;
  if (failed(startCarrying(roots, level, carrying)))
    return failure();
  for (Operation *root : carrying.started)
    if (failed(startPartials(root, level)))
      return failure();
  stage.push_back(group.front());
  Parts parts = getParts(here().loops[level], carrying.isReverse);
  if (failed(placeAllIterations(roots, level, parts, carrying)))
    return failure();
  stage.pop_back();
  return finishCarrying(carrying, level);
}

/// A loop that is open, of another stage, over an axis along which the root carries something. Sums
/// whose partial results are in memory come back to them there.
std::optional<unsigned> TreeBuilder::findLoopOf(Operation *root) const {
  if (!isa<ReduceOp, ContractOp, ScanOp>(root) || accumulators.count(root) || partial.count(root))
    return std::nullopt;
  for (unsigned leaf : here().loops)
    if (plan.leaves[leaf].extent > 1 && here().open[leaf] && here().indices[leaf] &&
        !llvm::is_contained(here().frame, leaf) && carriesAlong(root, plan.leaves[leaf].axis))
      return leaf;
  return std::nullopt;
}

LogicalResult TreeBuilder::refuseInside(Operation *root, unsigned leaf) {
  return refuse(root, "expected this op, which runs along '" + plan.leaves[leaf].name.getValue() +
                          "', before or behind the loop over it, and what another stage computes "
                          "in that loop needs its result there: stage it, or what is computed from "
                          "it, at a loop around that one, or keep that local");
}

/// What each root carries through the loop begins, where no loop around has begun it.
LogicalResult TreeBuilder::startCarrying(Roots roots, unsigned level, Carrying &carrying) {
  const LeafAxis &leaf = plan.leaves[here().loops[level]];
  std::optional<bool> direction;
  for (Operation *root : roots) {
    if (!carriesAlong(root, leaf.axis))
      continue;
    if (hasPartials(root, level) && !accumulators.count(root)) {
      if (!partial.count(root))
        carrying.started.push_back(root);
      continue;
    }
    carrying.roots.push_back(root);
    if (auto scan = dyn_cast<ScanOp>(root)) {
      if (direction.value_or(scan.getReverse()) != scan.getReverse())
        return refuse(root,
                      "scans along '" + leaf.name.getValue() +
                          "' in both directions need what one gives in the loop of the other: "
                          "keep it");
      direction = scan.getReverse();
    }
    if (accumulators.count(root))
      continue;
    if (std::optional<unsigned> around = findLoopOf(root))
      return refuseInside(root, *around);
    Node &start = place(NodeKind::Start, innermost(), root);
    start.shape = tree.getAccumulatorShape(here(), root);
    if (tree.isCombinedInSteps(root))
      for (auto [d, own] : llvm::enumerate(here().frame))
        if (sets.reducedBy(root)[plan.leaves[own].axis])
          start.shape[d] = 1;
    Accumulator accumulator{{}, level};
    for (unsigned i = 0; i < root->getNumResults(); ++i)
      accumulator.values.push_back({&start, i});
    accumulators[root] = accumulator;
  }
  carrying.isReverse = direction.value_or(false);
  return success();
}

/// A loop over some iterations, which reach beyond the axis or do not.
LogicalResult TreeBuilder::placeIterations(Roots roots, unsigned level, const Parts &parts,
                                           const Carrying &carrying, LoopBound lower,
                                           LoopBound upper, bool masks) {
  unsigned position = here().loops[level];
  const LeafAxis &leaf = plan.leaves[position];
  auto &loop = make<LoopNode>(innermost());
  loop.leaf = position;
  loop.lower = lower;
  loop.upper = upper;
  if ((loop.skipped = findSkipped(position))) {
    loop.lower = {LoopBound::At::FirstSeen, upper.value};
    loop.upper = {LoopBound::At::EndSeen, upper.value};
  }
  loop.unroll = leaf.unroll;
  loop.isReverse = carrying.isReverse;
  for (Operation *root : carrying.roots)
    for (Ref &value : accumulators[root].values)
      loop.carried.push_back({root, value, {}, tree.getShape(value)});
  auto distribute = [&](bool isInside) {
    unsigned i = 0;
    for (Operation *root : carrying.roots)
      for (Ref &value : accumulators[root].values) {
        if (!isInside)
          loop.carried[i].next = value;
        value = isInside ? loop.getInside(i) : loop.getAfter(i);
        ++i;
      }
  };
  distribute(/*isInside=*/true);
  Scope &scope = open(&loop.body);
  // Loops that end where the axis does reach no further, if nothing is inside of their points.
  bool reaches = upper.at != LoopBound::At::Left || leaf.stride > 1;
  scope.padded[leaf.axis] = scope.padded[leaf.axis] && masks && reaches;
  scope.rest[leaf.axis] = parts.rest;
  scope.indices[position] = {LeafIndex::From::Loop, 0, &loop, innermost()};
  bool switches = masks && canSwitch(position) && lower.at != LoopBound::At::Constant;
  if (switches ? failed(placeSwitch(roots, level)) : failed(placeInside(roots, level, scope)))
    return failure();
  distribute(/*isInside=*/false);
  append(loop);
  return success();
}

/// The loop over the iterations that are alike, and the last one apart.
LogicalResult TreeBuilder::placeAllIterations(Roots roots, unsigned level, const Parts &parts,
                                              const Carrying &carrying) {
  using At = LoopBound::At;
  unsigned position = here().loops[level];
  const LeafAxis &leaf = plan.leaves[position];
  // Loops of multiply-adds are unrolled where they are as long as they can be.
  bool isLong = endsInside(position) && llvm::any_of(carrying.roots, llvm::IsaPred<ContractOp>);
  if (endsWithAxis(position) && !findSkipped(position)) {
    LoopBound begin, whole{At::WholeLeft, parts.extent}, left{At::Left, parts.extent};
    if (!canSwitch(position) && !isLong)
      return placeIterations(roots, level, parts, carrying, begin, left, /*masks=*/true);
    return failure(
        failed(placeIterations(roots, level, parts, carrying, begin, whole, /*masks=*/false)) ||
        failed(placeIterations(roots, level, parts, carrying, whole, left, /*masks=*/true)));
  }
  bool switches = leaf.symbolic && canSwitch(position) && parts.masks;
  if (leaf.symbolic && (parts.extent > 1 || switches)) {
    LoopBound begin, whole{At::Whole, parts.extent}, end{At::End, parts.extent};
    if (!parts.masks || findSkipped(position) || (endsInside(position) && !isLong))
      return placeIterations(roots, level, parts, carrying, begin, end, /*masks=*/true);
    return failure(
        failed(placeIterations(roots, level, parts, carrying, begin, whole, /*masks=*/false)) ||
        failed(placeIterations(roots, level, parts, carrying, whole, end, /*masks=*/true)));
  }
  if ((parts.iterations > 1 || (parts.iterations == 1 && parts.extent > 1)) &&
      failed(placeIterations(roots, level, parts, carrying, {}, {At::Constant, parts.iterations},
                             !parts.masks)))
    return failure();
  if (!parts.shrinks && !parts.masks && parts.extent != 1)
    return success();
  Scope &scope = open();
  scope.rest[leaf.axis] = parts.lastRest;
  scope.indices[position] = {LeafIndex::From::Constant, parts.extent - 1, nullptr, innermost()};
  return placeInside(roots, level, scope);
}

/// The same for the last iteration of a leaf whose rest is switched over.
LogicalResult TreeBuilder::placeSwitch(Roots roots, unsigned level) {
  LogicalResult result = placeRests(here().loops[level], [&] {
    // The scope that is closed there.
    return placeInside(roots, level, open());
  });
  close();
  return result;
}

/// What is inside of the loop, in the scope that was opened for an iteration.
LogicalResult TreeBuilder::placeInside(Roots roots, unsigned level, Scope &scope) {
  unsigned position = scope.loops[level];
  scope.open[position] = true;
  // What comes apart from the lead has a loop of its own, over the same axis.
  if (isOnline(position) && accumulators.count(plan.online->lead)) {
    onlineDepth = innermost();
    onlineBefore = accumulators[plan.online->lead].values[0];
    onlineCorrection = {};
  }
  LogicalResult result = placeRoots(roots, level + 1);
  close();
  if (isOnline(position))
    onlineDepth = std::nullopt;
  return result;
}

LogicalResult TreeBuilder::finishCarrying(const Carrying &carrying, unsigned level) {
  unsigned position = here().loops[level];
  for (Operation *root : carrying.started) {
    partial.erase(root);
    inResult.insert(root);
  }
  for (Operation *root : carrying.roots) {
    Accumulator done = accumulators[root];
    if (done.level != level) {
      updateOnline(root);
      continue;
    }
    accumulators.erase(root);
    if (isa<ScanOp>(root))
      continue;
    if (isOnline(position) && isScaledOnline(root)) {
      FailureOr<Ref> value = poisonUnseen(root, done.values[0]);
      if (failed(value))
        return failure();
      done.values[0] = *value;
    }
    if (failed(finish(root, done.values)))
      return failure();
    if (plan.online && root == plan.online->lead && failed(combineOnline(done.values[0])))
      return failure();
  }
  return success();
}
