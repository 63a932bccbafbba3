// Passes on the ttile dialect.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tw
