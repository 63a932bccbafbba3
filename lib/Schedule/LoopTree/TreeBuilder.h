// Builds the loop tree of one kernel, following its plan.
//
// The kernel's body is a graph of scalars. Three kinds of ops have a place of their own, the roots:
// stores, and ops that work along axes (reduce, contract, scan). Everything between them is
// computed where it is needed, once per scope: a value belongs to the outermost scope that knows
// all its loops.
//
// Roots are placed in program order, loop by loop from the outside in. Roots next to each other
// that use a loop's axis share the loop, unless one needs what another reduces over that axis: then
// a new loop over the axis starts (a new stage). What a reduction accumulates travels through the
// loops over its axes as tiles; dimensions of the tile that are reduced are combined after the last
// loop.
//
// All values are placed in the frame of the plan's tile axes, but for the filling of a buffer in
// local memory: on a group of threads the loops inside are dimensions too, on a CPU the filling has
// loops of its own around tiles of two dimensions, that along which memory is read and the last one
// of the buffer.
//
// Where an axis is peeled, the last iteration of a part that does not divide is apart: the scope's
// `rest` says how much of the axis is left for the parts inside, whose loops and tiles shrink to
// it.
#pragma once

#include "tw/Schedule/LoopTree.h"

namespace tw::schedule {

class TreeBuilder {
public:
  TreeBuilder(LoopTree &tree, Refusal &refusal)
      : tree(tree), kernel(tree.kernel), plan(tree.plan), sets(tree.sets), refusal(refusal) {}

  mlir::LogicalResult build();

private:
  using Roots = llvm::ArrayRef<mlir::Operation *>;

  /// A scope that is open, and what has been placed in it.
  struct Open {
    Scope *scope;
    llvm::DenseMap<mlir::Value, Ref> values;
    /// Values whose buffers in local memory it has filled.
    llvm::SmallPtrSet<mlir::Operation *, 4> filled;
    /// Selects that are decided there: all points are seen.
    llvm::SmallPtrSet<mlir::Operation *, 2> decided;
  };
  struct Placed {
    Ref ref;
    unsigned depth;
  };
  /// Accumulators of a reduction or the carry of a scan, while a loop over its axes is open.
  struct Accumulator {
    llvm::SmallVector<Ref, 1> values;
    unsigned level; ///< of the outermost of those loops
  };
  /// What roots carry through a loop that is about to open.
  struct Carrying {
    llvm::SmallVector<mlir::Operation *> roots;
    /// Reductions whose partial results begin in memory.
    llvm::SmallVector<mlir::Operation *> started;
    bool isReverse = false;
  };
  /// How the points that are left of a leaf are covered: iterations of a loop, and a last one apart
  /// where the rest is smaller or alone reaches beyond the axis.
  struct Parts {
    int64_t iterations = 0, extent = 0;
    bool shrinks = false, masks = false;
    /// Points of the axis left inside of an iteration, and of the last one apart.
    int64_t rest = 0, lastRest = 0;
  };

  // BuildLoops.cpp
  mlir::LogicalResult placeGrid(Roots roots, unsigned dimension);
  mlir::LogicalResult placeRoots(Roots roots, unsigned level);
  llvm::SmallVector<mlir::Operation *> takeGroup(llvm::SmallVectorImpl<mlir::Operation *> &roots,
                                                 unsigned position);
  mlir::LogicalResult placeLoop(Roots group, unsigned level);
  mlir::LogicalResult startCarrying(Roots roots, unsigned level, Carrying &carrying);
  std::optional<unsigned> findLoopOf(mlir::Operation *root) const;
  mlir::LogicalResult refuseInside(mlir::Operation *root, unsigned leaf);
  mlir::LogicalResult finishCarrying(const Carrying &carrying, unsigned level);
  mlir::LogicalResult placeAllIterations(Roots roots, unsigned level, const Parts &parts,
                                         const Carrying &carrying);
  mlir::LogicalResult placeIterations(Roots roots, unsigned level, const Parts &parts,
                                      const Carrying &carrying, LoopBound lower, LoopBound upper,
                                      bool masks);
  mlir::LogicalResult placeSwitch(Roots roots, unsigned level);
  mlir::LogicalResult placeInside(Roots roots, unsigned level, Scope &scope);
  Parts getParts(unsigned leaf, bool isReverse) const;
  bool usesAxis(mlir::Operation *root, unsigned axis) const;
  bool carriesAlong(mlir::Operation *root, unsigned axis) const;
  bool mustFollow(mlir::Operation *root, Roots group, unsigned axis) const;
  bool isOutermostPart(unsigned leaf) const;
  bool isMaskedApart(unsigned leaf) const;
  bool canSwitch(unsigned leaf) const;
  bool isSwitchedAlike(unsigned leaf) const;
  bool readsBuffersAlong(unsigned axis) const;
  /// Whether the leaf's last iteration switches over what is left of the axis: also where there is
  /// no other iteration, what is computed in it is known in there alone.
  bool isSwitched(unsigned leaf) const;
  bool endsWithAxis(unsigned leaf) const;
  bool endsInside(unsigned leaf) const;
  const SkippedAxis *findSkipped(unsigned leaf) const;
  struct Missing {
    llvm::SmallVector<mlir::Operation *> reductions, scans;
  };
  Missing findMissing(Roots roots, unsigned axis);

