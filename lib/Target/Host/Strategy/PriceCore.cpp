// What ports and chains of a core take for a loop tree.
#include "Accesses.h"
#include "Blocks.h"
#include "Ports.h"
#include "Price.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/ValueName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Cycles of a block, run once.
struct Cost {
  /// By the busiest port, and as its longest chain takes; what does not overlap with what follows.
  double throughput = 0, chain = 0, drain = 0;
  double instructions = 0;
};

/// What an entry of a loop takes whose end a call settles: its bounds and the pointers of its rows,
/// beside two branches. Measured of softmaxes of 31 columns, 50 cycles for six of them.
constexpr double kEntryCycles = 8;

/// What a division or a root waits for, in latencies of a multiply-add: 11 to 15 cycles on CPUs
/// since 2015 [uops.info].
constexpr double kDivision = 3.5;

/// What shows of a wait behind which no function is computed: loads and addresses of the next sweep
/// are done meanwhile. By hand-written norms of rows of 64 to 768 floats (Zen 3) a half to all.
constexpr double kPlainWaits = 0.6;

class CorePricer {
public:
  CorePricer(const LoopTree &tree, const HostTraits &traits)
      : tree(tree), plan(tree.plan), traits(traits), ports(tree, traits) {}

  double price() {
    Cost program = priceBlock(tree.body);
    // A program's indices are quotients and remainders of its number.
    constexpr double kInstructions = 10;
    double indices = kInstructions * (1 + double(plan.grid.size()));
    return double(plan.getNumPrograms()) * (total(program) + indices / traits.issuePerCycle);
  }

private:
  static double total(const Cost &cost) {
    return std::max(cost.throughput, cost.chain) + cost.drain;
  }

  /// From the lanes of a sum to what they come to: in each step they are moved, then combined.
  double getCombineLatency(const Node &node) const {
    Shape whole = tree.getShape(node.before[0]);
    if (!llvm::is_contained(node.dims, int64_t(whole.size()) - 1))
      return 0;
    double lanes = double(std::min(whole.back(), traits.lanes));
    return 2 * double(traits.fmaLatency) * std::log2(lanes);
  }

  /// Steps in which the registers of a row become one, before its lanes do.
  double getRegisterSteps(const Node &node) const {
    double lanes = double(tree.getShape(node.before[0]).back());
    return std::ceil(std::log2(std::max(1.0, lanes / double(traits.lanes))));
  }

  bool combinesLanes(const Node &node) const {
    return node.kind == NodeKind::Combine && getCombineLatency(node) > 0;
  }

  /// What is left of a latency while the core is busy with the node's other registers.
  double getIdle(const Node &node, double latency) {
    return std::max(0.0, latency - ports.count(node).busiest(traits));
  }

  /// What the longest function that is computed on vectors leaves the core idle.
  double getFunctionIdle(ArrayRef<Node *> nodes) {
    double longest = 0;
    for (const Node *node : nodes)
      if (isFunction(*node))
        longest = std::max(
            longest, getIdle(*node, ports.functionLatencies(node->op) * double(traits.fmaLatency)));
    return longest;
  }

  bool isFunction(const Node &node) const {
    return node.kind == NodeKind::Compute && node.shape.back() > 1 && isExpensive(node.op);
  }

  /// When values of a row are there, from the end of the loop that they are reduced in.
  using Ready = llvm::SmallDenseMap<const Node *, double, 8>;

  /// When the last of those is there that the node, or one inside of it, needs.
  static double getReady(const Node &node, const Ready &ready) {
    double last = 0;
    auto take = [&](Ref ref) { last = std::max(last, ready.lookup(ref.node)); };
    for (const Node::Use &use : node.uses)
      take(use.ref);
    llvm::for_each(node.before, take);
    auto takeAll = [&](const schedule::Block &block) {
      for (const Node *inner : block)
        last = std::max(last, getReady(*inner, ready));
    };
    if (auto *loop = dyn_cast<LoopNode>(&node))
      takeAll(loop->body);
    else if (auto *branch = dyn_cast<BranchNode>(&node))
      for (const schedule::Block *side : {&branch->there, &branch->elsewhere})
        takeAll(*side);
    return last;
  }

