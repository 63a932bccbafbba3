// Passes on host programs.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Dialect/Launch/Transforms/Passes.h.inc"

} // namespace tw
