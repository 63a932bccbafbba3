// Constant masks as comparisons of indices.
#pragma once

#include "tw/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"

namespace tw {

/// Whether a value of the type may be a mask: of bools or floats, along two dimensions; all others
/// are of one point.
bool isMaskType(mlir::Type type);

/// The elements, which the type allows to be a mask, as comparisons of a column's index with affine
/// functions of the row's: bools that are true from one of them on, in front of another one, or
/// both; floats that are 0 there and minus infinity elsewhere. Proven by comparing each element.
/// None if they are anything else, all equal ones included.
mlir::Value makeComparison(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::DenseElementsAttr elements);

} // namespace tw
