// How tensor element types are read: what is unsigned, what a scalar of it looks like.
#pragma once

#include "tw/Support/ElementTypes.h"

namespace tw::graph {

/// Whether integers of `elementType` count as unsigned: unsigned types and i1.
inline bool isUnsigned(mlir::Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

/// The type of a scalar with an element of `elementType`: unsigned integers become signless.
inline mlir::Type getScalarType(mlir::Type elementType) {
  if (elementType.isUnsignedInteger())
    return mlir::IntegerType::get(elementType.getContext(), elementType.getIntOrFloatBitWidth());
  return elementType;
}

/// The type that elements of `elementType` are computed in: f32 for narrow floats.
inline mlir::Type getComputedType(mlir::Type elementType) {
  return isNarrowFloat(elementType) ? mlir::Float32Type::get(elementType.getContext())
                                    : elementType;
}

} // namespace tw::graph
