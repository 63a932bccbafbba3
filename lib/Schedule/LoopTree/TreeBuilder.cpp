// The tree and its nodes; how a builder makes them.
#include "TreeBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Points of a box along one of its sums, of as many points of the axes as are left of them there.
static int64_t getBoxExtent(const LoopTree &tree, const Scope &scope, unsigned leaf) {
  const StagedValue *staged = scope.filling;
  auto *filled = staged ? llvm::find(staged->filled, leaf) : nullptr;
  if (!staged || filled == staged->filled.end())
    return tree.plan.leaves[leaf].extent;
  // By axis, of which no more is left than its parts cover.
  const WindowDim &dim = staged->window[filled - staged->filled.begin()];
  SmallVector<int64_t> reach(tree.plan.index.size(), 0);
  for (unsigned pinned : staged->pinned)
    if (dim.coefficients.size() > pinned && dim.coefficients[pinned] != 0)
      reach[tree.plan.leaves[pinned].axis] +=
          dim.coefficients[pinned] * (tree.getExtent(scope, pinned) - 1);
  int64_t extent = 1;
  for (unsigned pinned : staged->pinned) {
    const LeafAxis &axis = tree.plan.leaves[pinned];
    int64_t own = std::exchange(reach[axis.axis], 0);
    if (tree.plan.peeled[axis.axis] && own > 0)
      own = std::min(own, dim.coefficients[pinned] / axis.stride * (scope.rest[axis.axis] - 1));
    extent += own;
  }
  return extent;
}

int64_t LoopTree::getExtent(const Scope &scope, unsigned leaf) const {
  const LeafAxis &axis = plan.leaves[leaf];
  if (scope.chunks[leaf])
    return scope.chunks[leaf];
  if (axis.role == Role::Fill)
    return getBoxExtent(*this, scope, leaf);
  if (!plan.peeled[axis.axis])
    return axis.extent;
  return std::min<int64_t>(axis.extent, llvm::divideCeil(scope.rest[axis.axis], axis.stride));
}

Shape LoopTree::getShape(const Scope &scope, const llvm::SmallBitVector &axes) const {
  Shape shape(scope.getTileRank(), 1);
  for (auto [d, leaf] : llvm::enumerate(scope.frame))
    if (axes[plan.leaves[leaf].axis])
      shape[d] = getExtent(scope, leaf);
  return shape;
}

bool LoopTree::isGroup(Operation *root, unsigned leaf) const {
  return plan.leaves[leaf].dot && isa<ContractOp>(root) &&
         sets.reducedBy(root)[plan.leaves[leaf].axis];
}

Shape LoopTree::getAccumulatorShape(const Scope &scope, Operation *root) const {
  llvm::SmallBitVector axes = sets.reducedBy(root);
  for (Value operand : root->getOperands())
    axes |= sets.of(operand);
  // The carry of a scan has one element along its axis.
  if (auto scan = dyn_cast<ScanOp>(root))
    axes.reset(cast<BlockArgument>(scan.getAxis()).getArgNumber());
  Shape shape = getShape(scope, axes);
  for (auto [dim, leaf] : llvm::enumerate(scope.frame))
    if (isGroup(root, leaf))
      shape[dim] = 1;
  return shape;
}

bool LoopTree::isCombinedInSteps(Operation *root) const {
  return plan.warps && plan.online && isa<ReduceOp>(root) &&
         (root == plan.online->lead ||
          llvm::any_of(plan.online->sums, [&](const auto &sum) { return sum.op == root; }));
}

Shape LoopTree::getShape(Ref ref) const {
  if (auto *loop = dyn_cast<LoopNode>(ref.node))
    return loop->carried[ref.number % loop->carried.size()].shape;
  if (ref.node->kind == NodeKind::Scan && ref.number >= ref.node->op->getNumResults())
    return getAccumulatorShape(ref.node->scope, ref.node->op);
  return ref.node->shape;
}

