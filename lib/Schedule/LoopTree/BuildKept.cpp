// Values kept between stages, in a result or in local memory, and partial results of reductions
// whose loops enclose loops of their result.
//
// order [io, jo] with i reduced and keep s result:
//   for jo: y[jo] = identity
//   for io: for jo: y[jo] = y[jo] + sum over the tile
#include "TreeBuilder.h"

#include "../Keep.h"

#include "tw/Dialect/Kernel/ValueName.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

std::optional<KeepPlace> TreeBuilder::getPlace(Operation *op) const {
  StringAttr name = getValueName(op);
  auto it = name ? plan.keep.find(name.getValue()) : plan.keep.end();
  if (it == plan.keep.end() || it->second == KeepPlace::Recompute)
    return std::nullopt;
  return it->second;
}

/// A kept value that an earlier stage computed: read back. What is kept in registers is computed
/// again where a root that it is for is.
FailureOr<std::optional<TreeBuilder::Placed>> TreeBuilder::getKept(Operation *op) {
  auto it = kept.find(op);
  if (it == kept.end() || it->second == stage || getPlace(op) == KeepPlace::Register)
    return std::optional<Placed>();
  FailureOr<Placed> read = readKept(op);
  if (failed(read))
    return failure();
  return std::optional<Placed>(*read);
}

LogicalResult TreeBuilder::keep(Operation *op, Ref value, unsigned depth) {
  kept[op] = stage;
  // Known outside of a team's loops where these have one iteration, but not to be written there.
  if (!plan.team.empty() && here().open[plan.team.back()])
    depth = std::max(depth, here().indices[plan.team.back()].depth);
  return getPlace(op) == KeepPlace::Register ? success() : writeKept(op, value, depth);
}

/// The scopes that know the coordinates of the present points in the memory that holds the value.
LogicalResult TreeBuilder::visitKeepingMemory(Operation *op, Node &node, unsigned &depth) {
  if (getPlace(op) != KeepPlace::Local)
    return visitIndices(findKeepingStore(kernel, plan, op).getIndices(), node, depth);
  for (unsigned leaf : getKeptLeaves(tree, op))
    if (const LeafIndex &index = here().indices[leaf];
        index && !llvm::is_contained(here().frame, leaf))
      depth = std::max(depth, index.depth);
  return success();
}

FailureOr<TreeBuilder::Placed> TreeBuilder::readKept(Operation *op) {
  Node own(here(), NodeKind::ReadKept, op);
  unsigned depth = 0;
  if (failed(visitKeepingMemory(op, own, depth)))
    return failure();
  Value result = op->getResult(0);
  Node &node = place(NodeKind::ReadKept, depth, op);
  node.uses = own.uses;
  node.memory = buffers.lookup(op);
  node.shape = getShape(sets.of(result));
  Ref ref{&node, 0};
  if (inResult.contains(op) && isScaledOnline(op)) {
    FailureOr<Ref> seen = poisonUnseen(op, ref);
    if (failed(seen))
      return failure();
    ref = *seen;
    depth = innermost();
  }
  define(result, ref, depth);
  return Placed{ref, depth};
}

LogicalResult TreeBuilder::writeKept(Operation *op, Ref value, unsigned depth) {
  Node own(here(), NodeKind::WriteKept, op);
  unsigned known = 0;
  if (failed(visitKeepingMemory(op, own, known)))
    return failure();
  Node &node = place(NodeKind::WriteKept, depth, op);
  node.uses = own.uses;
  if (value)
    node.before.push_back(value);
  node.memory = buffers.lookup(op);
  node.shape = getShape(sets.of(op->getResult(0)));
  return success();
}

SmallVector<unsigned> tw::schedule::getKeptLeaves(const LoopTree &tree, Operation *op) {
  const Plan &plan = tree.plan;
  SmallVector<unsigned> leaves;
  for (unsigned leaf : llvm::concat<const unsigned>(plan.loops, plan.tile))
    if (tree.sets.of(op->getResult(0))[plan.leaves[leaf].axis] &&
        !(plan.online && plan.online->leaf == leaf))
      leaves.push_back(leaf);
  return leaves;
}