  /// What vectors wait for that need what the lanes of others came to: a whole row has to be there,
  /// be it divided, and the first of them has gone through a function of it before the core is busy
  /// again.
  /// Meanwhile the core begins what follows the block, if it looks ahead beyond the instructions
  /// that wait, and other rows of the tile; `instructions` has those of each node.
  double getWaits(const schedule::Block &block, ArrayRef<double> instructions) {
    double waits = 0;
    Ready ready;
    for (auto [i, node] : llvm::enumerate(block)) {
      double pending = ready.empty() ? 0 : getReady(*node, ready);
      if (combinesLanes(*node)) {
        ready[node] = pending + getIdle(*node, getCombineLatency(*node));
        continue;
      }
      auto *loop = dyn_cast<LoopNode>(node);
      if (pending == 0 || (!loop && node->kind != NodeKind::Compute))
        continue;
      if (!loop && node->shape.back() == 1) {
        ready[node] = pending + getIdle(*node, getLatency(*node));
        continue;
      }
      double function = getFunctionIdle(loop ? ArrayRef(loop->body) : ArrayRef(node));
      double left = llvm::sum_of(instructions.drop_front(i));
      waits += (function > 0 ? pending + function : kPlainWaits * pending) *
               std::min(1.0, left / std::max(1.0, traits.instructionsAhead));
      ready.clear();
    }
    return waits;
  }

  /// Cycles until what the node gives is there, once it has what it uses. What is loaded has been
  /// fetched to the nearest cache, which takes about as long as a multiply-add.
  double getLatency(const Node &node) const {
    auto latency = double(traits.fmaLatency);
    switch (node.kind) {
    case NodeKind::Load:
    case NodeKind::ReadStaged:
    case NodeKind::ReadKept:
      return latency;
    case NodeKind::Compute:
      if (isa<arith::ConstantOp>(node.op))
        return 0;
      if (isa<math::RsqrtOp>(node.op))
        return 2 * kDivision * latency;
      if (ports.functionCycles(node.op) == 0)
        return kDivision * latency;
      return latency * ports.functionLatencies(node.op);
    case NodeKind::Accumulate:
      return latency * latenciesOfStep(node.op);
    case NodeKind::Combine:
      // Registers of a row one half with the other; in the end all lanes get what they come to.
      return (getCombineLatency(node) + latency * getRegisterSteps(node)) *
                 (isExtremum(node.op) ? kExtremumLatency : 1) +
             latency;
    default:
      return 0;
    }
  }

  /// What straight code waits for that combines lanes or computes functions, be it run again and
  /// again: the longest way from what it reads to what it gives, less what of the next ones is
  /// under way meanwhile, `waiting` of what the core looks ahead. What waits for lanes fills
  /// schedulers, which hold about a quarter of that: by softmax, programs of one row of 32 and of
  /// 64 and of eight of 16 take 58, 88 and 127 cycles on Zen 5, 69, 86 and 122 by this.
  double getDepth(const schedule::Block &block, double instructions, double waiting) const {
    llvm::SmallDenseMap<const Node *, double, 32> ready;
    double longest = 0;
    for (const Node *node : block) {
      double begin = 0;
      for (const Node::Use &use : node->uses)
        begin = std::max(begin, ready.lookup(use.ref.node));
      for (Ref ref : node->before)
        begin = std::max(begin, ready.lookup(ref.node));
      longest = std::max(longest, ready[node] = begin + getLatency(*node));
    }
    return longest * instructions / (instructions + waiting * traits.instructionsAhead);
  }

