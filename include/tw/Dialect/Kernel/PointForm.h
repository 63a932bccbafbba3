// Kernels as a module file has them, for the interpreter.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tw::kernel {

/// On the module of a kernel's point form: the sizes that a launch hands to the kernel's code, in
/// their order.
inline constexpr llvm::StringLiteral scalarsAttrName = "tkernel.scalars";

} // namespace tw::kernel
