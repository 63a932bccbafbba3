// The two operands of a product as they lie in memory, and schedules of products by what they read.
#pragma once

#include "Product.h"

namespace tw::schedule::host {

/// An operand of the contraction and its largest load, which decides how memory is read.
struct Operand {
  mlir::Operation *op = nullptr;
  kernel::LoadOp load;
  bool isConstant = false;
  /// Whether what is loaded has fewer bytes than the operand, at the same points.
  bool isNarrow = false;
  /// Bytes of an element in memory.
  int64_t bytes = 0;
  /// Elements of its tensor from one point of each axis to the next, where they are always as many.
  llvm::SmallVector<std::optional<int64_t>> strides;
  /// Along an axis of its own they are not, so it has to be packed.
  bool isGathered = false;
};

/// A contraction of values that are computed from loads, elementwise work around it.
struct Operands : Product {
  Operands(kernel::KernelOp kernel, const HostTraits &traits) : Product(kernel), traits(traits) {}

  const HostTraits &traits;
  Operand operands[2];
  llvm::SmallBitVector storedAlong;

  /// Fills in the operands; false if the kernel is of another kind, or reads memory with guards or
  /// through indices that are not linear in its axes; with `gathers` just one operand does the
  /// latter.
  bool matchOperands(bool gathers = false);
  /// The same for a product that `match` or its like has found.
  bool readOperands(bool gathers = false);

  int64_t elementBytes() const;
  /// Registers of a vector of `lanes` elements.
  int64_t registersPerVector() { return std::max<int64_t>(1, elementBytes() / 4); }
  /// The most rows of a tile of so many vectors that registers hold, beside the vectors of a step
  /// and its scalars.
  int64_t mostRows(int64_t vectors);
  std::optional<int64_t> strideOf(const Operand &operand, unsigned axis) const {
    return operand.strides[axis];
  }
  /// Bytes of unpacked memory between neighbours along an axis.
  int64_t bytesAlong(const Operand &operand, unsigned axis) {
    return std::abs(*strideOf(operand, axis)) * operand.bytes;
  }
  /// Whether all results are contiguous along the axis.
  bool isStoredAlong(unsigned axis) const { return storedAlong[axis]; }
  /// The axis of `of` alone that serves best: one along which it, or the result, is contiguous,
  /// else the longest. Not `but`.
  std::optional<unsigned> findAxis(const Operand &of, const Operand &other,
                                   std::optional<unsigned> but = std::nullopt);
  /// An axis of `of` alone for rows of two axes: of 2 or 4 points, whose results lie together in
  /// memory between those of the lanes; else the longest that fits in a tile with all of another.
  std::optional<unsigned> findBeside(const Operand &of, const Operand &other, unsigned laneAxis);

  /// Instructions on each sum, roughly: functions are polynomials.
  int64_t countEpilogue() const;

  /// Whether arithmetic units take a vector of elements of 32 bits in two turns, half of it in one.
  bool hasHalfVectors() const;
  /// The share of a vector's turns that one of so many lanes takes: units take `dataPathBytes` at
  /// once, and what fits a narrower register is computed there.
  double shareOfTurns(int64_t lanes) const;
  /// Cycles of one step of a register tile; `share` of it is computed.
  double tileCycles(int64_t rows, int64_t vectors, double share = 1);
};

/// Few rows of scalars: the matrix is read once, a few of its rows at a time along strips of lanes,
/// whose partial sums stay in a near cache.
void proposeSweep(Operands &operands, bool swapped,
                  llvm::SmallVectorImpl<HostCandidate> &candidates);

/// Operands that both lie along what is summed: its points are the lanes, combined at the end.
void proposeInner(Operands &operands, llvm::SmallVectorImpl<HostCandidate> &candidates);

} // namespace tw::schedule::host
