// Results whose sizes a call counts while it runs.
//
// A function gives such a result in the largest size that it may have, and how many elements along
// a dimension there are, from the first one on, as another result, a tensor<i64>. Results that
// count are behind all others, and callers do not see them.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace tw {

/// On a result of a function, as an array of i64: for each dimension the number of the result that
/// counts its elements, -1: there are as many as the type says.
inline constexpr llvm::StringLiteral countsName = "tgraph.counts";

/// By result; empty for one that is not counted.
using ResultCounts = llvm::SmallVector<llvm::ArrayRef<int64_t>>;

/// As many as callers see.
unsigned countVisible(llvm::ArrayRef<llvm::ArrayRef<int64_t>> counts);

/// What is wrong with the counts of results of these types; empty if nothing is.
std::string checkCounts(llvm::ArrayRef<llvm::ArrayRef<int64_t>> counts,
                        llvm::ArrayRef<mlir::RankedTensorType> results);

} // namespace tw