bool tw::schedule::needs(Operation *op, Operation *producer) {
  SmallVector<Operation *> work{op};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *before = operand.getDefiningOp();
      if (before == producer)
        return true;
      if (before && seen.insert(before).second)
        work.push_back(before);
    }
  }
  return false;
}

/// Whether a loop is around the first stage that needs the value, which computes it, of an axis
/// that it does not have: it is computed again in each iteration.
static bool isComputedAgain(const LoopTree &tree, Operation *op) {
  const llvm::SmallBitVector &own = tree.sets.of(op->getResult(0));
  Operation *first = nullptr;
  for (Operation *root : findRoots(op))
    if (!first || root->isBeforeInBlock(first))
      first = root;
  return first && llvm::any_of(tree.plan.loops, [&](unsigned leaf) {
           unsigned axis = tree.plan.leaves[leaf].axis;
           return tree.plan.leaves[leaf].extent > 1 && !own[axis] &&
                  llvm::any_of(first->getOperands(),
                               [&](Value v) { return tree.sets.of(v)[axis]; });
         });
}

/// The staged value whose buffer the kept one can take over, point by point: of the same type and
/// dimensions, and read for the last time where the kept value is computed, once.
const StagedValue *TreeBuilder::findReplaced(Operation *op) const {
  if (isComputedAgain(tree, op))
    return nullptr;
  SmallVector<unsigned> leaves = getKeptLeaves(tree, op);
  for (const StagedValue &staged : plan.staged) {
    if (!staged.isContracted || staged.isBox || leaves != staged.leaves ||
        op->getResult(0).getType() != staged.op->getResult(0).getType())
      continue;
    SmallVector<Operation *> work(staged.op->getUsers());
    llvm::DenseSet<Operation *> seen;
    bool replaces = false, readLater = false;
    while (!work.empty()) {
      Operation *user = work.pop_back_val();
      if (!seen.insert(user).second)
        continue;
      if (user == op)
        replaces = true;
      else if (isRoot(user))
        readLater |= !needs(op, user) || runsAgain(kernel, sets, plan, user);
      else
        llvm::append_range(work, user->getUsers());
    }
    if (replaces && !readLater)
      return &staged;
  }
  return nullptr;
}

void TreeBuilder::allocateKept() {
  for (Operation &op : kernel.getBody().front()) {
    if (getPlace(&op) != KeepPlace::Local)
      continue;
    if (const StagedValue *source = findReplaced(&op)) {
      buffers[&op] = buffers[source->op];
      continue;
    }
    Node &node = place(NodeKind::Alloc, 0, &op);
    for (unsigned leaf : getKeptLeaves(tree, &op))
      node.shape.push_back(plan.leaves[leaf].extent);
    if (node.shape.empty()) // Varies along the grid alone.
      node.shape.push_back(1);
    buffers[&op] = &node;
  }
}

/// Values kept in local memory that the roots need, in program order, and that each iteration of a
/// loop that is about to open, over an axis that they do not have, would compute again in loops
/// inside of it.
SmallVector<Operation *> TreeBuilder::findRepeated(Roots roots, unsigned level) const {
  unsigned axis = plan.leaves[here().loops[level]].axis;
  auto isRepeated = [&](Operation *op) {
    const llvm::SmallBitVector &own = sets.of(op->getResult(0));
    return !own[axis] &&
           llvm::any_of(ArrayRef(here().loops).drop_front(level + 1), [&](unsigned leaf) {
             return own[plan.leaves[leaf].axis] && !here().open[leaf] && getExtent(leaf) > 1;
           });
  };
  auto isKnown = [&](Operation *op) {
    return llvm::any_of(plan.staged, [&](const auto &staged) { return staged.op == op; }) ||
           llvm::any_of(scopes,
                        [&](const Open &open) { return open.values.count(op->getResult(0)); });
  };
  SmallVector<Operation *> work(roots), repeated;
  llvm::DenseSet<Operation *> seen;
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || isRoot(op) || !seen.insert(op).second || isKnown(op))
        continue;
      if (getPlace(op) != KeepPlace::Local)
        work.push_back(op);
      else if (isRepeated(op))
        repeated.push_back(op);
    }
  llvm::sort(repeated, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return repeated;
}