  void addWaits(const schedule::Block &block, ArrayRef<double> instructions, Cost &cost) {
    constexpr double kBehindLanes = 0.25, kInFunctions = 1;
    if (llvm::any_of(block, llvm::IsaPred<LoopNode, BranchNode, TeamNode, FillNode>))
      cost.drain += getWaits(block, instructions);
    else if (llvm::any_of(block, [&](const Node *node) { return combinesLanes(*node); }))
      cost.chain = std::max(cost.chain, getDepth(block, cost.instructions, kBehindLanes));
    else if (llvm::any_of(block, [&](const Node *node) { return isFunction(*node); }))
      cost.chain = std::max(cost.chain, getDepth(block, cost.instructions, kInFunctions));
  }

  /// What is hidden of adding a part of a short sum to those before it: the next part is multiplied
  /// meanwhile, as far as what writes vectors has registers to be renamed to.
  double getHidden(const schedule::Block &block, const Ports &ports, double instructions) const {
    constexpr double kRenamed = 0.625, kSteep = 4;
    if (llvm::none_of(block, [](const Node *node) { return node->kind == NodeKind::WriteKept; }) ||
        llvm::none_of(block, llvm::IsaPred<LoopNode>))
      return 0;
    double ahead = kRenamed * traits.instructionsAhead / std::max(1.0, instructions);
    return std::clamp(kSteep * (ahead - 1), 0.0, 1.0) *
           std::max(0.0, ports.busiest(traits) - ports.arithmetic);
  }

  Cost priceBlock(const schedule::Block &block) {
    Cost cost;
    Ports all;
    SmallVector<double> instructions;
    for (const Node *node : block) {
      if (isa<LoopNode, BranchNode, TeamNode, FillNode>(node)) {
        Cost inner = priceStructure(*node);
        cost.throughput += inner.throughput;
        cost.chain += inner.chain;
        cost.drain += inner.drain;
        cost.instructions += inner.instructions;
        instructions.push_back(inner.instructions);
      } else {
        Ports own = ports.count(*node);
        instructions.push_back(own.instructions);
        all += own;
      }
    }
    cost.instructions += all.instructions;
    cost.throughput += all.busiest(traits) - getHidden(block, all, cost.instructions);
    addWaits(block, instructions, cost);
    return cost;
  }

  Cost priceStructure(const Node &node) {
    if (auto *fill = dyn_cast<FillNode>(&node))
      return priceBlock(fill->body);
    if (auto *loop = dyn_cast<LoopNode>(&node))
      return priceLoop(*loop);
    if (auto *team = dyn_cast<TeamNode>(&node)) {
      double count = 1;
      for (int64_t extent : team->extents)
        count *= double(extent);
      double share = getShare(tree.kernel, plan, plan.team, traits);
      Cost cost = scale(priceBlock(team->body), count * std::min(share, 1.0));
      if (share < 1)
        cost.drain += traits.launchCycles;
      return cost;
    }
    auto &branch = cast<BranchNode>(node);
    double share = 1 / countOf(branch.index);
    Cost there = scale(priceBlock(branch.there), share);
    ports.around.branches.push_back(&branch);
    Cost elsewhere = scale(priceBlock(branch.elsewhere), 1 - share);
    ports.around.branches.pop_back();
    return {there.throughput + elsewhere.throughput, there.chain + elsewhere.chain,
            there.drain + elsewhere.drain, there.instructions + elsewhere.instructions};
  }

  static Cost scale(Cost cost, double by) {
    return {cost.throughput * by, cost.chain * by, cost.drain * by, cost.instructions * by};
  }

  /// The values that an index takes.
  double countOf(const LeafIndex &index) {
    if (index.from == LeafIndex::From::Program)
      return double(plan.leaves[plan.grid[index.value]].extent);
    if (index.from != LeafIndex::From::Loop)
      return 1;
    if (auto *loop = dyn_cast<LoopNode>(index.loop))
      return getTrips(tree, *loop);
    return double(cast<TeamNode>(index.loop)->extents[index.value]);
  }

