// Counts over the loop tree: iterations around each node, times the points of its tile.
#include "Recompute.h"

#include "tw/Schedule/LoopTree.h"

using namespace mlir;
using namespace tw;
using namespace tw::schedule;

namespace {

/// Points at which each op is computed.
using Counts = llvm::MapVector<Operation *, double>;

double getIterations(const LoopNode &loop) {
  int64_t lower = loop.lower.at == LoopBound::At::Constant ? loop.lower.value : 0;
  return double(llvm::divideCeil(loop.upper.value - lower, loop.step));
}

void add(const schedule::Block &block, double times, Counts &counts) {
  for (const Node *node : block) {
    if (auto *loop = dyn_cast<LoopNode>(node)) {
      add(loop->body, times * getIterations(*loop), counts);
    } else if (auto *team = dyn_cast<TeamNode>(node)) {
      add(team->body, llvm::product_of(team->extents, times), counts);
    } else if (auto *fill = dyn_cast<FillNode>(node)) {
      add(fill->body, times, counts);
    } else if (auto *branch = dyn_cast<BranchNode>(node)) {
      Counts there, elsewhere;
      add(branch->there, times, there);
      add(branch->elsewhere, times, elsewhere);
      for (auto [op, count] : there)
        elsewhere[op] = std::max(elsewhere[op], count);
      for (auto [op, count] : elsewhere)
        counts[op] += count;
    } else if (node->op && (node->kind == NodeKind::Compute || node->kind == NodeKind::Accumulate ||
                            node->kind == NodeKind::Scan)) {
      counts[node->op] += times * double(llvm::product_of(node->shape, int64_t(1)));
    }
  }
}

/// The ops that compute with what was read, in program order: not indices, or what follows from
/// them alone.
SmallVector<Operation *> findComputing(kernel::KernelOp kernel) {
  llvm::DenseSet<Value> known;
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front()) {
    bool isLoad = isa<kernel::LoadOp>(op);
    if (!isLoad && llvm::none_of(op.getOperands(), [&](Value v) { return known.contains(v); }))
      continue;
    known.insert_range(op.getResults());
    bool isIndex = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
    if (!isLoad && !isIndex)
      ops.push_back(&op);
  }
  return ops;
}

} // namespace

int64_t tw::countRecomputation(kernel::KernelOp kernel) {
  // Rewrites at the head of a schedule are for the copy alone.
  OwningOpRef<kernel::KernelOp> copy(kernel.clone());
  FailureOr<Plan> plan = makePlan(*copy);
  Refusal refusal;
  std::unique_ptr<LoopTree> tree =
      succeeded(plan) ? buildLoopTree(*copy, *plan, refusal) : std::unique_ptr<LoopTree>();
  if (!tree)
    return 1;
  double programs = 1;
  for (unsigned leaf : plan->grid)
    programs *= double(plan->leaves[leaf].extent);
  Counts counts;
  add(tree->body, programs, counts);
  double most = 1;
  for (Operation *op : findComputing(*copy)) {
    llvm::SmallBitVector axes = tree->sets.reducedBy(op);
    for (Value operand : op->getOperands())
      axes |= tree->sets.of(operand);
    // What depends on no axis is a constant; what does not vary is hoisted by every compiler.
    double points = 1;
    for (const LeafAxis &leaf : plan->leaves)
      if (axes.test(leaf.axis))
        points *= double(leaf.extent);
    most = std::max(most, counts.lookup(op) / points);
  }
  return int64_t(most + 1e-6);
}
