// Copies of boxes of tensors, as text.
#pragma once

#include "tw/Target/Common/Instructions.h"

namespace tw::ptx {

/// As BoxCopies says.
extern const BoxCopies boxCopies;
extern const ThreadRoles threadRoles;

} // namespace tw::ptx