  /// Of a loop over groups of products that a matrix unit takes. Sums go through memory where
  /// nothing around carries them on. Kept ones begin and end there: the unit waits for each of
  /// their rows as for what was just stored. (Of 32 x 32 sums some 1,200 cycles for each part of
  /// them, where rows of an operand lay 4 KB apart.)
  Cost priceBlockLoop(const LoopNode &loop, const BlockLoop &blocks) {
    double steps = std::ceil(getTrips(tree, loop) / double(traits.blockRows));
    Cost cost;
    cost.instructions = steps * (blocks.instructions + 2);
    cost.throughput = steps * std::max({blocks.cycles, blocks.loads / traits.loadsPerCycle,
                                        (blocks.instructions + 2) / traits.issuePerCycle});
    cost.chain = steps * traits.blockLatency;
    bool isKept = llvm::all_of(loop.carried, [&](const LoopNode::Carried &carried) {
      StringAttr name = getValueName(carried.root);
      return name && plan.keep.contains(name.getValue());
    });
    if (isKept) {
      cost.drain = blocks.sums * traits.reloadCycles;
    } else if (!isCarriedOn(loop)) {
      cost.throughput += blocks.sums * (1 / traits.storesPerCycle + 1 / traits.loadsPerCycle);
      cost.instructions += 2 * blocks.sums;
      cost.drain = traits.reloadCycles;
    }
    return cost;
  }

  Cost priceLoop(const LoopNode &loop) {
    if (std::optional<BlockLoop> blocks = findBlockLoop(tree, loop, ports.around, traits))
      return priceBlockLoop(loop, *blocks);
    double trips = getTrips(tree, loop);
    auto outer = ports.unrolled;
    if (loop.unroll == 1)
      ports.unrolled.clear();
    else if (loop.leaf)
      ports.unrolled.push_back(
          {*loop.leaf, loop.unroll ? std::min(trips, double(loop.unroll)) : trips});
    ports.around.loops.push_back(&loop);
    Cost body = priceBlock(loop.body);
    ports.around.loops.pop_back();
    double spilled = getSpilled(loop);
    ports.unrolled = std::move(outer);
    body.throughput += spilled * (1 / traits.storesPerCycle + 1 / traits.loadsPerCycle);
    // Induction, comparison and branch.
    double unroll = loop.unroll == 0 ? trips : std::min(trips, double(loop.unroll));
    body.throughput =
        std::max(body.throughput, (body.instructions + 2 / unroll) / traits.issuePerCycle);
    body.instructions += 2 / unroll;
    double chain = chainOf(loop);
    // What is carried goes through memory then.
    if (spilled > 0 && chain > 0)
      chain += traits.reloadCycles;
    chain = std::max(body.chain, chain);
    Cost cost;
    cost.instructions = trips * body.instructions;
    cost.throughput = trips * body.throughput;
    cost.chain = trips * chain;
    cost.drain = trips * body.drain;
    // The next entry begins while this one ends, as far as the core looks ahead.
    // What the loop around carries on, an entry waits for.
    double entries = std::max(1.0, traits.instructionsAhead / std::max(1.0, cost.instructions));
    if (cost.chain > cost.throughput && !isCarriedOn(loop))
      cost.chain = std::max(cost.throughput, cost.chain / entries);
    // What rows wait for is not hidden by what stands before or behind their loop, but where the
    // core looks ahead as far.
    double apart = std::min(1.0, cost.instructions / std::max(1.0, traits.instructionsAhead));
    if (llvm::any_of(loop.body, [&](const Node *node) { return combinesLanes(*node); }))
      cost.throughput += apart * std::max(0.0, cost.chain - cost.throughput);
    if (isSettledByCall(loop))
      cost.drain += kEntryCycles;
    bool isPredicted = loop.unroll == 0 || trips <= traits.foretoldTrips;
    cost.drain += isPredicted ? 0 : traits.branchMissCycles;
    return cost;
  }

