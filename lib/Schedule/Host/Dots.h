// One row of scalars by a matrix of narrow elements, in groups of dot instructions.
#pragma once

#include "Product.h"

namespace tw::schedule::host {

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
