// The loops of a scheduled kernel, and what is computed in them: between the plan and the tile
// program.
//
// A tree says all that a plan leaves open: which loops roots share, where the last iteration of a
// loop is apart, when a buffer is filled and by which loops, and where each value is computed. It
// is built from a kernel and its plan alone and does not change afterwards. Writing the tile
// program (kernel-to-tile) decides nothing any more, and a price reads what will run.
//
// Blocks hold nodes in the order in which they run. A node stands in a scope, which says what is
// known there: the indices of the loops that are open, how many points are left of each axis, and
// the frame, the axes that are the dimensions of tiles. A loop of one iteration, and the last
// iteration of a loop that is apart, are scopes without a loop: their nodes are in the block around
// them.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"

#include <deque>
#include <memory>

namespace tw::schedule {

/// Elements of a tile that a filling moves at once: a block that transposes in registers, and a few
/// vectors of a row.
inline constexpr int64_t kFillRows = 16, kFillLanes = 16, kFillRow = 64;

struct Node;
using Block = llvm::SmallVector<Node *>;
using Shape = llvm::SmallVector<int64_t>;

/// One of the values that a node gives: a tile, by its number. The values that a loop carries are
/// numbered twice: as its body begins with them, then as they are after it.
struct Ref {
  const Node *node = nullptr;
  unsigned number = 0;

  explicit operator bool() const { return node; }
};

/// The index of a leaf.
struct LeafIndex {
  enum class From : uint8_t {
    Nowhere,  ///< no loop is open, or one of one iteration
    Constant, ///< `value`
    Program,  ///< dimension `value` of the grid
    Loop      ///< dimension `value` of `loop`
  };
  From from = From::Nowhere;
  int64_t value = 0;
  const Node *loop = nullptr;
  /// Of the outermost scope that knows it.
  unsigned depth = 0;

  explicit operator bool() const { return from != From::Nowhere; }
};

/// What is known at a place of the tree.
struct Scope {
  /// Of the scopes around it up to the program's, or to that of the buffer that is being filled.
  unsigned depth = 0;
  Block *block = nullptr;
  /// By leaf: its index; whether it is in the grid or its loop is open, be it of one iteration; the
  /// points of it in the tiles of a filling, 0 for others.
  llvm::SmallVector<LeafIndex> indices;
  llvm::SmallVector<bool> open;
  llvm::SmallVector<int64_t> chunks;
  /// By leaf: whether a loop of the filling opened it. What reads the buffer has loops of its own,
  /// in another order or none.
  llvm::SmallVector<bool> openInFilling;
  /// By axis: the points that the parts of a peeled axis whose loops are not open cover here;
  /// whether it reaches beyond its extent here.
  llvm::SmallVector<int64_t> rest;
  llvm::SmallVector<bool> padded;
  /// Leaves that are the dimensions of tiles, and those that are loops, outermost first.
  llvm::SmallVector<unsigned> frame, loops;
  /// The value whose buffer is being filled.
  const StagedValue *filling = nullptr;
  /// The team fills the buffer, and none of the loops so far is shared.
  bool isShareLeft = false;

  unsigned getTileRank() const { return frame.empty() ? 1 : frame.size(); }
};

enum class NodeKind : uint8_t {
  // With blocks.
  Loop,   ///< LoopNode
  Branch, ///< BranchNode
  Team,   ///< TeamNode
  Fill,   ///< FillNode
  // Memory.
  Alloc,      ///< local memory of a staged or kept value
  FillWindow, ///< the part of a tensor that a load reads, copied to `memory`
  Load,       ///< a load of the kernel
  Store,      ///< a store of the kernel
  ReadStaged, ///< from the buffer of a staged value
  FillTile,   ///< to that buffer
  ReadKept,   ///< a value that is kept between stages, or partial results
  WriteKept,  ///< of the operand; without one, of the identity where partial results will be
  // Values.
  Index,      ///< an axis or an affine function of axes
  Compute,    ///< an elementwise op, or a constant
  Mask,       ///< where all of `axes` are inside of their extents
  Start,      ///< the identity of what a root carries, one tile for each of its results
  Accumulate, ///< one step of a reduction or contraction, on `before` if there is one
  Scan,       ///< one step of a scan: the values, and what it carries on
  Combine,    ///< dimensions of the tile that are reduced: `dims`
  AddPartial, ///< a part of a reduction added to what was read from memory
  Online,     ///< of a lead before and after an iteration, or of lanes and whole (`dims`): what to
              ///< subtract, and the correction of sums
  Rescale,    ///< a sum, corrected
  Poison,     ///< a sum, or no number where the maximum has seen nothing but minus infinity
};

/// A node without blocks; those with blocks are derived from it.
struct Node {
  Node(const Scope &scope, NodeKind kind, mlir::Operation *op) : kind(kind), scope(scope), op(op) {}
  virtual ~Node() = default;

