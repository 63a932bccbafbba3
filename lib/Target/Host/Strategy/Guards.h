// Where a load is compared with the edges of its tensor.
#pragma once

#include "tw/Schedule/LoopTree.h"

namespace tw::schedule::host {

/// What a place of a tree stands in, outermost first: loops, and branches that do not hold there.
struct Around {
  llvm::SmallVector<const LoopNode *> loops;
  llvm::SmallVector<const BranchNode *> branches;
};

/// Comparisons that an access is left with, as shares of the times that it runs: none where the
/// indices that are known there, or the iterations of a loop that is unrolled, prove the tile
/// inside or decide which of its lanes are, and less often than the access where loops around it do
/// not move what is compared.
struct Guards {
  double lanes = 0;  ///< of coordinates that move along the lanes
  double rows = 0;   ///< of others, which are the same in all lanes of a row
  double both = 0;   ///< of masks that are made anew of the two
  double masked = 0; ///< of accesses in which lanes may be outside
  double maskedApart = 0; ///< of those in which some lanes may be, and others not
  /// Of each coordinate that is a quotient or a remainder of the lanes' positions, which no loop
  /// that is split decides.
  double computed = 0;
};

bool isConstant(const LoopNode &loop);

/// Whether tile-split-loops takes the iterations that pass a border out of the loop: it leaves
/// loops that carry sums of products alone. Iterations behind the end of an axis are dropped.
bool isSplitLoop(const LoopNode &loop);

/// Iterations of a loop on average: of those behind the end of its axis none, where it is split.
double getTrips(const LoopTree &tree, const LoopNode &loop);

/// Of a load that looks for points outside of its tensor, or has guards; of a store to a result
/// that the plan's leaves reach beyond.
Guards getGuards(const LoopTree &tree, const Node &node, const Around &around);

} // namespace tw::schedule::host
