// Passes over the point form: cleaning, fusion, the check at the stage's border.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"

} // namespace tw