  /// Whether a loop that is entered again and again runs as often as a call says: it stays a loop
  /// then, be it for one iteration.
  bool isSettledByCall(const LoopNode &loop) const {
    bool isEnteredOnce = plan.getNumPrograms() == 1 && ports.around.loops.empty();
    return loop.leaf && !isEnteredOnce && isSettled(tree.kernel, plan.leaves[*loop.leaf].axis);
  }

  /// Whether the loop goes on with what the loop around it carries.
  bool isCarriedOn(const LoopNode &loop) const {
    return !ports.around.loops.empty() &&
           llvm::any_of(loop.carried, [&](const LoopNode::Carried &carried) {
             return llvm::any_of(
                 ports.around.loops.back()->carried,
                 [&](const LoopNode::Carried &outer) { return outer.root == carried.root; });
           });
  }

  /// Cycles from one iteration to the next of what the loop carries, where no loop inside carries
  /// it too.
  double chainOf(const LoopNode &loop) {
    double longest = 0;
    for (const LoopNode::Carried &carried : loop.carried) {
      const Node *next = carried.next.node;
      if (isa<LoopNode>(next) || carried.initial.node == next)
        continue;
      if (next->kind == NodeKind::Accumulate)
        longest = std::max(
            longest, ports.stepsOf(*next) * double(traits.fmaLatency) * latenciesOfStep(next->op) *
                         (loop.unroll == 1 && isExtremum(next->op) ? kExtremumLatency : 1));
      else if (next->kind == NodeKind::Scan)
        // Registers of a row follow each other.
        longest = std::max(longest, double(traits.fmaLatency) * ports.partsScanned(*next) *
                                        latenciesOfStep(next->op));
      else
        longest = std::max(longest, 2.0 * double(traits.fmaLatency));
    }
    return longest;
  }

  /// Whether all that the loop carries begins and ends in a straight piece of code: instructions
  /// of such a piece are put into an order in which few registers live (OrderForRegisters).
  bool isStraight(const LoopNode &loop) const {
    auto carriesOn = [&](const LoopNode *outer) {
      return outer->unroll != 0 &&
             llvm::any_of(loop.carried, [&](const LoopNode::Carried &carried) {
               return llvm::any_of(outer->carried, [&](const LoopNode::Carried &other) {
                 return other.root == carried.root;
               });
             });
    };
    return loop.unroll == 0 && llvm::none_of(ports.around.loops, carriesOn);
  }

  /// What the registers have no room for in an innermost loop.
  double getSpilled(const LoopNode &loop) {
    if (isStraight(loop) ||
        llvm::any_of(loop.body, llvm::IsaPred<LoopNode, FillNode, TeamNode, BranchNode>))
      return 0;
    double live = 0, widest = 0;
    for (const LoopNode::Carried &carried : loop.carried) {
      Type type = carried.root->getResult(0).getType();
      double share = 1;
      for (const Node *node : loop.body)
        if (node->kind == NodeKind::Load && node->shape.size() == carried.shape.size())
          share = std::min(share, ports.shareUnderWay(*node, carried.shape));
      // Chains are of unrolled steps.
      int64_t each = ports.unrolled.empty() ? 1 : registersPerResult(carried.root);
      live += ports.registersOf(loop.scope, carried.shape, type).count * double(each) * share;
    }
    for (const Node *node : loop.body) {
      bool isRead = node->kind == NodeKind::Load || node->kind == NodeKind::ReadStaged ||
                    node->kind == NodeKind::ReadKept;
      if (!isRead || node->shape.empty())
        continue;
      // A row of what lies along lanes stays while it is used; the others come from memory.
      Registers registers =
          ports.registersOf(node->scope, node->shape.back(), node->op->getResult(0).getType());
      widest += registers.isScalar ? 1 : registers.count;
    }
    return std::max(0.0, live + widest - double(traits.registers));
  }

  const LoopTree &tree;
  const Plan &plan;
  const HostTraits &traits;
  PortCounter ports;
};

} // namespace

double host::priceCore(const LoopTree &tree, const HostTraits &traits) {
  return CorePricer(tree, traits).price();
}
