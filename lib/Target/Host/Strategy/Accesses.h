// How a kernel runs through memory, and what a sweep over its points costs.
#pragma once

#include "tw/Schedule/AxisGroups.h"
#include "tw/Target/Host/HostStrategy.h"

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

/// Operations that an exponential takes, or a function like it, with our expansions.
inline constexpr double kFunction = 12;

/// Operations that an op of the math dialect takes for each register, with our expansions of f32
/// (instructions with vectors of 256 bits, divisions left out).
double countOperations(mlir::Operation *op);

/// The share of the last cache that the tensors of a kernel may take to be there still, for the
/// most part, when the next kernel runs.
inline constexpr double kKeptShare = 0.875;

/// The share of what is touched again that a cache still has, by how full it is: by degrees, since
/// lines are replaced by guess, and other things lie there too.
double getFoundAgain(double full);

/// Bytes of its tensors that a kernel can touch: those whole, or an element for each point of what
/// reads or writes them; with `loadsOnly` of what it reads.
double getTouchedBytes(kernel::KernelOp kernel, const kernel::AxisSets &sets,
                       bool loadsOnly = false);

/// Whether what the kernel touches takes more than this share of the last cache.
bool exceedsCache(kernel::KernelOp kernel, const HostTraits &traits, double share);

/// The results to write past the caches: of a kernel that touches more than a share of the last
/// cache, those that take as much of it as the other share. In a kernel whose sizes a call settles
/// they are as large from some number of bytes on.
llvm::SmallVector<kernel::StreamAttr> findStreamedResults(kernel::KernelOp kernel,
                                                          const HostTraits &traits,
                                                          double share = kKeptShare,
                                                          double shareOfResult = 0.25);

/// Lines of the first cache that points so many bytes apart can use.
int64_t countUsableLines(int64_t bytes, const HostTraits &traits);

} // namespace tw::schedule::host
