// Axes that every op of a kernel treats alike.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"

namespace tw::schedule {

/// Axes that may be merged: the same ops reduce them, the same reductions keep them, the same
/// stores write along them.
struct AxisGroup {
  llvm::SmallVector<unsigned> axes; ///< slowest in memory first
  int64_t extent = 1;
  /// `scanned`: its points come in their order, in a scan or a store.
  bool stored = false, reduced = false, scanned = false;
  /// Every store writes along it and every reduction keeps it: programs that share its points do
  /// nothing twice.
  bool everywhere = true;
  /// A call settles the size of its first axis: `extent` is one of many.
  bool settled = false;

  unsigned fastest() const { return axes.back(); }
};

/// The groups of all axes that the kernel uses, in the order of their first axes. `apart` keeps
/// axes apart on which an operand of a contraction depends and the other does not.
llvm::SmallVector<AxisGroup> findAxisGroups(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                                            bool apart);

/// What it costs to have threads next to each other along an axis: over all accesses, the points
/// that they touch times the elements that memory moves for each.
double getCostAlong(kernel::KernelOp kernel, const kernel::AxisSets &sets, const AxisGroup &group);

/// Two parts of a group of axes along which an elementwise kernel stores, where a large load runs
/// through memory along other axes than the stores: the axes that the load runs along, then those
/// that the stores do, each as far as they merge without divisions. `rest` is what is left, an axis
/// each. None when threads side by side along the group's fastest axis read neighbours as well.
struct Transposition {
  AxisGroup read, written;
  llvm::SmallVector<AxisGroup> rest;
};
std::optional<Transposition>
findTransposition(kernel::KernelOp kernel, const kernel::AxisSets &sets, const AxisGroup &group);

} // namespace tw::schedule