/// Computes those, before the loop, unless an earlier stage has.
LogicalResult TreeBuilder::fillRepeated(Roots roots, unsigned level) {
  if (plan.keep.empty() || plan.online || !plan.team.empty() || starting)
    return success();
  for (Operation *op : findRepeated(roots, level)) {
    stage.push_back(op);
    auto it = kept.find(op);
    // The last, partial iteration of a loop around has a filling of its own.
    bool isOther =
        it != kept.end() && ArrayRef(it->second).take_front(stage.size()) != ArrayRef(stage);
    LogicalResult result = isOther ? success() : placeRoots(op, level);
    stage.pop_back();
    if (failed(result))
      return failure();
  }
  return success();
}

/// Computes what is kept in local memory and read by what is to be filled in the scope of that
/// depth, before all loops, unless an earlier stage has.
LogicalResult TreeBuilder::fillKeptFor(const StagedValue &staged, unsigned depth) {
  SmallVector<Operation *> work{staged.op}, needed;
  llvm::DenseSet<Operation *> seen;
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && seen.insert(op).second) {
        bool isKept = getPlace(op) == KeepPlace::Local && !isRoot(op);
        (isKept ? needed : work).push_back(op);
      }
  llvm::sort(needed, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Open> inside;
  for (Open &open : MutableArrayRef(scopes).drop_front(depth + 1))
    inside.push_back(std::move(open));
  scopes.truncate(depth + 1);
  LogicalResult result = success();
  for (Operation *op : needed) {
    if (failed(result) || kept.count(op))
      continue;
    Stage around = std::exchange(stage, {op});
    result = placeRoots(op, 0);
    stage = std::move(around);
  }
  for (Open &open : inside)
    scopes.push_back(std::move(open));
  return result;
}

/// Whether loops of the root's result are inside of the loop, over one of its axes: then its
/// partial results are in memory.
bool TreeBuilder::hasPartials(Operation *root, unsigned level) const {
  std::optional<KeepPlace> place = getPlace(root);
  if (!isa<ReduceOp, ContractOp>(root) || (place != KeepPlace::Result && place != KeepPlace::Local))
    return false;
  llvm::SmallBitVector reduced = sets.reducedBy(root);
  const llvm::SmallBitVector &axes = sets.of(root->getResult(0));
  return llvm::any_of(ArrayRef(here().loops).drop_front(level + 1), [&](unsigned leaf) {
    unsigned axis = plan.leaves[leaf].axis;
    // No register holds them from one loop of a team to the next, however short.
    return axes[axis] && !reduced[axis] && (getExtent(leaf) > 1 || isInTeam(leaf));
  });
}

/// Writes the identity wherever partial results will be, in loops over the result's axes alone.
LogicalResult TreeBuilder::startPartials(Operation *root, unsigned level) {
  Operation *before = std::exchange(starting, root);
  LogicalResult result = placeRoots(root, level + 1);
  starting = before;
  partial.insert(root);
  return result;
}

/// Adds a part of the reduction to the partial result in memory.
LogicalResult TreeBuilder::addToPartial(Operation *root, Ref value) {
  FailureOr<Placed> before = readKept(root);
  if (failed(before))
    return failure();
  Node &node = place(NodeKind::AddPartial, innermost(), root);
  node.before = {before->ref, value};
  if (isScaledOnline(root))
    node.before.push_back(onlineCorrection);
  node.shape = tree.getShape(value);
  scopes[before->depth].values.erase(root->getResult(0));
  return writeKept(root, {&node, 0}, innermost());
}
