// Buffers that are used one after another, as tile-share-memory finds them.
#include "SharedMemory.h"

#include "tw/Schedule/Rings.h"

using namespace mlir;
using namespace tw;
using namespace tw::schedule;

static bool usesMemory(const Node &node, const Node &memory) {
  auto inBlock = [&](const schedule::Block &block) {
    return llvm::any_of(block, [&](const Node *own) { return usesMemory(*own, memory); });
  };
  if (auto *loop = dyn_cast<LoopNode>(&node))
    return inBlock(loop->body);
  if (auto *branch = dyn_cast<BranchNode>(&node))
    return inBlock(branch->there) || inBlock(branch->elsewhere);
  if (auto *team = dyn_cast<TeamNode>(&node))
    return inBlock(team->body);
  if (auto *fill = dyn_cast<FillNode>(&node))
    return inBlock(fill->body);
  return node.memory == &memory;
}

/// Whether two buffers have one type.
static bool areAlike(const Plan &plan, const Node &a, const Node &b) {
  if (a.shape != b.shape || a.op->getResult(0).getType() != b.op->getResult(0).getType() ||
      (a.staged == nullptr) != (b.staged == nullptr))
    return false;
  return !a.staged ||
         (countSlots(plan, *a.staged) == countSlots(plan, *b.staged) &&
          a.staged->rowStride == b.staged->rowStride &&
          a.staged->paddedDim == b.staged->paddedDim && a.staged->padding == b.staged->padding);
}

MemorySet tw::schedule::findSharedMemory(const LoopTree &tree) {
  struct Use {
    const Node *memory;
    size_t last;
  };
  SmallVector<Use> buffers;
  MemorySet shared;
  for (const Node *node : tree.body) {
    if (node->kind != NodeKind::Alloc)
      continue;
    std::optional<size_t> first;
    size_t last = 0;
    for (auto [i, top] : llvm::enumerate(tree.body))
      if (usesMemory(*top, *node)) {
        first = first.value_or(i);
        last = i;
      }
    if (!first)
      continue;
    auto *before = llvm::find_if(buffers, [&](const Use &other) {
      return areAlike(tree.plan, *other.memory, *node) && other.last < *first;
    });
    if (before == buffers.end()) {
      buffers.push_back({node, last});
    } else {
      before->last = last;
      shared.insert(node);
    }
  }
  return shared;
}
