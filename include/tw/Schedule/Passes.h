// Passes that give kernels their schedules.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Schedule/Passes.h.inc"

} // namespace tw
