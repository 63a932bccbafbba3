// Passes on the tgraph dialect.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"

} // namespace tw
