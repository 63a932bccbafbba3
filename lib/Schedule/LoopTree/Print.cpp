// The text of a loop tree: a line for each node, blocks indented.
#include "tw/Schedule/LoopTree.h"

#include "tw/Dialect/Kernel/ValueName.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

StringRef getName(NodeKind kind) {
  static constexpr StringLiteral names[] = {
      "for",     "if",   "team",    "fill",        "alloc",  "fill window", "load",  "store",
      "staged",  "fill", "kept",    "keep",        "index",  "compute",     "mask",  "start",
      "step of", "scan", "combine", "add part of", "online", "scale",       "poison"};
  return names[unsigned(kind)];
}

class Printer {
public:
  Printer(const LoopTree &tree, llvm::raw_ostream &os)
      : body(tree.body), plan(tree.plan), kernel(tree.kernel), os(os) {
    for (Operation &op : kernel.getBody().front())
      numbers[&op] = numbers.size();
  }

  void print(StringRef name) {
    os << "loops @" << name << " grid [";
    llvm::interleaveComma(plan.grid, os, [&](unsigned leaf) { printLeaf(leaf); });
    os << "] {\n";
    print(body, 1);
    os << "}\n";
  }

private:
  void printLeaf(unsigned leaf) {
    os << plan.leaves[leaf].name.getValue() << ' ' << plan.leaves[leaf].extent;
  }

  /// By the name that schedules know it by, else by what it is and its number in the kernel.
  void printOp(Operation *op) {
    if (StringAttr name = getValueName(op))
      os << name.getValue();
    else
      os << op->getName().stripDialect() << '#' << numbers.lookup(op);
  }

  void printShape(ArrayRef<int64_t> shape) {
    os << " [";
    llvm::interleave(shape, os, "x");
    os << ']';
  }

  void printRef(Ref ref) {
    os << '%' << ref.node->number;
    if (auto *loop = dyn_cast<LoopNode>(ref.node))
      os << (ref.number < loop->carried.size() ? ".in" : ".after")
         << ref.number % loop->carried.size();
    else if (ref.number)
      os << '.' << ref.number;
  }

  void printBound(const LoopBound &bound) {
    switch (bound.at) {
    case LoopBound::At::Constant:
      os << bound.value;
      return;
    case LoopBound::At::Whole:
      os << "the last whole of " << bound.value;
      return;
    case LoopBound::At::End:
      os << "the last of " << bound.value;
      return;
    case LoopBound::At::Left:
      os << "what is left of " << bound.value;
      return;
    case LoopBound::At::WholeLeft:
      os << "the last whole of what is left of " << bound.value;
      return;
    case LoopBound::At::FirstSeen:
      os << "the first seen";
      return;
    case LoopBound::At::EndSeen:
      os << "the last seen of " << bound.value;
      return;
    case LoopBound::At::EndAllSeen:
      os << "the last all seen of " << bound.value;
      return;
    }
  }

  void printIndex(const LeafIndex &index) {
    for (auto [i, leaf] : llvm::enumerate(plan.grid))
      if (index.from == LeafIndex::From::Program && index.value == int64_t(i))
        os << plan.leaves[leaf].name.getValue();
    if (index.from == LeafIndex::From::Constant)
      os << index.value;
    if (index.from == LeafIndex::From::Loop)
      os << "index " << index.value << " of %" << index.loop->number;
  }

  void print(const schedule::Block &block, unsigned depth) {
    for (const Node *node : block)
      print(*node, depth);
  }

  /// What is in braces, a line for each node.
  void printBody(const schedule::Block &block, unsigned depth) {
    os << " {\n";
    print(block, depth + 1);
    os.indent(2 * depth) << '}';
  }

  void printLoop(const LoopNode &loop, unsigned depth) {
    if (loop.isShared)
      os << " shared";
    if (loop.leaf)
      os << ' ' << plan.leaves[*loop.leaf].name.getValue();
    os << " from ";
    printBound(loop.lower);
    os << " to ";
    printBound(loop.upper);
    if (loop.step != 1)
      os << " step " << loop.step;
    if (loop.isReverse)
      os << " reverse";
    if (loop.unroll != 1)
      os << " unroll " << (loop.unroll ? std::to_string(loop.unroll) : "fully");
    for (const LoopNode::Carried &carried : loop.carried) {
      os << " carry ";
      printOp(carried.root);
      printShape(carried.shape);
      os << " from ";
      printRef(carried.initial);
      os << " to ";
      printRef(carried.next);
    }
    printBody(loop.body, depth);
  }

  void print(const Node &node, unsigned depth) {
    os.indent(2 * depth);
    if (auto *team = dyn_cast<TeamNode>(&node)) {
      os << '%' << node.number << " team";
      printShape(team->extents);
      printBody(team->body, depth);
    } else if (auto *loop = dyn_cast<LoopNode>(&node)) {
      os << '%' << node.number << " for";
      printLoop(*loop, depth);
    } else if (auto *branch = dyn_cast<BranchNode>(&node)) {
      os << "if ";
      if (!branch->mostLeft)
        printIndex(branch->index);
      if (branch->mostLeft)
        os << "at most " << *branch->mostLeft << " points are left";
      else if (branch->endOf)
        os << " is the part at the end";
      else
        os << " is " << branch->at;
      printBody(branch->there, depth);
      os << " else";
      printBody(branch->elsewhere, depth);
    } else if (auto *fill = dyn_cast<FillNode>(&node)) {
      os << "fill ";
      printOp(node.op);
      printBody(fill->body, depth);
    } else {
      printPlain(node);
    }
    os << '\n';
  }

  void printPlain(const Node &node) {
    os << '%' << node.number << ' ' << getName(node.kind);
    if (node.op) {
      os << ' ';
      printOp(node.op);
    } else if (auto axis = dyn_cast_if_present<BlockArgument>(node.value)) {
      os << ' ' << kernel.getAxisName(axis.getArgNumber());
    }
    if (!node.shape.empty())
      printShape(node.shape);
    for (unsigned axis : node.axes.set_bits())
      os << " inside " << kernel.getAxisName(axis);
    if (!node.before.empty()) {
      os << " on ";
      llvm::interleaveComma(node.before, os, [&](Ref ref) { printRef(ref); });
    }
    if (!node.uses.empty()) {
      os << " of ";
      llvm::interleaveComma(node.uses, os, [&](const Node::Use &use) { printRef(use.ref); });
    }
    if (node.mask) {
      os << " where ";
      printRef(node.mask);
    }
    if (!node.dims.empty()) {
      os << " along";
      for (int64_t dim : node.dims)
        os << ' ' << dim;
    }
    if (node.kind != NodeKind::Alloc && node.memory)
      os << " in %" << node.memory->number;
    if (node.prefetched)
      os << " ahead " << node.prefetched->ahead;
  }

  const schedule::Block &body;
  const Plan &plan;
  KernelOp kernel;
  llvm::raw_ostream &os;
  llvm::DenseMap<Operation *, unsigned> numbers;
};

} // namespace

void LoopTree::print(llvm::raw_ostream &os, StringRef name) const {
  Printer(*this, os).print(name);
}
