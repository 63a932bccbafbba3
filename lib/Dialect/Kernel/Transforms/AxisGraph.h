// Which axes of a kernel may become one, and in which order loops over them can be.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tw::kernel {

/// Two axes that are to become one, by number, the smaller one first.
using AxisPair = std::pair<unsigned, unsigned>;

/// Axes seen as registers are by a register allocator: the live set of an op is the union of the
/// axis sets of its operands, those that it reduces and those that a store is along included; two
/// axes that are live at one op interfere. If axes of equal extents do not interfere, replacing one
/// by the other changes no value: at every op the renaming maps points one to one, so the same
/// numbers are combined, and loads, stores and arithmetic see what they saw
/// (docs/rationale/fusion.md).
class AxisGraph {
public:
  explicit AxisGraph(KernelOp kernel);

  /// Whether the axes of each pair, and so those of chains of pairs, may become one: stores that
  /// come to an element again do so in the same order.
  bool canUnite(llvm::ArrayRef<AxisPair> pairs) const;

  /// Whether one order of loops serves all roots with partial results in registers, once the pairs
  /// are one: what a root keeps is outside of what it reduces, or scans, and stores that come to an
  /// element again do so in the order of their axes.
  bool isOrdered(llvm::ArrayRef<AxisPair> pairs = {}) const;

  /// That order, as near to the kernel's as it can be; not all axes where there is none.
  llvm::SmallVector<unsigned> getOrder(llvm::ArrayRef<AxisPair> pairs = {}) const;

private:
  /// For each axis the first one of those that become one with it.
  llvm::SmallVector<unsigned> getLeaders(llvm::ArrayRef<AxisPair> pairs) const;

  llvm::SmallVector<Extent> extents;
  /// Of each axis, those that are live with it at some op; those that are kept where it is reduced.
  llvm::SmallVector<llvm::SmallBitVector> interfering, outside;
  /// Of each store the axes that come in their order.
  llvm::SmallVector<llvm::SmallVector<unsigned>> ordered;
};

} // namespace tw::kernel
