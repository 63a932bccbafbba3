// Two contractions with a reduction between them, as the strategies for attention see them.
//
//   s = sum over d of q[i, d] * k[j, d]    m = max over j of s    p = exp(s - m)
//   l = sum over j of p                    o = sum over j of p * v[j, e]
#pragma once

#include "ListBuilder.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"
#include "tw/Target/Host/HostStrategy.h"

namespace tw::schedule::host {

/// Vectors along the queries, and the queries in them; points of keys and of results in a tile.
struct AttentionTile {
  int64_t vectors = 1, queries = 1, scoreRows = 1, resultRows = 1;
};

struct Attention {
  Attention(kernel::KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel) {}

  kernel::KernelOp kernel;
  const HostTraits &traits;
  kernel::AxisSets sets;
  /// The two products; the operands of the first that has the lanes and of the one that has not;
  /// the last value before a reduction; what the second product sums, and with what.
  kernel::ContractOp scores, sum;
  mlir::Operation *query = nullptr, *key = nullptr, *score = nullptr;
  mlir::Value weights, values;
  /// Reductions that the queries are computed from.
  llvm::SmallVector<kernel::ReduceOp, 1> above;
  std::optional<unsigned> laneAxis;
  unsigned keyAxis = 0, resultAxis = 0;
  llvm::SmallBitVector keyAxes, innerAxes, resultAxes;
  /// The select that masks keys, if there is one.
  std::optional<SkippedAxis> mask;

  /// Fills in all of that; false if the kernel is of another class.
  bool match();

  int64_t extent(unsigned axis) const {
    return const_cast<kernel::KernelOp &>(kernel).getExtents()[axis];
  }
  int64_t bits() { return scores.getType().getIntOrFloatBitWidth(); }
  /// Elements of a register.
  int64_t countLanes() { return std::max<int64_t>(1, traits.lanes * 32 / bits()); }
  /// The longest axis of the set.
  std::optional<unsigned> longest(const llvm::SmallBitVector &axes) const;
  static bool needs(mlir::Value value, mlir::Operation *producer);

  /// Keeps exponentials and their like, which the second product reads again, and perhaps what is
  /// computed of them for it.
  void keepWeights(ListBuilder &list, bool keepsLast = false);
  /// Whether there is such a thing, which each tile of results would compute again.
  bool computesWeights();

private:
  mlir::Value findScore();
  bool matchOps();
  bool findAxes();
};

/// Vectors of queries that fill less than one of so many parts do not pay.
constexpr int64_t kFewQueries = 4;

/// Fewer queries than lanes: a program for each of less than a part of a vector, or several in a
/// tile's rows, which reads keys and values once.
void proposeFewQueries(const Attention &of, llvm::SmallVectorImpl<HostCandidate> &candidates);

} // namespace tw::schedule::host
