// Writes the tile program of one kernel, following its plan.
//
// The kernel's body is a graph of scalars. Three kinds of ops have a place of their own, the roots:
// stores, and ops that work along axes (reduce, contract, scan). Everything between them is
// computed where it is needed, once per scope: a scope is the function's body or the body of an
// open loop, and a value belongs to the outermost scope that knows all its loops.
//
// Roots are emitted in program order, loop by loop from the outside in. Roots next to each other
// that use a loop's axis share the loop, unless one needs what another reduces over that axis: then
// a new loop over the axis starts (a new stage). A reduction's accumulators travel through the
// loops over its axes as tiles; dimensions of the tile that are reduced are combined after the last
// loop.
//
// A frame says which leaf axes are the dimensions of tiles. All values are emitted in the frame of
// the plan's tile axes, but for the filling of a buffer in local memory: on a group of threads the
// loops inside are dimensions too, on a CPU the filling has loops of its own around tiles of two
// dimensions, that along which memory is read and the last one of the buffer.
//
// Where an axis is peeled, the last iteration of a part that does not divide is emitted apart:
// `rest` says how much of the axis is left for the parts inside, whose loops and tiles shrink to
// it.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Schedule/Plan.h"

namespace tw {

class TileEmitter {
public:
  TileEmitter(kernel::KernelOp kernel, const schedule::Plan &plan);

  /// Writes `ttile.func @name` at the builder's insertion point. Errors are diagnostics.
  mlir::FailureOr<tile::FuncOp> emit(mlir::OpBuilder &at, llvm::StringRef name);

private:
  using Shape = llvm::SmallVector<int64_t>;

  struct Scope {
    explicit Scope(mlir::Block *block) : block(block) {}
    mlir::Block *block;
    /// The loop that holds the next inner scope, before which this scope goes on; null for the end.
    mlir::Operation *anchor = nullptr;
    llvm::DenseMap<mlir::Value, mlir::Value> values;
    /// The emitter's `rest` where the scope begins.
    llvm::SmallVector<int64_t> rest;
    /// Values whose buffers in local memory this scope has filled.
    llvm::SmallPtrSet<mlir::Operation *, 4> filled;
  };
  struct Emitted {
    mlir::Value value;
    unsigned scope;
  };
  /// Accumulators of a reduction or the carry of a scan, while a loop over its axes is open.
  struct Accumulator {
    llvm::SmallVector<mlir::Value> values;
    unsigned level; ///< of the outermost of those loops
  };
  /// Expressions over tile coordinates (dims below the tile's rank) and operands (dims from there
  /// on).
  struct Coordinates {
    llvm::SmallVector<mlir::Value> operands;
    unsigned scope = 0;
  };

  // Emitter.cpp: loops.
  mlir::LogicalResult emitGrid(llvm::ArrayRef<mlir::Operation *> roots, unsigned dimension);
  mlir::LogicalResult emitRoots(llvm::ArrayRef<mlir::Operation *> roots, unsigned level);
  mlir::LogicalResult emitLoop(llvm::ArrayRef<mlir::Operation *> roots, unsigned level);
  bool usesAxis(mlir::Operation *root, unsigned axis) const;
  bool carriesAlong(mlir::Operation *root, unsigned axis) const;
  bool mustFollow(mlir::Operation *root, llvm::ArrayRef<mlir::Operation *> group,
                  unsigned axis) const;
  bool isOutermostPart(unsigned leaf) const;
  bool isMaskedApart(unsigned leaf) const;

  // Roots.cpp: stores, reductions, contractions and scans.
  mlir::LogicalResult emitRoot(mlir::Operation *root);
  mlir::LogicalResult emitStore(kernel::StoreOp store);
  mlir::LogicalResult accumulate(mlir::Operation *root);
  mlir::LogicalResult emitScan(kernel::ScanOp scan);
  mlir::LogicalResult finish(mlir::Operation *root, llvm::ArrayRef<mlir::Value> accumulators);
  bool isGroup(mlir::Operation *root, unsigned leaf) const;

