// What holds in every loop tree.
#include "tw/Schedule/LoopTree.h"

#include "llvm/ADT/DenseSet.h"

#include <utility>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Walks the tree in the order in which it runs.
class Verifier {
public:
  explicit Verifier(const LoopTree &tree) : tree(tree), plan(tree.plan) {}

  std::string verify() {
    visit(tree.body);
    for (const auto &node : tree.nodes)
      if (why.empty() && !placed.contains(node.get()))
        fail(*node, "stands in no block");
    return why;
  }

private:
  void fail(const Node &node, const Twine &text) {
    if (why.empty())
      why = ("node %" + Twine(node.number) + " " + text).str();
  }

  void visit(const schedule::Block &block) {
    size_t known = order.size();
    for (const Node *node : block)
      visit(*node, block);
    // What is in a block is not known after it.
    while (order.size() > known)
      visible.erase(order.pop_back_val());
  }

  void visit(const Node &node, const schedule::Block &block) {
    if (!placed.insert(&node).second)
      return fail(node, "stands in two places");
    if (node.scope.block != &block)
      fail(node, "stands in another block than its scope's");
    checkScope(node);
    for (const Node::Use &use : node.uses)
      checkRef(node, use.ref);
    for (Ref ref : node.before)
      checkRef(node, ref);
    if (node.mask)
      checkRef(node, node.mask);
    if (node.memory)
      checkRef(node, {node.memory, 0});
    if (auto *loop = dyn_cast<LoopNode>(&node))
      visitLoop(*loop);
    else if (auto *branch = dyn_cast<BranchNode>(&node))
      visit(branch->there), visit(branch->elsewhere);
    else if (auto *team = dyn_cast<TeamNode>(&node))
      inside(node, team->body);
    else if (auto *fill = dyn_cast<FillNode>(&node))
      visitFill(*fill);
    else if (node.kind == NodeKind::Accumulate)
      checkSum(node);
    makeVisible(node);
  }

  void makeVisible(const Node &node) {
    visible.insert(&node);
    order.push_back(&node);
  }

  /// The indices of a loop are known inside of it alone.
  void inside(const Node &loop, const schedule::Block &body) {
    open.insert(&loop);
    visit(body);
    open.erase(&loop);
  }

  void visitLoop(const LoopNode &loop) {
    if (loop.upper.value < loop.lower.value || loop.step < 1)
      fail(loop, "runs backwards");
    for (const LoopNode::Carried &carried : loop.carried)
      checkRef(loop, carried.initial);
    // Both what begins an iteration and what a branch of it gives are checked where they are used.
    open.insert(&loop);
    if (isFilling)
      filling.push_back(&loop);
    size_t known = order.size();
    for (const Node *node : loop.body)
      visit(*node, loop.body);
    if (isFilling)
      filling.pop_back();
    for (const LoopNode::Carried &carried : loop.carried) {
      checkRef(loop, carried.next);
      if (tree.getShape(carried.next) != carried.shape)
        fail(loop, "carries tiles of two shapes");
    }
    while (order.size() > known)
      visible.erase(order.pop_back_val());
    open.erase(&loop);
  }

  void visitFill(const FillNode &fill) {
    SmallVector<const LoopNode *> outer = std::exchange(filling, {});
    isFilling = true;
    visit(fill.body);
    isFilling = false;
    filling = std::move(outer);
  }

  /// Loops over a buffer do not carry what is computed in them: a sum there has loops of its own.
  void checkSum(const Node &node) {
    for (const LoopNode *loop : filling)
      if (loop->leaf && tree.sets.reducedBy(node.op)[plan.leaves[*loop->leaf].axis] &&
          llvm::none_of(loop->carried,
                        [&](const LoopNode::Carried &carried) { return carried.root == node.op; }))
        fail(node, "sums over '" + plan.leaves[*loop->leaf].name.getValue() +
                       "' in a loop that fills a buffer along it");
  }

  void checkRef(const Node &node, Ref ref) {
    if (!ref)
      return fail(node, "uses nothing");
    auto *loop = dyn_cast<LoopNode>(ref.node);
    bool isInside = loop && ref.number < loop->carried.size();
    if (isInside ? !open.contains(loop) : !visible.contains(ref.node))
      fail(node, "uses %" + Twine(ref.node->number) + ", which is not known there");
  }

  /// Indices are those of loops around; a tile has the dimensions of the frame.
  void checkScope(const Node &node) {
    const Scope &scope = node.scope;
    for (auto [i, leaf] : llvm::enumerate(plan.leaves)) {
      int64_t extent = tree.getExtent(scope, i);
      if (extent < 0 || extent > leaf.extent)
        fail(node, "has " + Twine(extent) + " points of '" + leaf.name.getValue() + "'");
    }
    bool isTile = node.kind > NodeKind::FillWindow && !node.shape.empty();
    if (isTile && node.shape.size() != scope.getTileRank())
      fail(node, "gives a tile of another rank than its frame's");
  }

  const LoopTree &tree;
  const Plan &plan;
  std::string why;
  llvm::DenseSet<const Node *> placed, visible, open;
  SmallVector<const Node *> order;
  /// The loops of the filling that is visited.
  SmallVector<const LoopNode *> filling;
  bool isFilling = false;
};

} // namespace

std::string tw::schedule::verifyLoopTree(const LoopTree &tree) { return Verifier(tree).verify(); }
