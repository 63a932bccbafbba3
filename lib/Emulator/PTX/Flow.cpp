// Where divergent lanes meet again.
//
// The immediate post-dominators of the blocks, by the iteration of Cooper, Harvey and Kennedy ("A
// simple, fast dominance algorithm") over the reversed graph. A place in the text, such as the
// least program counter of the lanes, would not do: LLVM puts the join of a divergent `if` before
// the branch when it rotates a loop.
#include "Program.h"

#include <algorithm>

using namespace tw::emulator::ptx;

namespace {

struct Block {
  uint32_t first, last;
  std::vector<uint32_t> next, before;
};

struct Graph {
  std::vector<Block> blocks;
  /// The block of each operation; one more than there are operations.
  std::vector<uint32_t> blockOf;
  /// Block `blocks.size()` is the end of the kernel.
  uint32_t exit() const { return uint32_t(blocks.size()); }
};

} // namespace

static bool isBranch(const Op &op) { return op.target != none; }

static Graph makeGraph(const Kernel &kernel) {
  uint32_t count = uint32_t(kernel.ops.size());
  std::vector<bool> starts(count + 1, false);
  starts[0] = true;
  for (uint32_t i = 0; i < count; ++i) {
    const Op &op = kernel.ops[i];
    if (isBranch(op))
      starts[std::min(op.target, count)] = true;
    if (isBranch(op) || op.ends)
      starts[i + 1] = true;
  }
  Graph graph;
  graph.blockOf.assign(count + 1, 0);
  for (uint32_t i = 0; i < count; ++i) {
    if (starts[i])
      graph.blocks.push_back({i, i, {}, {}});
    graph.blocks.back().last = i;
    graph.blockOf[i] = uint32_t(graph.blocks.size() - 1);
  }
  graph.blockOf[count] = graph.exit();
  for (Block &block : graph.blocks) {
    const Op &last = kernel.ops[block.last];
    if (isBranch(last))
      block.next.push_back(graph.blockOf[last.target]);
    if (last.ends)
      block.next.push_back(graph.exit());
    bool always = last.guard == none && (isBranch(last) || last.ends);
    if (!always)
      block.next.push_back(graph.blockOf[block.last + 1]);
  }
  return graph;
}

/// Blocks in the order in which a walk from the exit against the edges leaves them.
static std::vector<uint32_t> orderFromExit(const Graph &graph,
                                           const std::vector<std::vector<uint32_t>> &before) {
  std::vector<uint32_t> order;
  std::vector<uint8_t> seen(graph.blocks.size() + 1, 0);
  std::vector<std::pair<uint32_t, size_t>> stack = {{graph.exit(), 0}};
  seen[graph.exit()] = 1;
  while (!stack.empty()) {
    auto &[block, edge] = stack.back();
    if (edge == before[block].size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t next = before[block][edge++];
    if (!seen[next]) {
      seen[next] = 1;
      stack.push_back({next, 0});
    }
  }
  return order;
}

void tw::emulator::ptx::findJoins(Kernel &kernel) {
  if (kernel.ops.empty())
    return;
  Graph graph = makeGraph(kernel);
  std::vector<std::vector<uint32_t>> before(graph.blocks.size() + 1);
  for (uint32_t b = 0; b < graph.blocks.size(); ++b)
    for (uint32_t next : graph.blocks[b].next)
      before[next].push_back(b);
  std::vector<uint32_t> order = orderFromExit(graph, before);
  std::vector<uint32_t> number(graph.blocks.size() + 1, none);
  for (uint32_t i = 0; i < order.size(); ++i)
    number[order[i]] = i;
  std::vector<uint32_t> join(graph.blocks.size() + 1, none);
  join[graph.exit()] = graph.exit();
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b])
        a = join[a];
      while (number[b] < number[a])
        b = join[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      uint32_t block = order[i], found = none;
      for (uint32_t next : graph.blocks[block].next)
        if (join[next] != none)
          found = found == none ? next : meet(found, next);
      if (found != join[block]) {
        join[block] = found;
        changed = true;
      }
    }
  }
  for (uint32_t b = 0; b < graph.blocks.size(); ++b) {
    Op &last = kernel.ops[graph.blocks[b].last];
    if (isBranch(last) && join[b] != none && join[b] != graph.exit())
      last.join = graph.blocks[join[b]].first;
  }
}