  // Team.cpp: loops that threads share.
  mlir::LogicalResult emitTeam(llvm::ArrayRef<mlir::Operation *> roots, unsigned level);
  mlir::LogicalResult emitTeamParts(llvm::ArrayRef<mlir::Operation *> roots, unsigned level,
                                    unsigned dimension);
  bool isTeamAt(llvm::ArrayRef<mlir::Operation *> roots, unsigned level) const;
  bool isInTeam(unsigned leaf) const { return llvm::is_contained(plan.team, leaf); }
  mlir::LogicalResult branchAt(mlir::Value index, int64_t at,
                               llvm::function_ref<mlir::LogicalResult(mlir::Value)> emitThere,
                               llvm::function_ref<mlir::LogicalResult()> emitElsewhere);
  mlir::LogicalResult shareLoop(int64_t end, int64_t step,
                                llvm::function_ref<mlir::LogicalResult(mlir::Value)> emitBody);

  // Skipping.cpp: points that are masked or outside, and sums that follow a maximum.
  const schedule::SkippedAxis *findSkipped(unsigned leaf) const;
  mlir::Value getSeenBound(unsigned leaf, const schedule::SkippedAxis::Bound &bound, bool all,
                           int64_t most);
  std::pair<mlir::Value, mlir::Value> getSeen(unsigned leaf, const schedule::SkippedAxis &skipped,
                                              int64_t most);
  bool isKnownInTiles(const schedule::SkippedAxis::Bound &bound) const;
  llvm::SmallVector<view::GuardAttr> getWindowGuards(mlir::Operation *op, Coordinates &coordinates);
  bool isOnline(unsigned leaf) const { return plan.online && plan.online->leaf == leaf; }
  bool isScaledOnline(mlir::Operation *root) const;
  void startOnline();
  void updateOnline(mlir::Operation *root);
  mlir::FailureOr<mlir::Value> poisonUnseen(mlir::Operation *root, mlir::Value value);

  // Staging.cpp: values in local memory.
  void allocateBuffers(bool ownInTeam);
  mlir::FailureOr<std::optional<Emitted>> getStaged(mlir::Operation *op);
  mlir::LogicalResult ensureFilled(const schedule::StagedValue &staged);
  unsigned getStageScope(const schedule::StagedValue &staged) const;

  // Filling.cpp: how their buffers are filled.
  mlir::LogicalResult fill(const schedule::StagedValue &staged, unsigned scope);
  mlir::LogicalResult fillLoops(const schedule::StagedValue &staged,
                                llvm::ArrayRef<unsigned> loops);
  mlir::LogicalResult fillLoop(const schedule::StagedValue &staged, llvm::ArrayRef<unsigned> loops);
  mlir::LogicalResult fillTile(const schedule::StagedValue &staged);

  // Windows.cpp: parts of tensors that are copied.
  void fillWindow(const schedule::StagedValue &staged, unsigned scope);
  mlir::AffineExpr getWindowExpr(const schedule::WindowDim &dim,
                                 const schedule::StagedValue &staged, bool inside,
                                 Coordinates &coordinates);

