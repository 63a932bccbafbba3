// What the files of this folder give its InstructionSet.
#pragma once

#include "../InstructionSet.h"

namespace tw::host::aarch64 {

llvm::ArrayRef<Cpu> getCpus();
llvm::ArrayRef<DotProducts> getDots();

} // namespace tw::host::aarch64
