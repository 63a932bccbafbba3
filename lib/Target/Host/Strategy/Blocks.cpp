#include "Blocks.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

double tw::schedule::host::blockCycles(int64_t rows, int64_t columns, const HostTraits &traits) {
  return double(rows * int64_t(llvm::divideCeil(columns, traits.blockRows))) * traits.blockCycles /
         double(traits.blockRows);
}

bool tw::schedule::host::hasBlocks(ContractOp contract, const HostTraits &traits) {
  Type type = contract.getLhs().getType();
  return type != contract.getType() &&
         (type.isBF16() ? traits.bf16Blocks : type.isInteger(8) && traits.int8Blocks);
}

namespace {

/// What is multiplied in a loop, as blocks.
class Matcher {
public:
  Matcher(const LoopTree &tree, const LoopNode &loop, const Around &around,
          const HostTraits &traits)
      : tree(tree), plan(tree.plan), loop(loop), around(around), traits(traits) {}

  std::optional<BlockLoop> match() {
    bool isPlain = loop.leaf && loop.lower.at == LoopBound::At::Constant &&
                   loop.upper.at == LoopBound::At::Constant && loop.step == 1 && loop.unroll == 1 &&
                   !loop.isReverse && !loop.isShared;
    if (!isPlain)
      return std::nullopt;
    BlockLoop blocks;
    llvm::SmallPtrSet<const Node *, 4> read;
    for (const Node *node : loop.body) {
      if (node->kind == NodeKind::Accumulate) {
        if (!addProduct(*node, read, blocks))
          return std::nullopt;
      } else if (node->kind != NodeKind::Load && node->kind != NodeKind::ReadStaged &&
                 node->kind != NodeKind::Index) {
        return std::nullopt;
      }
    }
    return blocks.sums ? std::optional(blocks) : std::nullopt;
  }

private:
  const LoopTree &tree;
  const Plan &plan;
  const LoopNode &loop;
  const Around &around;
  const HostTraits &traits;

  /// Whether a load looks for points outside of its tensor, where it stands.
  bool isGuarded(const Node &node) const {
    Around inside(around);
    inside.loops.push_back(&loop);
    Guards guards = getGuards(tree, node, inside);
    return guards.lanes + guards.rows + guards.both + guards.masked + guards.computed > 0;
  }

  /// Whether a load may have fewer points than its tile, of an axis whose size a call settles: in
  /// the iteration that this fills in part.
  bool isInPart(const Node &node) const {
    return llvm::any_of(llvm::enumerate(node.scope.frame), [&](auto dim) {
      unsigned axis = plan.leaves[dim.value()].axis;
      if (node.kind != NodeKind::Load || node.shape[dim.index()] == 1 ||
          !isSettled(const_cast<LoopTree &>(tree).kernel, axis))
        return false;
      return llvm::none_of(around.loops, [&](const LoopNode *outer) {
        return outer->leaf && plan.leaves[*outer->leaf].axis == axis &&
               outer->upper.at == LoopBound::At::Whole;
      });
    });
  }

  bool addProduct(const Node &node, llvm::SmallPtrSetImpl<const Node *> &read, BlockLoop &blocks) {
    auto contract = dyn_cast<ContractOp>(node.op);
    ArrayRef<unsigned> frame = node.scope.frame;
    constexpr unsigned kRank = 3;
    if (!contract || node.mask || !hasBlocks(contract, traits) || frame.size() != kRank ||
        !tree.isGroup(contract, frame[0]) || node.uses.size() < 2)
      return false;
    int64_t rows = node.shape[1], columns = node.shape[2];
    if (rows < kFewestBlockRows || columns < 2 ||
        plan.leaves[frame[0]].axis != plan.leaves[*loop.leaf].axis)
      return false;
    Ref left = node.uses[0].ref, right = node.uses[1].ref;
    if (tree.getShape(left)[2] != 1)
      std::swap(left, right);
    if (tree.getShape(left)[2] != 1 || tree.getShape(right)[1] != 1)
      return false;
    for (const Node *operand : {left.node, right.node})
      if (isGuarded(*operand) || isInPart(*operand))
        return false;
    int64_t group = plan.leaves[frame[0]].extent;
    if (strideOf(*left.node, frame[0]) != 1 || strideOf(*left.node, *loop.leaf) != group ||
        strideOf(*right.node, frame[0]) != 1 || strideOf(*right.node, frame[2]) != group)
      return false;
    auto side = double(traits.blockRows);
    double rowBlocks = std::ceil(double(rows) / side),
           columnBlocks = std::ceil(double(columns) / side);
    if (read.insert(left.node).second) {
      blocks.loads += double(rows);
      blocks.instructions += rowBlocks;
    }
    if (read.insert(right.node).second) {
      blocks.loads += side * columnBlocks;
      blocks.instructions += columnBlocks;
    }
    blocks.cycles += blockCycles(rows, columns, traits);
    blocks.instructions += rowBlocks * columnBlocks;
    blocks.sums += double(rows) * columnBlocks;
    return true;
  }

  /// Elements of memory from one point of a leaf to the next.
  std::optional<int64_t> strideOf(const Node &node, unsigned leaf) const {
    const LeafAxis &axis = plan.leaves[leaf];
    if (node.kind == NodeKind::Load && !node.mask) {
      auto load = cast<LoadOp>(node.op);
      std::optional<int64_t> stride =
          getUsualStride(load, const_cast<LoopTree &>(tree).kernel.getAxis(axis.axis));
      return stride ? std::optional(*stride * axis.stride) : std::nullopt;
    }
    if (node.kind != NodeKind::ReadStaged || !node.staged)
      return std::nullopt;
    int64_t stride = 1;
    for (unsigned at : llvm::reverse(node.staged->leaves)) {
      if (at == leaf)
        return stride;
      stride *= plan.leaves[at].extent;
    }
    return std::nullopt;
  }
};

} // namespace

std::optional<BlockLoop> tw::schedule::host::findBlockLoop(const LoopTree &tree,
                                                           const LoopNode &loop,
                                                           const Around &around,
                                                           const HostTraits &traits) {
  if (!traits.bf16Blocks && !traits.int8Blocks)
    return std::nullopt;
  return Matcher(tree, loop, around, traits).match();
}