  // BuildTeam.cpp
  mlir::LogicalResult placeTeam(Roots roots, unsigned level);
  mlir::LogicalResult placeTeamParts(Roots roots, unsigned level, unsigned dimension);
  bool isTeamAt(Roots roots, unsigned level) const;
  bool isInTeam(unsigned leaf) const { return llvm::is_contained(plan.team, leaf); }
  mlir::LogicalResult branchAt(LeafIndex index, int64_t at,
                               llvm::function_ref<mlir::LogicalResult(bool)> placePart,
                               std::optional<unsigned> endOf = std::nullopt);
  mlir::LogicalResult placeRests(unsigned position,
                                 llvm::function_ref<mlir::LogicalResult()> placePart,
                                 bool isOfAny = false);
  mlir::LogicalResult shareLoop(int64_t end, int64_t step,
                                llvm::function_ref<mlir::LogicalResult(const Node &)> placeBody);

  // BuildRoots.cpp
  mlir::LogicalResult placeRoot(mlir::Operation *root);
  mlir::LogicalResult placeStore(kernel::StoreOp store);
  mlir::LogicalResult accumulate(mlir::Operation *root);
  mlir::LogicalResult placeScan(kernel::ScanOp scan);
  mlir::LogicalResult finish(mlir::Operation *root, llvm::ArrayRef<Ref> values);
  llvm::SmallVector<Ref, 1> combine(mlir::Operation *root, llvm::ArrayRef<Ref> values);
  Ref addStep(mlir::Operation *root, Ref before, Ref step);
  bool isOnlineRoot(mlir::Operation *root) const;
  bool isScaledOnline(mlir::Operation *root) const;
  bool vanishesBeyond(mlir::Operation *root, const llvm::SmallBitVector &axes) const;
  bool isOnline(unsigned leaf) const { return plan.online && plan.online->leaf == leaf; }
  void updateOnline(mlir::Operation *root);
  mlir::LogicalResult combineOnline(Ref lanes);
  void correctSums(Ref correction);
  mlir::FailureOr<Ref> poisonUnseen(mlir::Operation *root, Ref value);

  // BuildValues.cpp
  mlir::FailureOr<Placed> get(mlir::Value value);
  mlir::FailureOr<Placed> placePointwise(mlir::Operation *op);
  mlir::FailureOr<Placed> placeLoad(kernel::LoadOp load);
  mlir::FailureOr<Placed> placeIndex(mlir::Value value);
  mlir::FailureOr<Ref> getDecided(mlir::Operation *op, unsigned &depth);
  const Plan::Prefetched *getPrefetch(kernel::LoadOp load);
  /// The tiles that indices are read from, and the scopes that know them.
  mlir::LogicalResult visitIndex(mlir::Value index, Node &node, unsigned &depth);
  mlir::LogicalResult visitIndices(mlir::ValueRange indices, Node &node, unsigned &depth);
  void visitAxis(unsigned axis, unsigned &depth) const;
  Ref placeMask(const llvm::SmallBitVector &axes, unsigned &depth);
  llvm::SmallBitVector getPadded(const llvm::SmallBitVector &axes) const;

  // BuildBuffers.cpp
  void allocate(bool ownInTeam);
  mlir::FailureOr<std::optional<Placed>> getStaged(mlir::Operation *op);
  mlir::LogicalResult ensureFilled(const StagedValue &staged);
  unsigned getStageDepth(const StagedValue &staged) const;
  mlir::LogicalResult fill(const StagedValue &staged, unsigned depth);
  void openFilling(const StagedValue &staged, unsigned depth, Open &own);
  mlir::LogicalResult fillLoops(llvm::ArrayRef<unsigned> leaves);
  mlir::LogicalResult fillTile();

