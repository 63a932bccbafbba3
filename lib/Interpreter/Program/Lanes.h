// Arith and math ops on lanes: arrays of one scalar each, of equal length.
//
// Kernels run them on chunks of points, tile programs on tiles. A lane is held as its element is in
// memory (TypeSwitch.h): i1 as a bool, index as int64_t, floats as themselves.
#pragma once

#include "../TypeSwitch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"

namespace tw::interp {

/// Computes `count` lanes of the result from those of the operands; the result may be one of the
/// operands. Returns the first lane whose result is poison, or -1.
using LaneFunction = int64_t (*)(const void *const *operands, void *result, int64_t count);

/// The function of an op of arith or math with one result, on scalars or elementwise on tensors.
/// Null for other ops (arith.constant among them) and for types that are not held. Fast-math and
/// overflow flags are permissions and are not used.
LaneFunction getLaneFunction(mlir::Operation *op);
LaneFunction getArithLanes(mlir::Operation *op);
LaneFunction getCastLanes(mlir::Operation *op);
LaneFunction getMathLanes(mlir::Operation *op);

/// The function of two operands that a kind of reduction is on a type; null if there is none.
LaneFunction getKindFunction(mlir::arith::AtomicRMWKind kind, mlir::Type type);

/// How a kind of reduction combines, on accumulators.
struct Combiner {
  /// Elements are widened to this type before they are combined: f64 for sums and products of
  /// floats.
  mlir::Type accumulator;
  LaneFunction combine;
};

/// The combiner of a kind on a type; a null `combine` if it does not exist.
Combiner getCombiner(mlir::arith::AtomicRMWKind kind, mlir::Type type);
/// Writes the identity of a kind, in `type`, to `count` lanes.
void fillIdentity(mlir::arith::AtomicRMWKind kind, mlir::Type type, void *lanes, int64_t count);

/// Repeats the value of a scalar attribute over `count` lanes.
void fillLanes(mlir::Attribute scalar, void *lanes, int64_t count);
/// Repeats one element of `bytes` bytes over `count` lanes.
void splatLanes(const void *element, int64_t bytes, void *lanes, int64_t count);
/// Converts lanes between float types; copies where the types are equal.
void convertLanes(mlir::Type from, const void *source, mlir::Type to, void *result, int64_t count);

} // namespace tw::interp
