// The dimension numbers of gather and scatter, as tensors of indices.
#pragma once

#include "OpImport.h"

namespace tw::stablehlo {

/// Where the elements of slices lie. Of the elements' own order, called natural here, the first
/// dimensions are those of the index vectors, then come slices of dimensions with an index, then
/// dimensions of which all is taken.
struct Placed {
  bool isGood = false;
  Shape indexed, whole; ///< dimensions of the operand
  Values indices;       ///< one for each of `indexed`, of the shape `lanes`
  Shape lanes;          ///< of the natural order, without `whole`
  Shape toResult;       ///< dimension i of the result is natural dimension toResult[i]

  Shape operandOrder() const {
    Shape order(indexed);
    order.append(whole);
    return order;
  }
};

/// What both ops call by different names.
struct Indexing {
  Shape window;          ///< dimensions of the result, or of the updates, that lie in slices
  Shape dropped;         ///< dimensions of the operand of which a slice has one element
  Shape batching;        ///< dimensions of the operand that belong to ...
  Shape indicesBatching; ///< ... these of the indices
  Shape map;             ///< the operand's dimension of each entry of an index vector
  int64_t vectorDim = 0; ///< of the indices, the one that vectors lie along

  bool isDropped(int64_t dim) const { return llvm::is_contained(dropped, dim); }
  bool isBatching(int64_t dim) const { return llvm::is_contained(batching, dim); }

  /// Whether the numbers fit an operand, indices, and a result or updates of this rank; reports.
  bool check(OpImport &op, Value x, Value starts, int64_t rank) const;
  /// Slices of `sizes`. With `clamp` they are moved into the operand; without, those that do not
  /// lie in it have an index below 0.
  Placed place(OpImport &op, Value x, Value starts, ShapeRef sizes, bool clamp) const;
};

/// The order that undoes a permutation.
Shape inverse(ShapeRef permutation);

} // namespace tw::stablehlo