  /// An operand: the value of the kernel that it stands for, and who gives it.
  struct Use {
    mlir::Value value;
    Ref ref;
  };

  const NodeKind kind;
  /// In the order in which nodes were made.
  unsigned number = 0;
  /// Where it stands.
  const Scope &scope;
  /// The op of the kernel that it is there for; null where there is none.
  mlir::Operation *op;
  /// The value of an Index.
  mlir::Value value;
  /// Of the tiles that it gives, all alike but for what a scan carries on.
  Shape shape;
  llvm::SmallVector<Use, 3> uses;
  /// What a root carried so far; empty if nothing.
  llvm::SmallVector<Ref, 1> before;
  /// Where points are inside, of a node that must not see others; none if all are.
  Ref mask;
  llvm::SmallBitVector axes;
  llvm::SmallVector<int64_t, 2> dims;
  const StagedValue *staged = nullptr;
  /// The Alloc of local memory; null for kept values that are in a result.
  const Node *memory = nullptr;
  const Plan::Prefetched *prefetched = nullptr;
};

/// Where a loop begins or ends.
struct LoopBound {
  enum class At : uint8_t {
    Constant,  ///< `value`
    Whole,     ///< the iterations that the size of the axis fills
    End,       ///< those and the one that it fills in part
    Left,      ///< of an inner part, those that are left of the axis behind its outer parts
    WholeLeft, ///< of those the ones that the axis fills
    FirstSeen, ///< the first iteration that sees a point
    EndSeen,   ///< the one after the last one that sees a point
    EndAllSeen ///< the one after the last one that sees all of its points
  };
  At at = At::Constant;
  int64_t value = 0; ///< of the others, the most iterations
};

/// A loop over a leaf, or over tiles of one; shared by a team if it says so.
struct LoopNode : Node {
  LoopNode(const Scope &scope) : Node(scope, NodeKind::Loop, nullptr) {}
  static bool classof(const Node *node) { return node->kind == NodeKind::Loop; }

  /// What its body carries from one iteration to the next.
  struct Carried {
    mlir::Operation *root;
    Ref initial, next;
    Shape shape;
  };

  /// None where all of a filling is one tile.
  std::optional<unsigned> leaf;
  LoopBound lower, upper;
  int64_t step = 1;
  /// By which it is shorter; null for constant bounds.
  const SkippedAxis *skipped = nullptr;
  int64_t unroll = 1; ///< 0 means fully
  bool isReverse = false, isShared = false;
  llvm::SmallVector<Carried, 2> carried;
  Block body;

  Ref getInside(unsigned i) const { return {this, i}; }
  Ref getAfter(unsigned i) const { return {this, unsigned(carried.size()) + i}; }
};

/// What is done where an index has a value, or where few points are left, and elsewhere.
struct BranchNode : Node {
  BranchNode(const Scope &scope) : Node(scope, NodeKind::Branch, nullptr) {}
  static bool classof(const Node *node) { return node->kind == NodeKind::Branch; }