SmallVector<WindowDim> tw::schedule::getBufferDims(const Plan &plan, const StagedValue &staged) {
  SmallVector<WindowDim> dims = staged.window;
  if (!staged.groupDim)
    return dims;
  WindowDim &groups = dims[*staged.groupDim], elements;
  elements.coefficients.resize(plan.leaves.size());
  elements.extent = plan.leaves[staged.groupLeaf].extent;
  std::swap(elements.coefficients[staged.groupLeaf], groups.coefficients[staged.groupLeaf]);
  for (int64_t *value : {&groups.constant, &groups.least, &groups.extent})
    *value /= elements.extent;
  for (int64_t &coefficient : groups.coefficients)
    coefficient /= elements.extent;
  dims.push_back(elements);
  return dims;
}

/// Whether the bound is known for each point of a tile once loops are unrolled.
static bool isKnownInTiles(const Plan &plan, const SkippedAxis::Bound &bound) {
  return llvm::all_of(plan.leaves, [&](const LeafAxis &leaf) {
    return bound.coefficients[leaf.axis] == 0 || leaf.extent == 1 || leaf.role == Role::Tile ||
           (leaf.role == Role::Loop && leaf.unroll == 0);
  });
}

SmallVector<const SkippedAxis::Bound *> tw::schedule::getWindowBounds(const Plan &plan,
                                                                      Operation *op) {
  LoadOp load = getWindowLoad(op);
  auto number = dyn_cast<FloatAttr>(load.getMap().getOutsideFill(load.getType()));
  SmallVector<const SkippedAxis::Bound *> bounds;
  if (number && number.getValue().isPosZero())
    for (const SkippedAxis &skipped : plan.skipped)
      for (const SkippedAxis::Bound &bound : skipped.bounds)
        if (skipped.mask == load && isKnownInTiles(plan, bound))
          bounds.push_back(&bound);
  return bounds;
}

LogicalResult TreeBuilder::refuse(Operation *op, const Twine &text) {
  refusal = {op, text.str()};
  return failure();
}

Node &TreeBuilder::place(NodeKind kind, unsigned depth, Operation *op) {
  auto &node = make<Node>(depth, kind, op);
  append(node);
  return node;
}

Scope &TreeBuilder::open(Block *block) {
  auto scope = std::make_unique<Scope>(here());
  scope->depth = scopes.size();
  if (block)
    scope->block = block;
  tree.scopes.push_back(std::move(scope));
  Open &own = scopes.emplace_back();
  own.scope = tree.scopes.back().get();
  own.decided = scopes[scopes.size() - 2].decided;
  return *own.scope;
}

LogicalResult TreeBuilder::build() {
  auto program = std::make_unique<Scope>();
  program->block = &tree.body;
  program->indices.resize(plan.leaves.size());
  program->open.assign(plan.leaves.size(), false);
  program->chunks.assign(plan.leaves.size(), 0);
  program->rest.assign(kernel.getExtents().begin(), kernel.getExtents().end());
  program->padded = plan.padded;
  program->frame = plan.tile;
  program->loops = plan.loops;
  for (auto [i, leaf] : llvm::enumerate(plan.grid)) {
    program->indices[leaf] = {LeafIndex::From::Program, int64_t(i), nullptr, 0};
    program->open[leaf] = true;
  }
  tree.scopes.push_back(std::move(program));
  scopes.emplace_back().scope = tree.scopes.back().get();
  allocate(/*ownInTeam=*/false);
  allocateKept();
  SmallVector<Operation *> roots;
  for (Operation &op : kernel.getBody().front())
    if (isa<StoreOp, ReduceOp, ContractOp, ScanOp>(op) && !isForStages(plan, &op))
      roots.push_back(&op);
  return placeGrid(roots, 0);
}

std::unique_ptr<LoopTree> tw::schedule::buildLoopTree(KernelOp kernel, const Plan &plan,
                                                      Refusal &refusal) {
  auto tree = std::make_unique<LoopTree>(kernel, plan);
  if (failed(TreeBuilder(*tree, refusal).build()))
    return nullptr;
  return tree;
}
