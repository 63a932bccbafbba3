// Passes of the interpreter.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Interpreter/Transforms/Passes.h.inc"

} // namespace tw