  // BuildFillLoop.cpp
  mlir::LogicalResult fillLoop(llvm::ArrayRef<unsigned> leaves);
  struct FillParts;
  FillParts getFillParts(unsigned leaf) const;
  mlir::LogicalResult fillPart(llvm::ArrayRef<unsigned> leaves, const FillParts &parts,
                               Block *block, LeafIndex index, int64_t points, bool isLast);
  mlir::LogicalResult fillIterations(llvm::ArrayRef<unsigned> leaves, const FillParts &parts);
  mlir::LogicalResult shareFilling(llvm::ArrayRef<unsigned> leaves, const FillParts &parts);

  // BuildKept.cpp
  mlir::FailureOr<std::optional<Placed>> getKept(mlir::Operation *op);
  mlir::LogicalResult keep(mlir::Operation *op, Ref value, unsigned depth);
  mlir::FailureOr<Placed> readKept(mlir::Operation *op);
  mlir::LogicalResult writeKept(mlir::Operation *op, Ref value, unsigned depth);
  mlir::LogicalResult visitKeepingMemory(mlir::Operation *op, Node &node, unsigned &depth);
  std::optional<kernel::KeepPlace> getPlace(mlir::Operation *op) const;
  const StagedValue *findReplaced(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Operation *> findRepeated(Roots roots, unsigned level) const;
  mlir::LogicalResult fillRepeated(Roots roots, unsigned level);
  mlir::LogicalResult fillKeptFor(const StagedValue &staged, unsigned depth);
  void allocateKept();
  bool hasPartials(mlir::Operation *root, unsigned level) const;
  mlir::LogicalResult startPartials(mlir::Operation *root, unsigned level);
  mlir::LogicalResult addToPartial(mlir::Operation *root, Ref value);

  // TreeBuilder.cpp
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &text);
  /// A node in the scope of that depth, which runs after what is there.
  Node &place(NodeKind kind, unsigned depth, mlir::Operation *op = nullptr);
  /// A node for the scope of that depth; `append` puts it there when what is in it is complete, so
  /// that it runs after what was placed there meanwhile.
  template <typename T, typename... Args> T &make(unsigned depth, Args &&...args) {
    auto node = std::make_unique<T>(*scopes[depth].scope, std::forward<Args>(args)...);
    node->number = tree.nodes.size();
    tree.nodes.push_back(std::move(node));
    return static_cast<T &>(*tree.nodes.back());
  }
  static void append(Node &node) { node.scope.block->push_back(&node); }
  /// A scope inside of the innermost one, with what that knows; in its block if there is no other.
  Scope &open(Block *block = nullptr);
  void close() { scopes.pop_back(); }
  const Scope &here() const { return *scopes.back().scope; }
  unsigned innermost() const { return scopes.size() - 1; }
  int64_t getExtent(unsigned leaf) const { return tree.getExtent(here(), leaf); }
  Shape getShape(const llvm::SmallBitVector &axes) const { return tree.getShape(here(), axes); }
  void define(mlir::Value value, Ref ref, unsigned depth) { scopes[depth].values[value] = ref; }

  LoopTree &tree;
  kernel::KernelOp kernel;
  const Plan &plan;
  const kernel::AxisSets &sets;
  Refusal &refusal;

  llvm::SmallVector<Open> scopes;
  /// The scope of the program's body: of a branch where the last program of a peeled axis is apart.
  unsigned gridDepth = 0;
  /// The Alloc nodes, by the op whose value they hold.
  llvm::DenseMap<mlir::Operation *, const Node *> buffers;
  llvm::DenseMap<mlir::Operation *, Accumulator> accumulators;
  /// The first roots of the open loops' groups: the parts of a peeled loop are one stage.
  using Stage = llvm::SmallVector<mlir::Operation *>;
  Stage stage;
  /// Values named by `keep`, and the stage that computed them.
  llvm::DenseMap<mlir::Operation *, Stage> kept;
  /// The stages that have read a load.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Stage>> readingStages;
  /// Reductions whose partial results are in memory while their loops are open, and those that are
  /// done and lie there; the one whose partial results get their first value.
  llvm::SmallPtrSet<mlir::Operation *, 2> partial, inResult;
  mlir::Operation *starting = nullptr;
  /// In an iteration of the online loop: its scope, the lead before it, and what corrects sums up
  /// to here, once the lead of the iteration is known.
  std::optional<unsigned> onlineDepth;
  Ref onlineBefore, onlineCorrection;
  /// While what lanes of the lead have seen is combined.
  bool isCombining = false;
};

/// Along lanes a switch over what is left of an axis has bodies for so many points, twice as many
/// and so on.
inline constexpr int64_t kLeastLanes = 8;

/// Whether the op is computed from the other one's results.
bool needs(mlir::Operation *op, mlir::Operation *producer);

} // namespace tw::schedule
