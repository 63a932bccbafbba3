// What regions of scalars compute, recognised by their content.
#pragma once

#include "OpImport.h"

namespace tw::stablehlo {

/// How a region of two arguments combines them: a kind, for `and` and `or` of bools too, whatever
/// the order of its operands is.
std::optional<graph::CombineKind> findCombination(mlir::Region &region);

/// The number of the argument that a region gives, of regions without ops; of scatters that
/// replace.
std::optional<unsigned> findForwarded(mlir::Region &region);

/// Whether a region of values and indices (a, i, b, j as the arguments 0, 2, 1, 3 say) keeps the
/// greater, or the smaller, value and the first of its indices: Max or Min.
std::optional<graph::CombineKind> findArgReduction(mlir::Region &region);

/// One key of a comparison of elements: which operand, and whether the greater comes first.
struct SortKey {
  unsigned operand;
  bool isDescending;
  bool isTotal;     ///< -0 before 0, NaN by their bits
  bool isImaginary; ///< the imaginary part of complex numbers, else the real one or the number
};
/// The keys, the most significant first, by which a region orders elements. Nothing for another
/// order. That zeros and NaN are made equal each among themselves is seen through.
std::optional<llvm::SmallVector<SortKey>> findSortKeys(mlir::Region &region);

/// The value that a kind begins with, and whether a constant is it.
bool isIdentity(mlir::DenseElementsAttr value, graph::CombineKind kind);

} // namespace tw::stablehlo
