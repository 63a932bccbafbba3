// A plan while the primitives of a schedule are applied to it.
#pragma once

#include "tw/Schedule/Plan.h"

#include "llvm/ADT/DenseMap.h"

namespace tw::schedule {

/// Fills in the leaves of a plan, their roles and their indices, as primitives say. Axes that are
/// split stay among the leaves until the end, so that positions in `leaves` hold until then. What
/// fails gives its reason in `why`.
class PlanBuilder {
public:
  /// One leaf for each axis of the kernel. `why` outlives this.
  PlanBuilder(kernel::KernelOp kernel, std::string &why);

  /// The plan after the primitives of the schedule, which may be null.
  mlir::FailureOr<Plan> build(kernel::ScheduleAttr schedule);

  kernel::KernelOp getKernel() const { return kernel; }
  Plan &getPlan() { return plan; }
  std::string &getReason() { return why; }
  mlir::LogicalResult fail(const llvm::Twine &reason);

  /// The position of the leaf of that name, or an error on behalf of a primitive.
  mlir::LogicalResult findAxis(llvm::StringRef primitive, mlir::StringAttr name,
                               unsigned &position);
  /// The op of that name; null after an error on behalf of a primitive.
  mlir::Operation *findValue(llvm::StringRef primitive, mlir::StringAttr name);

  /// Gives the leaves their role and appends them to its list.
  mlir::LogicalResult place(llvm::StringRef primitive, llvm::ArrayRef<mlir::StringAttr> names,
                            Role role, llvm::SmallVectorImpl<unsigned> &list);
  bool isPlaced(unsigned leaf) const { return placed[leaf]; }

  /// Replaces the leaf by parts of those extents, the first one outermost. Fails where another leaf
  /// has the name of one.
  mlir::LogicalResult split(unsigned whole, llvm::ArrayRef<mlir::StringAttr> names,
                            llvm::ArrayRef<int64_t> extents);
  /// Whether the axis ends where the leaf does: it is the axis, or the first part of such a leaf.
  bool isLeading(unsigned leaf) const { return leading[leaf]; }
  /// The position of the first part of an axis that was split; parts are next to each other.
  std::optional<unsigned> findParts(mlir::StringAttr axis) const;

private:
  mlir::LogicalResult apply(mlir::Attribute primitive);
  /// Puts loops over axes that a reduction keeps outside of those that it reduces, the others and
  /// the order of what one sums staying as they are; changes nothing where that cannot be.
  void orderResultsFirst(llvm::SmallVectorImpl<unsigned> &loops);
  /// Makes loops of what has no role, and drops the leaves that were split.
  void closeAxes();
  /// Points of the axis from one point of the leaf to the next.
  int64_t getLeafStride(unsigned leaf);
  /// Removes the leaves that were split further and renumbers the rest.
  void dropSplitLeaves();

  kernel::KernelOp kernel;
  Plan plan;
  std::string &why;
  llvm::SmallVector<bool> live, placed, leading;
  llvm::DenseMap<mlir::StringAttr, unsigned> wholes; ///< split axis -> its first part
};

/// The keyword that gives the role.
llvm::StringRef getRoleKeyword(Role role);

} // namespace tw::schedule
