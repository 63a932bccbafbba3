// Products of narrow elements, in groups of dot instructions.
#pragma once

#include "Product.h"

namespace tw::schedule::host {

/// A contraction of two loads, in groups that dot instructions multiply.
struct DotOperands {
  DotOperands(kernel::KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), product(kernel) {}

  kernel::KernelOp kernel;
  const HostTraits &traits;
  Product product;
  kernel::LoadOp loads[2];
  bool areConstant[2];
  /// The axis of each load alone along which the result is contiguous, else the longest.
  std::optional<unsigned> ownAxes[2];
  /// Elements of a group; points of the result beside those of the two axes.
  int64_t groupSize = 1, others = 1;

  /// Fills in all of that; false if the kernel is of another kind, or the CPU has no such dots.
  bool match();
  /// The reduced axis that is cut into groups: one along which the rows are contiguous, then the
  /// columns, then the longest.
  std::optional<unsigned> findGroup(kernel::LoadOp rowLoad, kernel::LoadOp columnLoad);

  int64_t extent(unsigned axis) const { return product.extent(axis); }
  /// Elements of memory between neighbours along an axis.
  std::optional<int64_t> strideOf(kernel::LoadOp load, unsigned axis);
  /// Whether all results are contiguous along the axis.
  bool isStoredAlong(unsigned axis);
  /// Whether bytes are extended to 16 bits and multiplied in pairs.
  bool isPaired() const { return groupSize == 4 && !traits.int8Dot; }
};

/// A product of one row whose groups lie along `group`, and columns contiguous along `column`.
struct DotRow {
  Product &product;
  kernel::LoadOp columns;
  unsigned column, group;
  int64_t groupSize;
};

/// The matrix is read once and in its order, a few of its rows at a time along all of the result,
/// which holds the partial sums.
void proposeDotSweep(const DotRow &row, const HostTraits &traits,
                     llvm::SmallVectorImpl<HostCandidate> &candidates);

} // namespace tw::schedule::host
