// What a schedule makes of a kernel's axes: the plan that lowering to tiles follows to the letter.
//
// A schedule is an ordered list of primitives (`#tkernel.schedule`). Applying it splits the
// kernel's axes into leaf axes and gives each leaf one role: a dimension of the grid (programs), a
// loop inside a program, or a dimension of the register tiles. Nothing about how a kernel runs is
// decided elsewhere.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/StringMap.h"

namespace tw::schedule {

enum class Role { Grid, Loop, Tile };

/// An axis after all splits.
struct LeafAxis {
  mlir::StringAttr name;
  int64_t extent;
  unsigned axis; ///< the kernel's axis that it is a part of
  Role role = Role::Loop;
  int64_t unroll = 1;                             ///< 0 means fully
  kernel::EdgeMode edge = kernel::EdgeMode::Mask; ///< of the axis it was split from
  bool reduced = false;                           ///< its axis is reduced by some op
};

struct Plan {
  llvm::SmallVector<LeafAxis> leaves;
  /// Positions in `leaves`, row-major over the grid.
  llvm::SmallVector<unsigned> grid;
  /// Positions in `leaves`, outermost loop first.
  llvm::SmallVector<unsigned> loops;
  /// Positions in `leaves`, the last one along vector lanes.
  llvm::SmallVector<unsigned> tile;
  /// For each axis of the kernel, its index as an expression over the leaves (dimension i is leaf
  /// i).
  llvm::SmallVector<mlir::AffineExpr> index;
  /// For each axis of the kernel, whether its leaves reach beyond its extent.
  llvm::SmallVector<bool> padded;
  /// Where named values live between stages.
  llvm::StringMap<kernel::KeepPlace> keep;

  /// The number of programs.
  int64_t getNumPrograms() const;
  /// The extents of a full tile.
  llvm::SmallVector<int64_t> getTileShape() const;
};

/// Applies the kernel's schedule, or the empty one when it has none (one program, loops in the
/// order of the kernel, tiles of one element). An illegal primitive is an error at the kernel that
/// says why.
mlir::FailureOr<Plan> makePlan(kernel::KernelOp kernel);

/// As above for a given schedule; `why` receives the reason instead of a diagnostic.
mlir::FailureOr<Plan> makePlan(kernel::KernelOp kernel, kernel::ScheduleAttr schedule,
                               std::string &why);

} // namespace tw::schedule
