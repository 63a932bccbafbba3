// What a schedule makes of a kernel's axes: the plan that lowering to tiles follows to the letter.
//
// A schedule is an ordered list of primitives (`#tkernel.schedule`). Those at its head rewrite the
// kernel (`applyRewrites`). The others split the kernel's axes into leaf axes and give each leaf
// one role: a dimension of the grid (programs), a loop inside a program, or a dimension of the
// register tiles; and say which values lie in local memory. Nothing about how a kernel runs is
// decided elsewhere.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/StringMap.h"

namespace tw::schedule {

/// The last one is for points of a box, which alone the filling of its buffer runs over.
enum class Role { Grid, Loop, Tile, Fill };

/// An axis after all splits.
struct LeafAxis {
  mlir::StringAttr name;
  int64_t extent;
  unsigned axis; ///< the kernel's axis that it is a part of
  /// The outermost part of an axis whose size a call settles: it has as many points as that size
  /// takes, the last of which may reach beyond it, and `extent` at most.
  bool symbolic = false;
  Role role = Role::Loop;
  int64_t unroll = 1;                             ///< 0 means fully
  kernel::EdgeMode edge = kernel::EdgeMode::Mask; ///< of the axis it was split from
  bool reduced = false;                           ///< its axis is reduced by some op
  /// Points of the axis from one point of this leaf to the next.
  int64_t stride = 1;
  /// Contractions over its axis sum it within each step.
  bool dot = false;
  /// Of a Fill: the points that a tile of the filling takes.
  int64_t chunk = 1;
};

/// A coordinate as a linear function of leaves, and the part of it that is staged: of a tensor, or
/// of the points that a computed value is a function of.
struct WindowDim {
  /// The coordinate is the sum of coefficients times leaves, and the constant.
  llvm::SmallVector<int64_t> coefficients;
  int64_t constant = 0;
  /// The least value of the part over the leaves inside of the stage, and how many values it has.
  int64_t least = 0, extent = 1;
};

/// A value that is copied into memory of its own.
struct StagedValue {
  mlir::Operation *op;
  /// Position in `leaves` of the loop at whose start it is copied; none for before all loops.
  std::optional<unsigned> loop;
  /// Copied once for all programs, by a kernel of its own.
  bool global = false;
  /// Positions in `leaves`, the dimensions of the buffer: in the order that the schedule gives,
  /// else the loops inside, then the tile axes.
  llvm::SmallVector<unsigned> leaves;
  /// Position in `leaves` of the plan: along it memory is read with stride 1; the last dimension of
  /// the buffer where there is none.
  unsigned readLeaf = 0;
  /// The op is a load, or what a load is extended to, and what is copied is the part of its tensor
  /// that it reads: the dimensions of the buffer are the tensor's. `leaves` are those inside of the
  /// stage.
  bool isWindow = false;
  /// The window is of a computed value, a box: of all that it is computed from, axes stand in fixed
  /// sums, `2 * h + r`, which are the dimensions of the buffer. Each point of the box is computed
  /// once, however many points of those axes come to it.
  bool isBox = false;
  /// Positions in `leaves` of the plan: what the buffer is filled along, in the order of its
  /// dimensions. Of a box the sum of several axes has a leaf of its own, of the role Fill, in place
  /// of those that are inside of the stage, `pinned`, which stand at 0 meanwhile.
  llvm::SmallVector<unsigned> filled, pinned;
  /// Of a window: the dimension that `groupLeaf` cuts into groups of a dot instruction. Elements of
  /// a group are the buffer's last dimension, one more than the tensor has.
  std::optional<unsigned> groupDim;
  unsigned groupLeaf = 0;
  /// A contraction is on the way to the value, which is computed in register tiles of
  /// `getContractedTile`, the other dimensions of the buffer being loops.
  bool isContracted = false;
  /// Axes of the tile that a contraction on the way sums over: the last dimension of the register
  /// tile, combined at the end, if memory is read with stride 1 along one; the others are loops.
  std::optional<unsigned> summedLanes;
  llvm::SmallVector<unsigned, 2> summedLoops;
  llvm::SmallVector<WindowDim> window;
  /// Elements of the buffer from one row (all dimensions but the last) to the next.
  int64_t rowStride = 1;
  /// What is added to the stride of a dimension outside of the rows, along which memory is read.
  unsigned paddedDim = 0;
  int64_t padding = 0;
  /// Elements of the buffer, with what lies between them, without further slots.
  int64_t elements = 1;

