// What primitives do to the order in which a kernel adds up its sums.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// The axes as the primitives so far have left them, in the order in which the kernel as written
/// runs through its points.
class AxisHistory {
public:
  explicit AxisHistory(kernel::KernelOp kernel);

  /// Replaces the axes `from` by `to`, where the first of them is.
  void replace(llvm::ArrayRef<mlir::StringAttr> from, llvm::ArrayRef<mlir::StringAttr> to);
  /// The axis is not reduced any more.
  void keep(mlir::StringAttr name);
  /// Loops run in that order from now on, the others following.
  void setOrder(llvm::ArrayRef<mlir::StringAttr> names) {
    order.assign(names.begin(), names.end());
  }

  /// One of the names that is an axis reduced, or run through by a scan, where the order of points
  /// matters; null without any.
  mlir::StringAttr findReduced(llvm::ArrayRef<mlir::StringAttr> names) const;
  /// Whether the loops run reduced axes as the kernel does.
  bool keepsOrder() const;
  /// Whether the loops come back to a sum, which has been in memory meanwhile, with a part of it
  /// that was summed apart.
  bool sumsParts(mlir::Operation *reduction) const;

private:
  struct Axis {
    mlir::StringAttr name;
    bool reduced;
  };
  llvm::SmallVector<Axis> axes;
  llvm::SmallVector<mlir::StringAttr> order;
};

} // namespace tw::schedule
