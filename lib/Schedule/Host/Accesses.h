// How a kernel runs through memory, and what a sweep over its points costs.
#pragma once

#include "../AxisGroups.h"
#include "tw/Schedule/HostStrategy.h"

namespace tw::schedule::host {

/// A load or a store of the kernel.
struct Access {
  mlir::RankedTensorType type;
  mlir::AffineMap map;
  mlir::ValueRange indices;
  bool isStore;
  /// The axes that its indices depend on.
  llvm::SmallBitVector axes;

  int64_t getBytes() const;
};

class Accesses {
public:
  Accesses(kernel::KernelOp kernel, const kernel::AxisSets &sets);

  llvm::ArrayRef<Access> all() const { return accesses; }
  /// Elements from one point of the axis to the next; none when they are not always as many, or an
  /// index is computed from the axis.
  std::optional<int64_t> getStride(const Access &access, unsigned axis) const;
  /// Whether all accesses stand still or move by one element along the axis, and stores do move.
  bool areContiguous(unsigned axis) const;
  /// The group's axes of more than one point cut into runs, slowest first: the axes of a run merge
  /// into one along which no access divides or needs other guards.
  llvm::SmallVector<AxisGroup> findRuns(const AxisGroup &group) const;

private:
  bool mergeLinearly(unsigned slower, unsigned faster) const;

  kernel::KernelOp kernel;
  const kernel::AxisSets &sets;
  llvm::SmallVector<Access> accesses;
};

/// Whether computing the op again costs more than writing its result to the nearest cache and
/// reading it back.
bool isExpensive(mlir::Operation *op);

/// Cycles of one core for a kernel whose vectors lie along contiguous memory: `vectors` of them per
/// value, `sweeps` over the data from the nearest cache beyond the first.
HostEstimate estimateSweep(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                           const Accesses &accesses, const HostTraits &traits, bool streams);

/// Bytes of the tensors that the kernel reads and writes.
int64_t countTouchedBytes(kernel::KernelOp kernel);

/// The numbers of the results of so many bytes at least.
llvm::SmallVector<int64_t> findLargeResults(kernel::KernelOp kernel, int64_t bytes);

/// The numbers of the results to write past the caches: the large ones of a kernel that touches
/// more than this share of the last cache. Where all it touches is still there when the next kernel
/// runs, memory is not waited for at all.
llvm::SmallVector<int64_t> findStreamedResults(kernel::KernelOp kernel, const HostTraits &traits,
                                               double share = 0.875);

/// Lines of the first cache that points so many bytes apart can use.
int64_t countUsableLines(int64_t bytes, const HostTraits &traits);

} // namespace tw::schedule::host
