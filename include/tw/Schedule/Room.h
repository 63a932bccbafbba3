// Which results have room for values that a kernel keeps between its stages.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"

namespace tw::schedule {

/// Whether the result of the store has the type of the op's value, and an element for each of its
/// points. Where axes are padded it holds all of them only if its map is the identity.
bool hasRoom(kernel::StoreOp store, const kernel::AxisSets &sets, mlir::Operation *op);

} // namespace tw::schedule
