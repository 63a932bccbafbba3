// Writing a schedule: roles are given to groups of axes, the list comes out in a fixed order.
#pragma once

#include "tw/Schedule/AxisGroups.h"

namespace tw::schedule {

class ScheduleBuilder {
public:
  ScheduleBuilder(kernel::KernelOp kernel, const kernel::AxisSets &sets)
      : kernel(kernel), sets(sets) {}

  enum class Rest { Grid, Loop };

  /// The group, as one axis, becomes a dimension of the grid.
  void addGrid(const AxisGroup &group);
  /// Each axis of the group becomes a loop, the fastest one unrolled by so much.
  void addLoops(const AxisGroup &group, int64_t unrolled = 1);
  /// `factor` points of the group, as one axis, become the next dimension of the tiles; the rest
  /// programs or a loop.
  /// Returns its name.
  mlir::StringAttr addTile(const AxisGroup &group, int64_t factor, Rest rest,
                           kernel::EdgeMode edge = kernel::EdgeMode::Mask);
  /// The same with programs as the rest, of which `together` follow each other for each point of
  /// the dimensions of the grid that are added later; as many as there are or a divisor of these.
  mlir::StringAttr addTileTogether(const AxisGroup &group, int64_t factor, int64_t together);
  /// The group, as one axis, becomes two loops, the inner one over `factor` points and unrolled.
  /// Returns the names of both; the outer one may have one point only.
  std::pair<mlir::StringAttr, mlir::StringAttr>
  addBlockedLoop(const AxisGroup &group, int64_t factor, kernel::EdgeMode edge);
  /// The group, as one axis, becomes a loop over blocks of `factor` points, each the next dimension
  /// of the tiles, which matrix units sum over. Returns the names of both.
  std::pair<mlir::StringAttr, mlir::StringAttr>
  addUnit(const AxisGroup &group, int64_t factor, kernel::EdgeMode edge = kernel::EdgeMode::Pad);
  /// The loop runs in full in one body; is online; the axis is skipped where it is masked.
  void addUnrolled(mlir::StringAttr loop);
  void addOnline(mlir::StringAttr loop);
  void addSkip(unsigned axis);
  /// The value of the op, which is given the name if it has none, is staged at the loop, its
  /// dimensions in this order (none: theirs), in a ring of so many slots.
  void addStage(mlir::Operation *op, llvm::StringRef name, mlir::StringAttr loop,
                llvm::ArrayRef<mlir::StringAttr> order = {}, int64_t slots = 1);
  /// The value of the op is kept in the result between stages.
  void addKeep(mlir::Operation *op, llvm::StringRef name);

  /// The reduction, which is given the name if it has none, runs in parts of so many points of the
  /// group, as one axis. Nothing else is added then.
  void addFactor(mlir::Operation *op, llvm::StringRef name, const AxisGroup &group, int64_t length);

  /// The list: merges, factors, splits, grid, order, tile, unrolls, warps, stages, keeps, edges.
  /// Loops are in an order in which every reduction runs inside of the loops that its result keeps.
  /// Without warps (0), a program is what the target makes of one.
  kernel::ScheduleAttr finish(int64_t warps, int64_t loading = 0, int64_t walking = 0);

private:
  struct Loop {
    mlir::StringAttr name;
    llvm::SmallBitVector axes; ///< of the kernel
    bool isOnce = false;       ///< has one iteration
  };

  mlir::StringAttr text(const llvm::Twine &name);
  mlir::StringAttr merge(const AxisGroup &group);
  /// The outer and the inner part.
  std::pair<mlir::StringAttr, mlir::StringAttr>
  split(const AxisGroup &group, int64_t factor, kernel::EdgeMode edge = kernel::EdgeMode::Mask);
  /// The name of a value, which is given this one, or one like it, if it has none.
  mlir::StringAttr getName(mlir::Operation *op, llvm::StringRef name);
  void addLoop(mlir::StringAttr name, llvm::ArrayRef<unsigned> axes, bool isOnce = false);
  bool mustEnclose(const Loop &outer, const Loop &inner) const;
  llvm::SmallVector<mlir::StringAttr> orderLoops() const;

  kernel::KernelOp kernel;
  const kernel::AxisSets &sets;
  llvm::SmallVector<mlir::Attribute> merges, factors, splits, unrolls, stages, keeps, edges,
      contracts, prefetches, sweeps;
  /// `fastest`: what comes behind all other dimensions of the grid.
  llvm::SmallVector<mlir::StringAttr> grid, fastest, tile;
  llvm::SmallVector<Loop> loops;
};

} // namespace tw::schedule