  /// Elements from one point of a dimension to the next, in a buffer of this shape.
  int64_t getStride(llvm::ArrayRef<int64_t> shape, unsigned dim) const;
};

/// A loop in which reductions over its axis advance together. Later ones depend on an earlier one,
/// the lead, of all points; what they have summed is corrected where that changes.
struct OnlineLoop {
  struct Sum {
    mlir::Operation *op;
    /// Under a maximum it is multiplied by exp(before - after). Of squares of differences to a mean
    /// it grows by the points so far times (before - after)^2. Others stay.
    bool isCorrected;
  };
  unsigned leaf;
  kernel::ReduceOp lead; ///< a maximum, or a sum of which only the mean is used (Online.h)
  llvm::SmallVector<Sum> sums;
};

/// A reduced axis of which points are left out that a select masks, or that a load finds outside of
/// its tensor: those where a bound is negative.
struct SkippedAxis {
  /// The sum of coefficients times axes, and the constant.
  struct Bound {
    llvm::SmallVector<int64_t> coefficients; ///< by axes of the kernel; not 0 for `axis`
    int64_t constant = 0;
  };
  unsigned axis;
  /// The select, with one bound that falls along the axis; or the load.
  mlir::Operation *mask;
  /// The select gives its second operand where points are seen, else its third one.
  bool seenByTrue = true;
  llvm::SmallVector<Bound> bounds;
};

struct Plan {
  llvm::SmallVector<LeafAxis> leaves;
  /// Positions in `leaves`, row-major over the grid.
  llvm::SmallVector<unsigned> grid;
  /// Positions in `leaves`, outermost loop first.
  llvm::SmallVector<unsigned> loops;
  /// Of `loops`, those that the threads of a launch share: next to each other, in their order.
  llvm::SmallVector<unsigned> team;
  /// Positions in `leaves`, the last one along vector lanes.
  llvm::SmallVector<unsigned> tile;
  /// For each axis of the kernel, its index as an expression over the leaves (dimension i is leaf
  /// i).
  llvm::SmallVector<mlir::AffineExpr> index;
  /// For each axis of the kernel, whether its leaves reach beyond its extent.
  llvm::SmallVector<bool> padded;
  /// For each axis of the kernel, whether the last iteration of a leaf that does not divide it is
  /// emitted apart, with inner leaves as small as what is left: nothing reaches beyond the axis.
  llvm::SmallVector<bool> peeled;
  /// Subgroups of threads of a program; 0 for one thread with vector registers.
  int64_t warps = 0;
  /// Subgroups beside these that only have rings filled, and programs at most that take the points
  /// of the grid in turn; 0 where each has one.
  int64_t loading = 0, walking = 0;
  llvm::SmallVector<StagedValue, 1> staged;
  /// Where named values live between stages.
  llvm::StringMap<kernel::KeepPlace> keep;

  std::optional<OnlineLoop> online;
  llvm::SmallVector<SkippedAxis> skipped;

  /// The results that are stored past the caches.
  llvm::SmallVector<kernel::StreamAttr> streamed;

  /// What is fetched while a load is read.
  struct Prefetched {
    /// Elements from what is read to what is fetched.
    int64_t ahead;
    /// The stage of those that read it which fetches: 0, or 1 for what the next program reads.
    unsigned stage;
  };
  /// By the names of loads.
  llvm::StringMap<Prefetched> prefetched;

  /// The number of programs.
  int64_t getNumPrograms() const;
  /// The extents of a full tile.
  llvm::SmallVector<int64_t> getTileShape() const;
};

/// The dimensions of a contracted value's buffer that are those of its register tile: the last one,
/// and the one before it if that is of another axis.
llvm::ArrayRef<unsigned> getContractedTile(const Plan &plan, const StagedValue &staged);

/// The index of an axis of the kernel over the leaves: in the filling of a box with those of its
/// sums.
mlir::AffineExpr getIndex(const Plan &plan, unsigned axis, const StagedValue *filling);

/// Whether the buffer is each thread's own though a team runs the program: it is filled inside of
/// the loops that the team shares.
bool isOwnInTeam(const Plan &plan, const StagedValue &staged);

/// The load whose tensor a window of the op's value is a part of: the op, or what it extends.
kernel::LoadOp getWindowLoad(mlir::Operation *op);

/// Whether all that depends on the op's results is computed while buffers are filled.
bool isForStages(const Plan &plan, mlir::Operation *op);

/// Applies the rewrites at the head of the kernel's schedule to the kernel; the rest becomes its
/// schedule. `why` receives the reason when one is illegal; the kernel is then half rewritten.
mlir::LogicalResult applyRewrites(kernel::KernelOp kernel, std::string &why);

/// Whether the primitive at the head of the kernel's schedule, which rewrites have left, makes a
/// kernel in front that the rest of the list is for.
bool makesParts(kernel::KernelOp kernel);

/// Applies that primitive to the kernel, which has no schedule then, and returns the kernel in
/// front with the rest of the schedule; without one if nothing is left. `why` receives the reason
/// when it is illegal; the kernel is then as before.
mlir::FailureOr<kernel::KernelOp> applyParts(kernel::KernelOp kernel, std::string &why);

/// Gives the parts of factored reductions, and values staged for all programs, kernels of their own
/// in front of the kernel, those of values without a schedule. An illegal primitive is an error at
/// the kernel.
mlir::LogicalResult makeKernels(kernel::KernelOp kernel);
/// The same where `why` receives the reason. The kernel may be half changed then. With `isTrial`
/// kernels of values are not simplified (kernel::simplifyPanel): often nobody looks at them.
mlir::LogicalResult makeKernels(kernel::KernelOp kernel, std::string &why, bool isTrial = false);

/// Applies the rewrites of the kernel's schedule to it, and makes the plan of the others; without a
/// schedule there is one program, loops in the order of the kernel, tiles of one element. An
/// illegal primitive is an error at the kernel that says why.
mlir::FailureOr<Plan> makePlan(kernel::KernelOp kernel);
/// The same, but says why not instead of emitting an error.
mlir::FailureOr<Plan> makePlan(kernel::KernelOp kernel, std::string &why);

/// Whether the schedule is legal for the kernel, which does not change; if not, `why` says so.
bool isLegal(kernel::KernelOp kernel, kernel::ScheduleAttr schedule, std::string &why);

/// Whether the op stops the machine on a divisor of 0, which points beyond an axis may hold.
bool canTrap(mlir::Operation *op);

/// The store whose result can hold the value of the op in the meantime: same axes, same type, and
/// elements that are exactly the points of the axes. Null where there is none.
kernel::StoreOp findKeepingStore(kernel::KernelOp kernel, const Plan &plan, mlir::Operation *op);

} // namespace tw::schedule