  LeafIndex index;
  int64_t at = 0;
  /// In place of `at`: the iteration of this leaf that its axis fills in part, if it does.
  std::optional<unsigned> endOf;
  /// In place of both: of the axis of leaf `endOf`, at most so many points are left in its last
  /// iteration, or in any one, whose `index` is given then.
  std::optional<int64_t> mostLeft;
  bool isOfAny = false;
  Block there, elsewhere;
};

/// The loops that the threads of a launch share; at the end they wait for each other.
struct TeamNode : Node {
  TeamNode(const Scope &scope) : Node(scope, NodeKind::Team, nullptr) {}
  static bool classof(const Node *node) { return node->kind == NodeKind::Team; }

  llvm::SmallVector<int64_t> extents;
  Block body;
};

/// How the buffer of a staged value is filled.
struct FillNode : Node {
  FillNode(const Scope &scope, const StagedValue &staged) : Node(scope, NodeKind::Fill, staged.op) {
    this->staged = &staged;
  }
  static bool classof(const Node *node) { return node->kind == NodeKind::Fill; }

  Block body;
};

/// The loop tree of a kernel. The kernel and the plan outlive it.
struct LoopTree {
  LoopTree(kernel::KernelOp kernel, const Plan &plan) : kernel(kernel), plan(plan), sets(kernel) {}

  kernel::KernelOp kernel;
  const Plan &plan;
  kernel::AxisSets sets;
  Block body;

  /// Points of a leaf there: fewer in the last iteration of a peeled axis, or in a tile of a
  /// filling.
  int64_t getExtent(const Scope &scope, unsigned leaf) const;
  /// Of a tile over these axes there.
  Shape getShape(const Scope &scope, const llvm::SmallBitVector &axes) const;
  /// Of what a root carries: dimensions that are reduced stay whole until the last loop is done.
  Shape getAccumulatorShape(const Scope &scope, mlir::Operation *root) const;
  /// Whether a step of the root sums over the leaf within its operands' tiles.
  bool isGroup(mlir::Operation *root, unsigned leaf) const;
  /// Whether what an iteration adds to the root is combined along the tile first: threads of a
  /// group follow one maximum of a row, where one thread has one in each of its lanes.
  bool isCombinedInSteps(mlir::Operation *root) const;
  /// The shape of a tile that a node gives.
  Shape getShape(Ref ref) const;

  /// The text that `--to=loops` writes of the kernel of that name.
  void print(llvm::raw_ostream &os, llvm::StringRef name) const;

  // Made by the builder alone.
  std::deque<std::unique_ptr<Node>> nodes;
  std::deque<std::unique_ptr<Scope>> scopes;
};

/// The dimensions of a window's buffer: the tensor's, one of them in groups where a dot instruction
/// takes them, whose elements are the last dimension then. None of other buffers.
llvm::SmallVector<WindowDim> getBufferDims(const Plan &plan, const StagedValue &staged);

/// Where a load of zero outside of its tensor, of which the op's window is a part, is known to be
/// outside for single points of a tile: where one of the bounds is negative.
llvm::SmallVector<const SkippedAxis::Bound *> getWindowBounds(const Plan &plan,
                                                              mlir::Operation *op);

/// The dimensions of a kept value's local memory: its loops inside the program and its tile axes.
/// What is kept along an online loop is used in the same iteration.
llvm::SmallVector<unsigned> getKeptLeaves(const LoopTree &tree, mlir::Operation *op);

/// Why there is no tree, and the op that is in the way.
struct Refusal {
  mlir::Operation *op = nullptr;
  std::string text;
};

/// The tree of a kernel and its plan, which outlive it; null, with the reason, where a value is
/// needed outside of the loops that it is computed in.
std::unique_ptr<LoopTree> buildLoopTree(kernel::KernelOp kernel, const Plan &plan,
                                        Refusal &refusal);

/// Prints the trees of all kernels below the op, which stays as it is; errors are diagnostics.
mlir::LogicalResult printLoopTrees(mlir::Operation *root, llvm::raw_ostream &os);

/// What is wrong with a tree; empty if nothing. Every node stands in one block, uses what was given
/// before it in blocks around it, and has indices of loops around it alone.
std::string verifyLoopTree(const LoopTree &tree);

} // namespace tw::schedule