  // Values.cpp: what is computed between roots.
  mlir::FailureOr<Emitted> get(mlir::Value value);
  mlir::FailureOr<Emitted> emitPointwise(mlir::Operation *op);
  mlir::FailureOr<Emitted> emitLoad(kernel::LoadOp load);
  const schedule::Plan::Prefetched *getPrefetch(kernel::LoadOp load);
  mlir::Value extend(kernel::ContractOp contract, mlir::Value tile, bool isUnsigned);
  mlir::FailureOr<mlir::Value> getAs(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcast(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value splat(mlir::TypedAttr element, llvm::ArrayRef<int64_t> shape);
  mlir::Value cloneOnTiles(mlir::Operation *op, mlir::ValueRange operands,
                           llvm::ArrayRef<int64_t> shape);
  mlir::FailureOr<mlir::AffineExpr> getExpr(mlir::Value index, Coordinates &coordinates);
  mlir::FailureOr<mlir::AffineMap> getPoints(mlir::ValueRange indices, Coordinates &coordinates);
  mlir::AffineExpr getAxisExpr(unsigned axis, Coordinates &coordinates);
  mlir::Value getInside(const llvm::SmallBitVector &axes, unsigned &scope);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  combine(mlir::Operation *root, mlir::ValueRange accumulators, mlir::ValueRange values);
  mlir::FailureOr<mlir::AffineMap> getStoreMap(kernel::StoreOp store, Coordinates &coordinates);

  struct Missing {
    llvm::SmallVector<mlir::Operation *> reductions, scans;
  };
  Missing findMissing(llvm::ArrayRef<mlir::Operation *> roots, unsigned axis);

  // Keeping.cpp: values in memory between stages.
  mlir::FailureOr<std::optional<Emitted>> getKept(mlir::Operation *op);
  mlir::LogicalResult keep(mlir::Operation *op, mlir::Value tile, unsigned scope);
  mlir::FailureOr<Emitted> loadKept(mlir::Operation *op);
  mlir::LogicalResult storeKept(mlir::Operation *op, mlir::Value tile, unsigned scope);
  mlir::FailureOr<std::pair<mlir::Value, mlir::AffineMap>>
  getKeepingMemory(mlir::Operation *op, Coordinates &coordinates);
  std::optional<kernel::KeepPlace> getPlace(mlir::Operation *op) const;
  llvm::SmallVector<unsigned> getKeptLeaves(mlir::Operation *op) const;
  const schedule::StagedValue *findReplaced(mlir::Operation *op) const;
  static bool needs(mlir::Operation *op, mlir::Operation *producer);
  void allocateKept();
  bool hasPartials(mlir::Operation *root, unsigned level) const;
  mlir::LogicalResult startPartials(mlir::Operation *root, unsigned level);
  mlir::LogicalResult storeIdentity(mlir::Operation *root);
  mlir::LogicalResult addToPartial(mlir::Operation *root, mlir::Value value);

  /// Points of a leaf here: fewer in the last iteration of a peeled axis, or in a tile of a
  /// filling.
  int64_t getExtent(unsigned leaf) const;
  Shape getShape(const llvm::SmallBitVector &axes) const;
  Shape getAccumulatorShape(mlir::Operation *root) const;
  unsigned getTileRank() const { return std::max<size_t>(1, frame.size()); }
  llvm::SmallBitVector getPadded(const llvm::SmallBitVector &axes) const;
  void insertIn(unsigned scope);
  void define(mlir::Value value, mlir::Value tile, unsigned scope) {
    scopes[scope].values[value] = tile;
  }
  unsigned innermost() const { return scopes.size() - 1; }

  kernel::KernelOp kernel;
  const schedule::Plan &plan;
  kernel::AxisSets sets;
  mlir::OpBuilder builder;
  mlir::Location location;
  tile::FuncOp func;
  llvm::SmallVector<Scope> scopes;
  /// The index of each leaf that is in the grid or whose loop is open, and the scope that knows it.
  llvm::SmallVector<mlir::Value> leafValues;
  llvm::SmallVector<unsigned> leafScopes;
  /// Leaves that are in the grid or whose loop is open, those of one iteration included.
  llvm::SmallVector<bool> leafOpen;
  /// The scope of the program's body: a branch of it where the last program of a peeled axis is
  /// apart.
  unsigned gridScope = 0;
  /// The leaves that are dimensions of tiles, and those that are loops.
  llvm::SmallVector<unsigned> frame, loops;
  /// Buffers in local memory, by the op whose value they hold.
  llvm::DenseMap<mlir::Operation *, mlir::Value> buffers;
  /// The value whose buffer is being filled.
  mlir::Operation *filling = nullptr;
  bool isFillingContraction = false;
  /// The team fills the buffer, and none of the loops so far is shared.
  bool isShareLeft = false;
  /// Axes that reach beyond their extent here; the main part of a peeled loop is inside.
  llvm::SmallVector<bool> padded;
  /// For each peeled axis, the points that the parts of it whose loops are not open cover here.
  llvm::SmallVector<int64_t> rest;
  /// The extents of leaves in the tiles of a filling; 0 for others.
  llvm::SmallVector<int64_t> chunks;
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
  /// In an iteration of the online loop: its scope, the maximum before it, and what sums up to here
  /// are multiplied by, once the maximum is known.
  std::optional<unsigned> onlineScope;
  mlir::Value onlineBefore, onlineScale;
  /// Selects that are decided where the present tiles are: all points are seen.
  llvm::SmallPtrSet<mlir::Operation *, 2> decided;
  llvm::SmallVector<std::pair<mlir::Operation *, int64_t>> unrolls;
};

} // namespace tw
