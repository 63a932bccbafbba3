// The axes of a plan while primitives are applied to it.
#pragma once

#include "tw/Schedule/Plan.h"

#include "llvm/ADT/DenseMap.h"

namespace tw::schedule {

/// Fills in the leaves of a plan, their roles and their indices. Axes that are split stay among the
/// leaves until finish(), so that positions in `plan.leaves` hold until then. What fails gives its
/// reason in `why`.
class PlanAxes {
public:
  /// One leaf for each axis of the kernel. The plan, which is empty, and `why` outlive this.
  PlanAxes(kernel::KernelOp kernel, Plan &plan, std::string &why);

  /// The position of the axis of that name, or an error on behalf of a primitive.
  mlir::LogicalResult find(llvm::StringRef primitive, mlir::StringAttr name, unsigned &position);

  // m = [mo, mi 8]: leaf m is replaced by mo of ceil(m / 8) and mi of 8; m becomes mo * 8 + mi.
  mlir::LogicalResult split(kernel::SplitAttr split);

  /// Gives the axes their role and appends them to its list.
  mlir::LogicalResult place(llvm::ArrayRef<mlir::StringAttr> names, Role role,
                            llvm::SmallVectorImpl<unsigned> &list, llvm::StringRef primitive);

  mlir::LogicalResult setEdge(kernel::EdgeAttr edge);

  /// Makes loops of what has no role, and drops the leaves that were split.
  void finish();

private:
  mlir::LogicalResult fail(const llvm::Twine &reason);
  /// Points of the axis from one point of the leaf to the next.
  int64_t getLeafStride(unsigned leaf);
  /// Removes the leaves that were split further and renumbers the rest.
  void dropSplitLeaves();

  kernel::KernelOp kernel;
  Plan &plan;
  std::string &why;
  llvm::SmallVector<bool> live, placed;
  /// Whether the axis ends where the leaf does: it is the axis, or the first part of such a leaf.
  llvm::SmallVector<bool> leading;
  llvm::DenseMap<mlir::StringAttr, unsigned> wholes; ///< split axis -> its first part
};

} // namespace tw::schedule
