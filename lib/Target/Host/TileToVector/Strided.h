// Loads of lanes that lie a few elements apart, as whole vectors and shuffles.
#pragma once

#include "LaneMaps.h"

namespace tw::host {

/// Whether lanes this many elements apart are loaded so rather than one by one.
bool isShortStride(int64_t stride, unsigned lanes);

/// Lane i of the result is element stride * i from that of lane 0. Only memory between the first
/// and the last lane of the part that are inside is read, and with lanes in `inside` that vary only
/// theirs. Lanes that are not inside are those of `fill`, all of which are the same; lanes beyond
/// the part's tile hold something. `at` gives the index of an element, counted from that of lane 0.
mlir::Value loadStrided(mlir::OpBuilder &builder, mlir::Location location, mlir::Value memory,
                        const Part &part, int64_t stride, const LaneMask &inside, mlir::Value fill,
                        llvm::function_ref<mlir::Value(int64_t)> at);

} // namespace tw::host
