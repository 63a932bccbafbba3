// Passes that give kernels their schedules.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tw {

/// What a schedule is for: one thread with vector registers, or groups of threads.
enum class ScheduleMachine { Host, Gpu };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Schedule/Passes.h.inc"

} // namespace tw
