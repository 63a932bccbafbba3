// Passes of the OpenCL target.
#pragma once

#include "tw/Target/Common/Passes.h"

namespace tw {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Target/OpenCL/Passes.h.inc"

} // namespace tw
