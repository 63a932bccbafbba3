// How tensor element types are read: what is unsigned, what a scalar of it looks like.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

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

/// Whether elements are bf16 or f16, which are widened to f32 to compute with.
inline bool isNarrowFloat(mlir::Type elementType) {
  return elementType.isBF16() || elementType.isF16();
}

/// The type that elements of `elementType` are computed in: f32 for bf16 and f16.
inline mlir::Type getComputedType(mlir::Type elementType) {
  return isNarrowFloat(elementType) ? mlir::Float32Type::get(elementType.getContext())
                                    : elementType;
}

} // namespace tw::graph
