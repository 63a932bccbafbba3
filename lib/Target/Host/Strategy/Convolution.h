// A convolution as the strategy for it sees it: what it reads, its channels, pixels and borders.
#pragma once

#include "Product.h"

#include "tw/Schedule/Plan.h"

#include "llvm/Support/MathExtras.h"

namespace tw::schedule::host {

/// A contraction of a load through a window, or of what is computed from it point by point, with a
/// load of weights, which has an axis of its own.
struct ConvolutionOperands : Product {
  ConvolutionOperands(kernel::KernelOp kernel, const HostTraits &traits)
      : Product(kernel), traits(traits) {}

  /// A reduced axis some of whose points are beyond the border, for some points of an axis of the
  /// result.
  struct Border {
    unsigned tap, across;
    /// Of each tap, the first and the last point across that it sees; the last one before the first
    /// if there is none.
    llvm::SmallVector<std::pair<int64_t, int64_t>> seen = {};
  };

  const HostTraits &traits;
  kernel::LoadOp input, weights;
  /// What is staged: the loads, or what they are extended to; of the input also what is computed
  /// from it, which needs a box.
  mlir::Operation *inputValue = nullptr, *weightsValue = nullptr;
  /// The reduced axis that is cut into groups for dot instructions.
  std::optional<unsigned> group;
  int64_t groupSize = 1;
  /// Axes of the result: its channels, and the two along which the input's memory moves least.
  unsigned channels = 0, pixels = 0;
  std::optional<unsigned> lines;
  llvm::SmallVector<Border> borders;

  /// Fills in all of that; false if the kernel is of another kind, or, with `dots`, none for dot
  /// instructions.
  bool matchOperands(bool dots);

  /// Whether what is staged of the input is computed.
  bool isInputComputed() const { return !getWindowLoad(inputValue); }

  /// Steps of a reduced axis if it is cut into groups.
  int64_t getSteps(unsigned axis) const { return llvm::divideCeil(extent(axis), groupSize); }
  /// Steps of the innermost loop.
  int64_t getInnerSteps() const {
    unsigned inner = reduced.find_last();
    return inner == group ? getSteps(inner) : extent(inner);
  }
  /// Whether bytes are extended to 16 bits and multiplied in pairs.
  bool isPaired() const { return groupSize == 4 && !traits.int8Dot; }

private:
  bool matchLoads();
  /// The longest reduced axis that is a dimension of the input, which groups of it are less than.
  /// Where they do not divide it, what they reach beyond it is zero outside of the input.
  bool matchGroup();
  bool dependsOn(mlir::AffineExpr coordinate, unsigned axis);
  /// The reduced axes along which each point's share of what is beyond the border is known from one
  /// other axis.
  void findBorders();
};

} // namespace tw::schedule::host
